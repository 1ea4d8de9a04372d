"""One agent, several outlets: everything goes to each, and each takes what is its own."""

from __future__ import annotations

from edge_agent.control.view import CellView
from edge_agent.desk.stream import Address
from edge_agent.messages.alarm import AlarmMessage
from edge_agent.messages.event import Event
from edge_agent.parts import Outlet


class FanOut:
    """An `Outlet`."""

    def __init__(self, *outlets: Outlet) -> None:
        self._outlets = list(outlets)

    def add(self, outlet: Outlet) -> None:
        self._outlets.append(outlet)

    def event(self, address: Address, event: Event) -> None:
        for each in self._outlets:
            each.event(address, event)

    def cell(self, view: CellView) -> None:
        for each in self._outlets:
            each.cell(view)

    def alarm(self, message: AlarmMessage) -> None:
        for each in self._outlets:
            each.alarm(message)

    def session_changed(self, user: str) -> None:
        for each in self._outlets:
            each.session_changed(user)
