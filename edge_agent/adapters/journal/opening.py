"""Opening a segment that stands: every pragma, trigger, page and hash is asked before a row is added."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from edge_agent.adapters.journal import schema
from edge_agent.adapters.journal.chain import first_break
from edge_agent.adapters.journal.errors import JournalDamaged
from edge_agent.adapters.journal.segment import Head, Segment


def open_segment(file: Path) -> Segment:
    """Ready to be written. Raises JournalDamaged with the first thing that is wrong; the file is left as it is."""
    try:
        with closing(schema.connect(file, "ro")) as looking:
            wrong = schema.wrong_file(looking) or chain_break(looking)
        if wrong is not None:
            raise JournalDamaged(file, wrong)
        return _writable(file)
    except sqlite3.Error as unreadable:
        raise JournalDamaged(file, str(unreadable)) from unreadable


def _writable(file: Path) -> Segment:
    connection = schema.connect(file, "rw")
    wrong = schema.wrong_pragma(connection, schema.OF_THE_WRITER)
    if wrong is not None:
        connection.close()
        raise JournalDamaged(file, wrong)
    last = connection.execute("SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
    return Segment(file, connection, Head(*last))


def chain_break(connection: sqlite3.Connection) -> str | None:
    """What is wrong with the file's chain; None for a whole one. Reads every row."""
    return first_break(connection.execute(f"SELECT {schema.COLUMNS} FROM entry ORDER BY seq"))
