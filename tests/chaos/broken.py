"""Agents that are broken on purpose, by name: each harness must catch its own. Used in a forked child alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from edge_agent.control import dispatching
from edge_agent.control.core import Core, Underway
from edge_agent.control.dispatching import Dispatching
from edge_agent.control.supervisor import Supervisor
from edge_agent.desk.intake import Intake
from edge_agent.run.journal import Kind
from edge_agent.safety.cell import CellEvent
from edge_agent.safety.permission import Role


def _journal_after_send() -> None:
    """The intent is stored when the write is out already."""

    async def dispatch(self: Dispatching, under: Underway, *_: object) -> None:
        core = self._core
        core.steps("before_intent")
        core.feed(CellEvent.INTENT_STORED, "dispatched")
        await self._send_once(under)
        core.steps("intent_stored")
        body = dispatching._intent(under)
        await core.store(Kind.COMMAND, body, run=under.run, key=str(under.order.command_id))

    Dispatching._dispatch = dispatch  # type: ignore[assignment, method-assign]


def _sends_again() -> None:
    """An unanswered write is tried a second time, as a library might do by itself."""
    send_once = Dispatching._send_once

    async def twice(self: Dispatching, under: Underway) -> None:
        await send_once(self, under)
        await self._core.driver.send(under.job)

    Dispatching._send_once = twice  # type: ignore[method-assign]


def _deaf_to_the_journal() -> None:
    """A row that could not be written counts as written."""
    store = Core.store

    def deaf(self: Core, *row: Any, **more: Any) -> asyncio.Future[None]:
        settled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        store(self, *row, **more).add_done_callback(lambda _: settled.set_result(None))
        return settled

    def nothing(*_: object) -> None:
        """Not told."""

    Core.store = deaf  # type: ignore[method-assign]
    Core._row_fault = nothing  # type: ignore[method-assign, assignment]
    Supervisor.journal_fault = nothing  # type: ignore[method-assign, assignment]


def _stop_waits_for_its_row() -> None:
    """The stop is written down first, and then asked for."""
    request_stop = Supervisor.request_stop

    def slow(self: Supervisor, by: str) -> None:
        stored = self._core.store(Kind.STOP, {"by": by, "state": "first"})
        stored.add_done_callback(lambda _: request_stop(self, by))

    Supervisor.request_stop = slow  # type: ignore[method-assign]


def _everybody_is_an_operator() -> None:
    """The role is not the login's."""
    Intake.role = lambda *_: Role.OPERATOR  # type: ignore[method-assign]


BROKEN: dict[str, Callable[[], None]] = {
    "journal_after_send": _journal_after_send,
    "sends_again": _sends_again,
    "deaf_to_the_journal": _deaf_to_the_journal,
    "stop_waits_for_its_row": _stop_waits_for_its_row,
    "everybody_is_an_operator": _everybody_is_an_operator,
}
