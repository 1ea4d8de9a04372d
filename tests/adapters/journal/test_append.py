"""Rows are only added, whole commits at a time, once a key, in a chain that shows every change."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from edge_agent.adapters.journal.chain import GENESIS
from edge_agent.adapters.journal.folder import segments
from edge_agent.adapters.journal.reading import broken_segment
from edge_agent.adapters.journal.segment import MAX_BODY_BYTES
from edge_agent.adapters.journal.store import SqliteJournal
from edge_agent.run.journal import Duplicate, Entry, JournalFault, Kind


def request(key: str | None = "r1", **body: Any) -> Entry:
    return Entry(Kind.REQUEST, body or {"text": "查一下 glass"}, run=key, key=key)


async def test_rows_come_back_as_written(journal: SqliteJournal) -> None:
    seqs = await journal.append(request(), Entry(Kind.READING, {"n": 1.5, "none": None}, run="r1"))
    assert isinstance(seqs, tuple)
    rows = await journal.rows(run="r1")
    assert [(r.seq, r.kind, r.body) for r in rows] == [
        (seqs[0], Kind.REQUEST, {"text": "查一下 glass"}),
        (seqs[1], Kind.READING, {"n": 1.5, "none": None}),
    ]
    assert rows[1].prev == rows[0].hash
    assert {r.epoch for r in rows} == {journal.epoch} == {1}


async def test_a_taken_key_writes_nothing_and_names_the_first_row(journal: SqliteJournal) -> None:
    first = await journal.append(request())
    again = await journal.append(Entry(Kind.READING, {}), request(text="another"))
    assert isinstance(again, Duplicate)
    assert isinstance(first, tuple)
    assert (again.row.seq, again.row.body) == (first[0], {"text": "查一下 glass"})
    assert await journal.rows(kinds=[Kind.READING]) == ()
    assert isinstance(await journal.append(Entry(Kind.TERMINAL, {}, key="r1")), tuple)


async def test_no_key_means_no_claim_to_be_the_only_one(journal: SqliteJournal) -> None:
    await journal.append(request(None), request(None))
    assert len(await journal.rows(kinds=[Kind.REQUEST])) == 2


async def test_one_commit_with_the_same_key_twice_is_a_fault(journal: SqliteJournal) -> None:
    with pytest.raises(JournalFault, match="same kind and key"):
        await journal.append(request(), request())
    assert await journal.rows(run="r1") == ()


UNWRITABLE = [{"x": float("nan")}, {"x": float("inf")}, {"x": object()}, {"x": "a" * MAX_BODY_BYTES}]


@pytest.mark.parametrize("body", UNWRITABLE, ids=["nan", "inf", "object", "too large"])
async def test_what_json_can_not_hold_is_a_fault_of_that_row_alone(journal: SqliteJournal, body: Any) -> None:
    with pytest.raises(JournalFault):
        await journal.append(Entry(Kind.RECORD, body))
    assert isinstance(await journal.append(request()), tuple)


async def test_any_text_comes_back(journal: SqliteJournal) -> None:
    odd = {"x": "停\x00\ud800\u202e"}
    await journal.append(Entry(Kind.RECORD, odd))
    row = await journal.last(Kind.RECORD)
    assert row is not None
    assert row.body == odd


async def test_questions(journal: SqliteJournal, wall: Any) -> None:
    for n in range(4):
        wall.ms += 1000
        await journal.append(Entry(Kind.EVENT, {"n": n}, run=f"r{n % 2}"))
    since = wall.ms - 1000
    asked: list[tuple[dict[str, Any], list[int]]] = [
        ({"run": "r0"}, [0, 2]),
        ({"limit": 1}, [0]),
        ({"newest_first": True, "limit": 2}, [3, 2]),
        ({"since_ms": since}, [2, 3]),
        ({"run": "nobody"}, []),
    ]
    for how, expected in asked:
        assert [r.body["n"] for r in await journal.rows(kinds=[Kind.EVENT], **how)] == expected
    after = (await journal.rows(kinds=[Kind.EVENT]))[1].seq
    assert [r.body["n"] for r in await journal.rows(kinds=[Kind.EVENT], after=after)] == [2, 3]
    assert await journal.last(Kind.ALARM) is None


async def test_command_ids_rise_and_are_written_before_they_are_given(journal: SqliteJournal) -> None:
    assert [await journal.next_command_id(), await journal.next_command_id(above=40)] == [1, 41]
    assert await journal.next_command_id(above=7) == 42
    assert [r.body["command_id"] for r in await journal.rows(kinds=[Kind.COMMAND_ID])] == [1, 41, 42]
    with pytest.raises(JournalFault, match="used up"):
        await journal.next_command_id(above=2**32 - 1)


async def test_read_back_is_of_the_very_row(journal: SqliteJournal, faults: Any) -> None:
    seqs = await journal.append(request())
    assert isinstance(seqs, tuple)
    assert (await journal.read_back(seqs[0])).key == "r1"
    with pytest.raises(JournalFault, match="not there"):
        await journal.read_back(seqs[0] + 1)
    faults.counts["store.read_back_fails"] = 1
    with pytest.raises(JournalFault, match="can't be read back"):
        await journal.read_back(seqs[0])


@pytest.mark.parametrize("sql", ["UPDATE entry SET body='{}'", "DELETE FROM entry"])
async def test_the_file_itself_refuses_to_change_a_row(journal: SqliteJournal, folder: Path, sql: str) -> None:
    await journal.append(request())
    with closing(sqlite3.connect(segments(folder)[0])) as other, pytest.raises(sqlite3.IntegrityError, match="append"):
        other.execute(sql)


async def test_the_chain_begins_at_genesis_and_holds(journal: SqliteJournal, folder: Path) -> None:
    await journal.append(request())
    rows = await journal.rows()
    assert rows[0].prev == GENESIS
    assert broken_segment(folder) is None


async def test_h30_many_commits_while_a_reader_stands_open(journal: SqliteJournal, folder: Path) -> None:
    with closing(sqlite3.connect(segments(folder)[0], isolation_level=None)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM entry").fetchone() == (2,)
        for n in range(1000):
            assert isinstance(await journal.append(Entry(Kind.EVENT, {"n": n})), tuple)
    assert len(await journal.rows(kinds=[Kind.EVENT], limit=2000)) == 1000


async def test_parallel_callers_get_one_chain(journal: SqliteJournal, folder: Path) -> None:
    got = await asyncio.gather(*(journal.append(Entry(Kind.EVENT, {"n": n})) for n in range(50)))
    assert len({seqs[0] for seqs in got if isinstance(seqs, tuple)}) == 50
    assert broken_segment(folder) is None
