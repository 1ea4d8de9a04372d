"""What the commands act through: the agent, the texts in the user's language, the screen, who is there."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from edge_agent.agent import Agent
from edge_agent.console.entrance import Entrance
from edge_agent.console.questions import Questions
from edge_agent.console.wording import console_texts
from edge_agent.desk.arrival import Arrival
from edge_agent.messages.cell_state import InjectedFault
from edge_agent.messages.codes import Lang
from edge_agent.messages.request import RequestType
from edge_agent.messages.wire import utc_text
from edge_agent.release.texts import Fact, Texts, texts
from edge_agent.run.ids import ULID_ENTROPY_BYTES, ulid
from edge_agent.run.journal import JournalFault
from edge_agent.safety.permission import Role

TOLD_LATER: Final[frozenset[RequestType]] = frozenset({"ask", "reply", "confirm", "release_stop"})
"""Runs of which somebody may want the story; the telling of a story is none."""


@dataclass(slots=True)
class Desk:
    """`say` puts whole lines on the screen. `faults` are those that are in now, `fault_names` those this cell has."""

    agent: Agent
    entrance: Entrance
    say: Callable[[str], None]
    lang: Lang
    faults: Callable[[], tuple[InjectedFault, ...]] = lambda: ()
    fault_names: tuple[str, ...] = ()
    questions: Questions = field(default_factory=Questions)
    last_run: str | None = None

    @property
    def own(self) -> Texts:
        return console_texts(self.lang)

    @property
    def words(self) -> Texts:
        """The agent's texts: states, reasons, roles."""
        return texts(self.lang)

    def why(self, reason: str) -> str:
        """A reason of the cell's state in words."""
        key = f"why.{reason}"
        return self.own.say(key) if self.own.has(key) else self.words.word("why", reason)

    def tell(self, key: str, facts: Mapping[str, Fact] | None = None) -> None:
        self.say(self.own.say(key, facts))

    async def send(self, kind: RequestType, **fields: str | int | bool) -> bool:
        """Hands a request of the logged-in user to the agent, as any transport does; what comes of it comes as
        events. False, and told, where it could not be written down."""
        user = self.entrance.user
        if user is None:
            self.tell("refused.login")
            return False
        request = self._request(kind, fields)
        if kind in TOLD_LATER:
            self.last_run = str(request["id"])
        payload = json.dumps(request, ensure_ascii=False).encode()
        try:
            await self.agent.receive(Arrival(payload, user, "console", role=Role.TECHNICIAN))
        except JournalFault:
            self.tell("refused.journal")
            return False
        return True

    def _request(self, kind: RequestType, fields: Mapping[str, str | int | bool]) -> dict[str, object]:
        now = self.agent.now()
        return {
            "v": 1,
            "id": ulid(int(now.timestamp() * 1000), secrets.token_bytes(ULID_ENTROPY_BYTES)),
            "type": kind,
            "issued_at": utc_text(now),
            "lang": self.lang,
            "epoch": self.agent.parts.journal.epoch,
            **fields,
        }
