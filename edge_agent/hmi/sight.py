"""What every panel of a page is given: who is there, what is known, and how to ask. One a page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from edge_agent.adapters.mqtt.traffic import Clock
from edge_agent.hmi.logins import Login
from edge_agent.hmi.now import Connection
from edge_agent.hmi.texts import Words
from edge_agent.hmi.visit import NotSent, Visit
from edge_agent.messages.codes import Role
from edge_agent.safety.cell_spec import CellSpec


class Panel(Protocol):
    """A piece of the page. `show` is called after every change and changes only what differs."""

    def show(self) -> None: ...


@dataclass(slots=True)
class Sight:
    """`words` changes with the language; a panel is then built anew."""

    visit: Visit
    login: Login
    spec: CellSpec
    words: Words
    clock: Clock
    paint: Callable[[], None] = lambda: None
    notice: str | None = None
    """What the page itself has to say about the last thing that was tried; a key of the wording."""

    @property
    def role(self) -> Role | None:
        session = self.visit.now.session
        return session.role if session is not None else None

    @property
    def operates(self) -> bool:
        """Unknown counts as yes: the agent refuses by itself, and says why."""
        return self.role != "viewer"

    def connection(self) -> Connection:
        return self.visit.now.connection(self.clock())

    def live(self) -> bool:
        return self.connection() in (Connection.LIVE, Connection.WAITING)

    async def tried(self, sending: Awaitable[NotSent | None]) -> bool:
        """Waits for a request to leave; what did not leave is told. Whether it did."""
        unsent = await sending
        self.notice = None if unsent is None else f"unsent.{unsent}"
        self.paint()
        return unsent is None
