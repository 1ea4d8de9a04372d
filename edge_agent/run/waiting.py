"""Rows of a run that wait for its next commit: one sync instead of two.

A row may wait while the run goes on by itself, and no longer than that: before a model is asked, everything that waits
is on the disk. So a life that ends while a model thinks leaves behind what led up to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from edge_agent.run.journal import Duplicate, Entry, Journal, JournalFault, NotKnown


@dataclass(slots=True)
class Waiting:
    _rows: list[Entry] = field(default_factory=list, init=False)

    def put(self, entry: Entry) -> None:
        self._rows.append(entry)

    async def commit(self, journal: Journal, *entries: Entry) -> tuple[int, ...] | Duplicate:
        """What waits and then `entries`, in one commit; as `Journal.append`. What was not written waits on; what may
        have been written does not, or its key would be taken when the run's end is written."""
        taken, self._rows = self._rows, []
        if not taken and not entries:
            return ()
        try:
            written = await journal.append(*taken, *entries)
        except NotKnown:
            raise
        except JournalFault:
            self._rows = [*taken, *self._rows]
            raise
        if isinstance(written, Duplicate):
            self._rows = [*taken, *self._rows]
        return written
