"""One journal file, seen from the one thread that writes it. Blocking; every call is a whole transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from edge_agent.adapters.journal import schema
from edge_agent.adapters.journal.chain import Fields, row_hash
from edge_agent.run.journal import Duplicate, Entry, JournalFault, Kind, Row

MAX_BODY_BYTES: Final = 1_200_000
"""A canonical record's cap (1 MiB) and its envelope."""

_AS_SPOKEN: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")).encode
_IN_ASCII: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode

Stored = tuple[int, int, int, str, str | None, str | None, str, str, str]


@dataclass(slots=True)
class Head:
    """Where the chain stands."""

    seq: int
    hash: str


@dataclass(frozen=True, slots=True)
class Moment:
    """When and in which life of the agent a row is written."""

    at_ms: int
    epoch: int


def row_of(stored: Stored) -> Row:
    seq, at_ms, epoch, kind, run, key, body, prev, found = stored
    return Row(seq, at_ms, epoch, Kind(kind), run, key, json.loads(body), prev, found)


def body_text(entry: Entry) -> str:
    """Compact JSON with sorted keys. Raises JournalFault for what JSON or UTF-8 can't hold, or too large a body."""
    try:
        text = _AS_SPOKEN(entry.body)
    except (TypeError, ValueError) as wrong:
        raise JournalFault(f"a row of kind {entry.kind} can't be written: {wrong}") from wrong
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        text = _IN_ASCII(entry.body)
    if len(text.encode()) > MAX_BODY_BYTES:
        raise JournalFault(f"a row of kind {entry.kind} is over {MAX_BODY_BYTES} bytes")
    return text


class Segment:
    """The open file and the head of its chain."""

    def __init__(self, file: Path, connection: sqlite3.Connection, head: Head) -> None:
        self.file, self.connection, self.head = file, connection, head

    def append(
        self, entries: Sequence[Entry], moments: Sequence[Moment], before_commit: Callable[[], None]
    ) -> tuple[int, ...] | Duplicate:
        """All or nothing. `before_commit` stands where a disk fails. Raises sqlite3.Error with nothing written."""
        rows, head = self._chained(entries, moments)
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            self.connection.executemany(f"INSERT INTO entry({schema.COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?)", rows)
            before_commit()
            self.connection.execute("COMMIT")
        except sqlite3.IntegrityError:
            self._roll_back()
            return self._taken(entries)
        except sqlite3.Error:
            self._roll_back()
            raise
        self.head = head
        return tuple(row[0] for row in rows)

    def _chained(self, entries: Sequence[Entry], moments: Sequence[Moment]) -> tuple[list[Stored], Head]:
        rows, head = [], self.head
        for entry, moment in zip(entries, moments, strict=True):
            plain: Fields = (
                head.seq + 1,
                moment.at_ms,
                moment.epoch,
                str(entry.kind),
                entry.run,
                entry.key,
                body_text(entry),
                head.hash,
            )
            head = Head(plain[0], row_hash(plain))
            rows.append((*plain, head.hash))
        return rows, head

    def _roll_back(self) -> None:
        if self.connection.in_transaction:  # a full disk may have rolled it back already
            self.connection.execute("ROLLBACK")

    def _taken(self, entries: Sequence[Entry]) -> Duplicate:
        for entry in entries:
            found = self.find("kind=? AND key=?", (str(entry.kind), entry.key))
            if found:
                return Duplicate(found[0])
        raise JournalFault("two entries of one commit have the same kind and key")

    def find(self, where: str, values: tuple[Any, ...], order: str = "seq", limit: int = 1) -> list[Row]:
        sql = f"SELECT {schema.COLUMNS} FROM entry WHERE {where} ORDER BY {order} LIMIT ?"
        return [row_of(stored) for stored in self.connection.execute(sql, (*values, limit))]
