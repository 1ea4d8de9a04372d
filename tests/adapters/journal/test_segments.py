"""A new segment goes on with the chain, the ids and what is still true; old ones go whole."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from edge_agent.adapters.journal.folder import segments
from edge_agent.adapters.journal.making import DAY_MS, Retention
from edge_agent.adapters.journal.query import Query
from edge_agent.adapters.journal.reading import all_rows, broken_segment
from edge_agent.adapters.journal.store import SqliteJournal
from edge_agent.run.journal import Duplicate, Entry, Kind


async def roll(journal: SqliteJournal) -> None:
    assert await journal.roll_if_due()


async def test_not_before_it_has_its_rows(folder: Path, wall: Any) -> None:
    journal = await SqliteJournal.open(folder, wall_ms=wall, retention=Retention(segment_rows=3))
    assert not await journal.roll_if_due()
    await journal.append(Entry(Kind.EVENT, {}), Entry(Kind.EVENT, {}))
    assert await journal.roll_if_due()
    assert not await journal.roll_if_due()
    await journal.close()


async def test_what_was_carried_over_does_not_make_the_next_one_due(folder: Path, wall: Any) -> None:
    """A busy day: more rows outlive the segment than a segment has."""
    retention = Retention(segment_rows=5)
    journal = await SqliteJournal.open(folder, wall_ms=wall, retention=retention)
    for number in range(9):
        await journal.append(Entry(Kind.REQUEST, {}, run=f"r{number}", key=f"r{number}"))
    await roll(journal)
    assert not await journal.roll_if_due()
    await journal.close()
    again = await SqliteJournal.open(folder, wall_ms=wall, retention=retention)
    assert not await again.roll_if_due()
    await again.close()


@pytest.fixture
async def journal(folder: Path, wall: Any) -> AsyncIterator[SqliteJournal]:
    """A new segment is due at every quiet moment."""
    opened = await SqliteJournal.open(folder, wall_ms=wall, retention=Retention(segment_rows=0))
    yield opened
    await opened.close()


async def test_no_life_has_the_epoch_of_another_though_the_last_row_is_an_older_ones(folder: Path, wall: Any) -> None:
    retention = Retention(segment_rows=0)
    first = await SqliteJournal.open(folder, wall_ms=wall, retention=retention)
    await first.append(Entry(Kind.REQUEST, {}, run="r0", key="r0"))
    await first.close()
    second = await SqliteJournal.open(folder, wall_ms=wall, retention=retention)
    await roll(second)
    await second.close()
    third = await SqliteJournal.open(folder, wall_ms=wall, retention=retention)
    assert (first.epoch, second.epoch, third.epoch) == (1, 2, 3)
    await third.close()


async def test_what_outlives_a_segment(journal: SqliteJournal, folder: Path, wall: Any) -> None:
    await journal.append(Entry(Kind.REQUEST, {"old": True}, run="r0", key="r0"))
    wall.ms += DAY_MS + 1
    await journal.next_command_id(above=9)
    for n in range(2):
        await journal.append(Entry(Kind.LOCKOUT, {"n": n}))
        await journal.append(Entry(Kind.ALARM, {"id": "arm.link_lost", "n": n}), Entry(Kind.ALARM, {"id": "b", "n": n}))
    await journal.append(Entry(Kind.REQUEST, {"old": False}, run="r1", key="r1"))
    await journal.append(Entry(Kind.EVENT, {"n": 1}, run="r1"))
    head = (await journal.rows(newest_first=True, limit=1))[0]
    await roll(journal)
    rows = await journal.rows()
    assert (rows[0].kind, rows[0].prev, rows[0].seq) == (Kind.SEGMENT, head.hash, head.seq + 1)
    assert [(r.kind, r.body.get("n"), r.key) for r in rows[1:]] == [
        (Kind.COMMAND_ID, None, "10"),
        (Kind.LOCKOUT, 1, None),
        (Kind.ALARM, 1, None),
        (Kind.ALARM, 1, None),
        (Kind.REQUEST, None, "r1"),
    ]
    assert rows[0].body == {"number": 2, "previous": "journal-000001.db", "carried": 5}
    assert broken_segment(folder) is None


async def test_ids_go_on_and_duplicates_are_known(journal: SqliteJournal, folder: Path, wall: Any) -> None:
    await journal.append(Entry(Kind.REQUEST, {}, run="r1", key="r1"))
    await journal.next_command_id(above=9)
    await roll(journal)
    assert isinstance(await journal.append(Entry(Kind.REQUEST, {}, run="r1", key="r1")), Duplicate)
    assert await journal.next_command_id() == 11
    await journal.close()
    again = await SqliteJournal.open(folder, wall_ms=wall)
    assert again.epoch == 2
    assert await again.next_command_id() == 12
    await again.close()


async def test_old_segments_go_whole(journal: SqliteJournal, folder: Path, wall: Any) -> None:
    await roll(journal)
    wall.ms += 89 * DAY_MS
    await journal.append(Entry(Kind.EVENT, {}))
    await roll(journal)
    assert len(segments(folder)) == 3
    wall.ms += 2 * DAY_MS
    await roll(journal)
    assert [f.name for f in segments(folder)] == ["journal-000002.db", "journal-000003.db", "journal-000004.db"]


async def test_all_segments_read_as_one(journal: SqliteJournal, folder: Path) -> None:
    for n in range(3):
        await journal.append(Entry(Kind.COMMAND, {"n": n}, run="r", key=f"c{n}"))
        await roll(journal)
    assert [r.body["n"] for r in all_rows(folder, Query(run="r"))] == [0, 1, 2]
    seqs = [r.seq for r in all_rows(folder, Query())]
    assert seqs == sorted(set(seqs))


async def test_a_half_made_segment_is_no_segment(journal: SqliteJournal, folder: Path) -> None:
    await journal.append(Entry(Kind.EVENT, {"n": 1}))
    (folder / "journal-000002.new").write_bytes(b"torn")
    await roll(journal)
    assert [f.name for f in segments(folder)] == ["journal-000001.db", "journal-000002.db"]
    assert (await journal.rows())[0].kind is Kind.SEGMENT
