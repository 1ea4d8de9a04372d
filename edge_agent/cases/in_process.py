"""The transport of a case cell: events kept in memory, stream by stream, in the order and the form of the wire."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from edge_agent.cases.cell import Flat
from edge_agent.control.view import CellView
from edge_agent.desk.stream import Address
from edge_agent.messages.alarm import AlarmMessage
from edge_agent.messages.codes import Phase
from edge_agent.messages.event import Event, Status, flat


@dataclass(slots=True)
class InProcess:
    """An `Outlet` that keeps the events of each stream, flat as the wire has them."""

    streams: dict[str, list[Flat]] = field(default_factory=dict)
    ended: dict[str, asyncio.Event] = field(default_factory=dict)
    on_phase: Callable[[str, Phase], None] = lambda _user, _phase: None
    cell_changed: asyncio.Event = field(default_factory=asyncio.Event)

    def event(self, address: Address, event: Event) -> None:
        run = event.envelope.run
        self.streams.setdefault(run, []).append(flat(event))
        if event.body.type == "done":
            self.ended.setdefault(run, asyncio.Event()).set()
        if isinstance(event.body, Status):
            self.on_phase(address.user, event.body.phase)

    def cell(self, _view: CellView) -> None:
        """Looked at through the agent itself, by whoever waits for a change."""
        self.cell_changed.set()

    def alarm(self, message: AlarmMessage) -> None:
        """Read from the journal."""

    def session_changed(self, user: str) -> None:
        """Nobody reloads a page here."""
