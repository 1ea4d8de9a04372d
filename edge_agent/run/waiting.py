"""Rows of a run that wait for its next commit: one sync instead of two.

A row may wait while the run goes on by itself, and no longer than that: before a model is asked, everything that waits
is on the disk. So a life that ends while a model thinks leaves behind what led up to it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from edge_agent.run.journal import Duplicate, Entry, Journal, JournalFault, NotReadBack, Row

T = TypeVar("T")


@dataclass(slots=True)
class Waiting:
    _rows: list[Entry] = field(default_factory=list, init=False)

    def put(self, entry: Entry) -> None:
        self._rows.append(entry)

    async def commit(self, journal: Journal, *entries: Entry) -> tuple[int, ...] | Duplicate:
        """What waits and then `entries`, in one commit; as `Journal.append`. What was not written waits on."""
        return await self._with(journal.append, entries) if self._rows or entries else ()

    async def keep(self, journal: Journal, *entries: Entry) -> Row | Duplicate:
        """The same, as `Journal.keep`."""
        return await self._with(journal.keep, entries)

    async def _with(self, write: Callable[..., Awaitable[T | Duplicate]], entries: tuple[Entry, ...]) -> T | Duplicate:
        taken, self._rows = self._rows, []
        try:
            written = await write(*taken, *entries)
        except NotReadBack:
            raise
        except JournalFault:
            self._rows = [*taken, *self._rows]
            raise
        if isinstance(written, Duplicate):
            self._rows = [*taken, *self._rows]
        return written
