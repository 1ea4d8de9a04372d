"""Reading: the running agent's reader of the current segment, and the reader of all segments for `explain`.

Read-only connections: a long question never waits in the way of a commit, and a commit never in the way of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from edge_agent.adapters.journal import folder as state
from edge_agent.adapters.journal import schema
from edge_agent.adapters.journal.errors import JournalDamaged, JournalMissing
from edge_agent.adapters.journal.opening import chain_break
from edge_agent.adapters.journal.query import MAX_ROWS, Query, ask
from edge_agent.run.journal import Kind, Row


class Reader:
    """Blocking. Opens its file at the first question, because a connection belongs to the thread that asks."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._connection: sqlite3.Connection | None = None

    def ask(self, query: Query) -> tuple[Row, ...]:
        if self._connection is None:
            self._connection = schema.connect(self._file, "ro")
        return ask(self._connection, query)

    def turn_to(self, file: Path) -> None:
        """Questions from now on go to another segment."""
        self.close()
        self._file = file

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def all_rows(folder: Path, query: Query) -> Iterator[Row]:
    """Rows of every segment that is still there, oldest first; the agent may run or be gone. What a segment took
    over from its predecessor comes once. Raises JournalMissing or JournalDamaged."""
    files = state.segments(folder)
    if not files:
        raise JournalMissing(folder)
    before = 0
    for file in files:
        try:
            with closing(schema.connect(file, "ro")) as connection:
                skip = _taken_over(connection) if before else 0
                yield from _pages(connection, replace(query, after=max(query.after, skip)))
                (before,) = connection.execute("SELECT max(seq) FROM entry").fetchone()
        except (sqlite3.Error, ValueError) as unreadable:
            raise JournalDamaged(file, str(unreadable)) from unreadable


def broken_segment(folder: Path) -> tuple[Path, str] | None:
    """The oldest segment whose chain does not hold, and what is wrong; None when all do."""
    for file in state.segments(folder):
        with closing(schema.connect(file, "ro")) as connection:
            wrong = chain_break(connection)
        if wrong is not None:
            return file, wrong
    return None


def _taken_over(connection: sqlite3.Connection) -> int:
    (first,) = ask(connection, Query(kinds=(Kind.SEGMENT,), limit=1))
    return first.seq + int(first.body["carried"])


def _pages(connection: sqlite3.Connection, query: Query) -> Iterator[Row]:
    page = ask(connection, replace(query, limit=MAX_ROWS))
    while page:
        yield from page
        page = ask(connection, replace(query, limit=MAX_ROWS, after=page[-1].seq))
