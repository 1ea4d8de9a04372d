"""Making segments: the first by `create`, the next by `next_segment`. A segment appears whole or not at all:
it is written under a temporary name, synced, and renamed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from edge_agent.adapters.journal import folder as state
from edge_agent.adapters.journal import schema
from edge_agent.adapters.journal.chain import GENESIS
from edge_agent.adapters.journal.segment import Head, Moment, Segment
from edge_agent.run.journal import CARRY, Entry, Kind, Row

HOUR_MS: Final = 3600 * 1000
DAY_MS: Final = 24 * HOUR_MS
FOLDER_MODE: Final = 0o700


@dataclass(frozen=True, slots=True)
class Retention:
    """How long what is kept. A site sets it; the defaults are those of the settings."""

    segment_rows: int = 200_000
    keep_days: int = 90
    carry_h: int = 24
    ballast_bytes: int = 1_048_576


DEFAULT_RETENTION: Final = Retention()


def create(folder: Path, at_ms: int, retention: Retention = DEFAULT_RETENTION) -> bool:
    """`edge-agent init`: the first segment, lock and ballast. False, and nothing touched, where a journal stands."""
    folder.mkdir(parents=True, exist_ok=True, mode=FOLDER_MODE)
    with state.hold(folder):
        if state.segments(folder):
            return False
        first = Entry(Kind.SEGMENT, {"number": 1, "previous": None, "carried": 0})
        _write(folder / state.segment_name(1), Head(0, GENESIS), [first], [Moment(at_ms, 0)])
        state.lay_ballast(folder, retention.ballast_bytes)
    return True


def next_segment(old: Segment, now: Moment, retention: Retention) -> Path:
    """Writes the successor of `old`, beginning with the chain head and what outlives a segment. Closes nothing."""
    number = state.number_of(old.file) + 1
    carried = _carried(old, now.at_ms - retention.carry_h * HOUR_MS)
    body = {"number": number, "previous": old.file.name, "carried": len(carried)}
    entries = [Entry(Kind.SEGMENT, body), *(Entry(r.kind, r.body, r.run, r.key) for r in carried)]
    moments = [now, *(Moment(r.at_ms, r.epoch) for r in carried)]
    file = old.file.with_name(state.segment_name(number))
    _write(file, old.head, entries, moments)
    return file


def prune(folder: Path, before_ms: int) -> tuple[Path, ...]:
    """Deletes, whole, each segment but the newest whose last row is older than `before_ms`."""
    gone = tuple(file for file in state.segments(folder)[:-1] if _newest_ms(file) < before_ms)
    for file in gone:
        file.unlink()
        for end in ("-wal", "-shm"):
            file.with_name(file.name + end).unlink(missing_ok=True)
    if gone:
        state.sync_folder(folder)
    return gone


def _newest_ms(file: Path) -> int:
    with closing(schema.connect(file, "ro")) as connection:
        return int(connection.execute("SELECT max(at_ms) FROM entry").fetchone()[0])


def _carried(old: Segment, since_ms: int) -> list[Row]:
    every: list[Row] = []
    for kind, how in CARRY.items():
        if how == "day":
            every += old.find("kind=? AND at_ms>=?", (str(kind), since_ms), limit=-1)
        elif how == "last":
            every += old.find("kind=?", (str(kind),), order="seq DESC")
        else:
            every += {row.body.get("id"): row for row in old.find("kind=?", (str(kind),), limit=-1)}.values()
    return sorted(every, key=lambda row: row.seq)


def _write(file: Path, head: Head, entries: Sequence[Entry], moments: Sequence[Moment]) -> None:
    unfinished = file.with_suffix(".new")
    for leftover in (unfinished, *(unfinished.with_name(unfinished.name + end) for end in ("-wal", "-shm"))):
        leftover.unlink(missing_ok=True)
    with closing(schema.connect(unfinished, "rwc")) as connection:
        schema.lay_out(connection)
        Segment(unfinished, connection, head).append(entries, moments, lambda: None)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    handle = os.open(unfinished, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    unfinished.rename(file)
    state.sync_folder(file.parent)
