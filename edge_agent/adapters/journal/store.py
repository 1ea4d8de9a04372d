"""The journal in SQLite: one writing thread, one reading thread, one commit a call. See `edge_agent.run.journal`.

What happens when it fails:
  * a commit that is not back in time   JournalFault; until it does come back, every further append fails at once
  * a full disk                         the ballast is given up, one `journal_fault` row is written, JournalFault
  * any other SQLite or I/O error       JournalFault now and for every later append: a failed sync is never retried,
                                        because the kernel may have dropped the pages it could not write
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, TypeVar

from edge_agent.adapters.journal.errors import JournalMissing, JournalRefused
from edge_agent.adapters.journal.folder import segments
from edge_agent.adapters.journal.making import DEFAULT_RETENTION, Retention
from edge_agent.adapters.journal.query import Query
from edge_agent.adapters.journal.reading import Reader
from edge_agent.adapters.journal.writing import Writer, no_faults
from edge_agent.adapters.one_thread import Late, NoAnswer, OneThread
from edge_agent.run.journal import COMMIT_DEADLINE_S, Duplicate, Entry, JournalFault, Kind, NotKnown, Row

OPEN_DEADLINE_S: Final = 60.0
"""Checking every page and hash of a segment of the largest size takes a few seconds."""
READ_DEADLINE_S: Final = 2.0
PASSED_ON: Final = (sqlite3.Error, OSError, ValueError, JournalFault, JournalRefused)
"""What reading and writing a file may raise."""
READ_BACK_FAILS: Final = "store.read_back_fails"

T = TypeVar("T")


class SqliteJournal:
    """`edge_agent.run.journal.Journal`, kept in a folder that this process holds alone."""

    def __init__(
        self, writer: Writer, writing: OneThread, fires: Callable[[str], bool], commit_deadline_s: float
    ) -> None:
        self._writer, self._writing, self._fires = writer, writing, fires
        self._commit_deadline_s = commit_deadline_s
        self._reader, self._reading = Reader(writer.file), OneThread("journal-read", PASSED_ON)

    @classmethod
    async def open(
        cls,
        folder: Path,
        *,
        wall_ms: Callable[[], int],
        fires: Callable[[str], bool] = no_faults,
        retention: Retention = DEFAULT_RETENTION,
        commit_deadline_s: float = COMMIT_DEADLINE_S,
    ) -> SqliteJournal:
        """Takes the folder, checks the newest segment whole, raises the epoch. Never makes a file.

        Raises JournalMissing, JournalDamaged or JournalBusy (the caller leaves with 65), and JournalFault where the
        disk does not take the first row. No append waits longer than `commit_deadline_s`. `fires(name)` is the fault
        port: asked for `store.disk_full` before a commit and for `store.read_back_fails` at a read-back.
        """
        if not segments(folder):
            raise JournalMissing(folder)
        writing = OneThread("journal-write", PASSED_ON)
        with ExitStack() as undo:
            undo.callback(writing.close)
            writer = await _open(writing, lambda: Writer(folder, wall_ms, fires, retention))
            undo.pop_all()
        return cls(writer, writing, fires, commit_deadline_s)

    @property
    def epoch(self) -> int:
        return self._writer.epoch

    @property
    def commit_ms(self) -> float:
        """How long the first commit of this life took."""
        return self._writer.commit_ms

    async def append(self, *entries: Entry, deadline_s: float = math.inf) -> tuple[int, ...] | Duplicate:
        """`deadline_s`: where it is less than this journal's own."""
        return await self._write(lambda: self._writer.append(entries), min(deadline_s, self._commit_deadline_s))

    async def next_command_id(self, above: int = 0) -> int:
        return await self._write(lambda: self._writer.next_command_id(above), self._commit_deadline_s)

    async def rows(
        self,
        *,
        kinds: Sequence[Kind] = (),
        run: str | None = None,
        key: str | None = None,
        after: int = 0,
        since_ms: int = 0,
        limit: int = 1000,
        newest_first: bool = False,
    ) -> tuple[Row, ...]:
        return await self._read(Query(kinds, run, key, after, since_ms, limit, newest_first))

    async def last(self, kind: Kind, key: str | None = None) -> Row | None:
        found = await self._read(Query((kind,), key=key, limit=1, newest_first=True))
        return found[0] if found else None

    async def read_back(self, seq: int) -> Row:
        if self._fires(READ_BACK_FAILS):
            raise JournalFault(f"row {seq} was written and can't be read back")
        found = await self._read(Query(after=seq - 1, limit=1))
        if not found or found[0].seq != seq:
            raise JournalFault(f"row {seq} was written and is not there")
        return found[0]

    async def roll_if_due(self) -> bool:
        """Begins a new segment when this one has its rows, and deletes those that are old enough. Only while no run,
        prompt or command is open."""
        if not self._writer.due:
            return False
        file = await self._write(self._writer.roll, OPEN_DEADLINE_S)
        await self._on_reader(lambda: self._reader.turn_to(file))
        return True

    async def close(self) -> None:
        """Gives the folder back. A second call does nothing."""
        if self._writing.closed:
            return
        await self._on_reader(self._reader.close)
        await self._write(self._writer.close, self._commit_deadline_s)
        self._reading.close()
        self._writing.close()

    async def _write(self, work: Callable[[], T], deadline_s: float) -> T:
        try:
            return await self._writing.call(work, deadline_s)
        except Late as late:
            raise NotKnown(f"the journal was not written in time: {late}") from late
        except (sqlite3.Error, OSError, ValueError, NoAnswer, JournalRefused) as failed:
            raise JournalFault(f"the journal was not written: {failed}") from failed

    async def _read(self, query: Query) -> tuple[Row, ...]:
        return await self._on_reader(lambda: self._reader.ask(query))

    async def _on_reader(self, work: Callable[[], T]) -> T:
        try:
            return await self._reading.call(work, READ_DEADLINE_S)
        except (sqlite3.Error, OSError, ValueError, NoAnswer) as failed:
            raise JournalFault(f"the journal was not read: {failed}") from failed


async def _open(writing: OneThread, make: Callable[[], Writer]) -> Writer:
    try:
        return await writing.call(make, OPEN_DEADLINE_S)
    except (sqlite3.Error, OSError, NoAnswer) as failed:
        raise JournalFault(f"the journal was not opened: {failed}") from failed
