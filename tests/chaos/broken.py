"""Agents that are broken on purpose, by name: each harness must catch its own. Used in a forked child alone."""

from __future__ import annotations

from collections.abc import Callable

from edge_agent.control import dispatching
from edge_agent.control.core import Underway
from edge_agent.control.dispatching import Dispatching
from edge_agent.run.journal import Kind
from edge_agent.safety.cell import CellEvent


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


BROKEN: dict[str, Callable[[], None]] = {
    "journal_after_send": _journal_after_send,
    "sends_again": _sends_again,
}
