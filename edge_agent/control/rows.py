"""Rows on their way to the journal, one after the other: their order there is the order of the events.

A fault is told once to whoever watches (`on_fault`) and to whoever waits for that row.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from edge_agent.run.journal import Duplicate, Entry, Journal, JournalFault


class RowQueue:
    def __init__(self, journal: Journal, on_fault: Callable[[JournalFault], None]) -> None:
        self._journal, self._on_fault = journal, on_fault
        self._waiting: asyncio.Queue[tuple[Entry, asyncio.Future[None]]] = asyncio.Queue()

    def put(self, entry: Entry) -> asyncio.Future[None]:
        """Queued before this returns; the future ends when the row is durable, or with the `JournalFault`."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done.add_done_callback(_seen)
        self._waiting.put_nowait((entry, done))
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
