"""One table, and how its file is opened. Facts: sqlite.org/wal.html, pragma.html, stricttables.html.

`synchronous=FULL` in WAL mode syncs at every commit: a commit that was answered outlives a power cut; `NORMAL` loses
it. Pragmas are read back, because SQLite takes a pragma that it can't follow without a word.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal
from urllib.parse import quote

APPLICATION_ID: Final = 0x45414A31
"""`EAJ1`: tells the file from any other SQLite database."""
USER_VERSION: Final = 1

SCHEMA: Final = """
CREATE TABLE entry(
  seq   INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  kind  TEXT NOT NULL,
  run   TEXT,
  key   TEXT,
  body  TEXT NOT NULL,
  prev  TEXT NOT NULL,
  hash  TEXT NOT NULL,
  UNIQUE(kind, key)
) STRICT;
CREATE INDEX entry_of_run ON entry(run, seq);
CREATE INDEX entry_of_kind ON entry(kind, seq);
CREATE TRIGGER entry_never_changes BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER entry_never_goes BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
"""

COLUMNS: Final = "seq, at_ms, epoch, kind, run, key, body, prev, hash"

OF_THE_FILE: Final[Mapping[str, str | int]] = {
    "application_id": APPLICATION_ID,
    "user_version": USER_VERSION,
    "journal_mode": "wal",
}
OF_THE_WRITER: Final[Mapping[str, str | int]] = {"journal_mode": "wal", "synchronous": 2}
TRIGGERS: Final = frozenset({"entry_never_changes", "entry_never_goes"})


def connect(file: Path, mode: Literal["rwc", "rw", "ro"]) -> sqlite3.Connection:
    """Transactions are explicit. A file that is not there is created in mode `rwc` alone."""
    uri = f"file:{quote(str(file))}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA trusted_schema=OFF")
    if mode != "ro":
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
    return connection


def lay_out(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={USER_VERSION}")
    connection.executescript(SCHEMA)


def wrong_pragma(connection: sqlite3.Connection, expected: Mapping[str, str | int]) -> str | None:
    for pragma, wanted in expected.items():
        found = connection.execute(f"PRAGMA {pragma}").fetchone()[0]
        if found != wanted:
            return f"{pragma}: expected {wanted}, found {found}"
    return None


def wrong_file(connection: sqlite3.Connection) -> str | None:
    """The first mark, trigger or page that is not as it must be; asked on a read-only connection, so that a file
    that is not ours stays as it is."""
    wrong = wrong_pragma(connection, OF_THE_FILE)
    if wrong is not None:
        return wrong
    triggers = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type='trigger'")}
    if triggers != TRIGGERS:
        return "the triggers that keep it append-only are not there"
    pages = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    return None if pages == "ok" else str(pages)
