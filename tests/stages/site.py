"""One agent over a simulated cell, spoken to as a transport would: bytes in, the flat events of each stream out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from edge_agent.agent import Agent
from edge_agent.cases import live_cell as room
from edge_agent.cases.cell import CLIENT, USERS, Flat, Script, Setup
from edge_agent.cell_file import load_cell
from edge_agent.desk.arrival import Arrival
from edge_agent.messages.wire import utc_text
from edge_agent.run.ids import ulid
from edge_agent.safety.cell import CellState
from offline_rules.reading import Intent
from tests.ledger import disagreements

USER = USERS["operator"]
DEADLINE_S = 20.0


@dataclass
class OneAgent:
    agent: Agent
    streams: Mapping[str, list[Flat]]
    sent: int = 0

    def new_id(self) -> str:
        self.sent += 1
        return ulid(1_000_000 + self.sent, self.sent.to_bytes(10, "big"))

    def request(self, kind: str, **fields: Any) -> dict[str, Any]:
        epoch, now = self.agent.parts.journal.epoch, utc_text(self.agent.now())
        head = {"v": 1, "id": self.new_id(), "type": kind, "issued_at": now, "epoch": epoch, "attached": CLIENT}
        return head | {"lang": "en"} | fields

    async def send(self, said: Mapping[str, Any]) -> asyncio.Task[object]:
        """Accepted or refused when this returns; the task ends with its `done`."""
        return await self.agent.receive(Arrival(json.dumps(said).encode(), USER, "mqtt"))

    async def ask(self, kind: str, **fields: Any) -> list[Flat]:
        said = self.request(kind, **fields)
        await asyncio.wait_for(await self.send(said), DEADLINE_S)
        return self.told(said["id"])

    def told(self, run: str) -> list[Flat]:
        return self.streams[run]

    async def card(self, text: str) -> Flat:
        """The confirmation that the sentence leads to."""
        content = (await self.ask("ask", text=text))[-2]
        assert content["kind"] == "confirmation", content
        return content

    def yes(self, card: Flat) -> dict[str, Any]:
        return self.request("confirm", prompt_id=card["prompt_id"], digest=card["digest"], confirm=True)

    async def until(self, state: CellState) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while self.agent.supervisor.view.state is not state:  # noqa: ASYNC110 - nobody is told but the outlet
                await asyncio.sleep(0.005)


@asynccontextmanager
async def one_agent(slow: pytest.MonkeyPatch | None = None, *, hears: Intent | None = None) -> AsyncIterator[OneAgent]:
    """`slow`: the arm takes about a second for a move, as on a site, so that it can be met on its way. `hears`: what
    the model hears in whatever is said."""
    if slow is not None:
        slow.setattr(room, "CASE_TIME_SCALE", 1.0)
        slow.setattr(room, "case_spec", load_cell)
    async with room.live_cell() as cell:
        await cell.begin(Setup())
        if hears is not None:
            await cell.script(Script(scores=((hears, 0.95), (Intent.GENERAL, 0.05))))
        yield OneAgent(cell.agent, cell.outlet.streams)
        assert disagreements(await cell.agent.parts.journal.rows(limit=5_000)) == []
