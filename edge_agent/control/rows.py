"""Rows on their way to the journal, one after the other: their order there is the order of the events.

A fault is told once to whoever watches (`on_fault`) and to whoever waits for that row. A row that finds no room is
such a fault: a journal this far behind is not being written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from edge_agent.run.journal import Duplicate, Entry, Journal, JournalFault

MAX_WAITING: Final = 256
"""A command has some ten rows and one is out at a time; a commit that is late faults within a second."""


class RowQueue:
    def __init__(
        self, journal: Journal, on_fault: Callable[[JournalFault], None], max_waiting: int = MAX_WAITING
    ) -> None:
        self._journal, self._on_fault = journal, on_fault
        self._waiting: asyncio.Queue[tuple[Entry, asyncio.Future[None]]] = asyncio.Queue(max_waiting)

    def put(self, entry: Entry) -> asyncio.Future[None]:
        """Queued before this returns; the future ends when the row is durable, or with the `JournalFault`."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done.add_done_callback(_seen)
        try:
            self._waiting.put_nowait((entry, done))
        except asyncio.QueueFull:
            self._no_room(entry, done)
        return done

    async def run(self) -> None:
        while True:
            entry, done = await self._waiting.get()
            fault = await self._write(entry)
            if fault is None:
                _settle(done)
            else:
                if not done.done():
                    done.set_exception(fault)
                self._on_fault(fault)
            self._waiting.task_done()

    async def drained(self) -> None:
        await self._waiting.join()

    def _no_room(self, entry: Entry, done: asyncio.Future[None]) -> None:
        """Told after whoever puts is through: the row may be one of several effects of one step."""
        fault = JournalFault(f"{self._waiting.qsize()} rows wait for the journal; {entry.kind} was not written")
        done.set_exception(fault)
        asyncio.get_running_loop().call_soon(self._on_fault, fault)

    async def _write(self, entry: Entry) -> JournalFault | None:
        try:
            written = await self._journal.append(entry)
        except JournalFault as fault:
            return fault
        if isinstance(written, Duplicate):
            return JournalFault(f"{entry.kind} {entry.key} stands in the journal already")
        return None


def _settle(done: asyncio.Future[None]) -> None:
    if not done.done():
        done.set_result(None)


def _seen(done: asyncio.Future[None]) -> None:
    """A row nobody waits for: its fault was acted upon where it came up."""
    if not done.cancelled():
        done.exception()
