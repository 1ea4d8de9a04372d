"""A disk that is full, fails or hangs: a fault in time, nothing claimed, and the loop goes on."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from edge_agent.adapters.journal.errors import JournalDamaged, JournalMissing
from edge_agent.adapters.journal.folder import BALLAST, segments
from edge_agent.adapters.journal.query import Query
from edge_agent.adapters.journal.reading import all_rows, broken_segment
from edge_agent.adapters.journal.segment import Segment
from edge_agent.adapters.journal.store import SqliteJournal
from edge_agent.adapters.journal.writing import is_disk_full
from edge_agent.adapters.one_thread import OneThread
from edge_agent.run.journal import Entry, JournalFault, Kind

EVENT = Entry(Kind.EVENT, {"n": 1})


async def test_a_full_disk_is_written_down_in_the_ballasts_room(
    journal: SqliteJournal, faults: Any, folder: Path
) -> None:
    faults.counts["store.disk_full"] = 1
    with pytest.raises(JournalFault, match="disk is full"):
        await journal.append(EVENT)
    assert not (folder / BALLAST).exists()
    assert await journal.rows(kinds=[Kind.EVENT]) == ()
    fault = await journal.last(Kind.JOURNAL_FAULT)
    assert fault is not None
    assert isinstance(await journal.append(EVENT), tuple)
    assert broken_segment(folder) is None


async def test_sqlites_own_full_is_known(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "small.db")
    connection.execute("PRAGMA max_page_count=2")
    with pytest.raises(sqlite3.OperationalError) as full:
        connection.executescript("CREATE TABLE a(x); CREATE TABLE b(x);")
    connection.close()
    assert is_disk_full(full.value)
    assert not is_disk_full(sqlite3.OperationalError("disk I/O error"))


async def test_an_io_error_is_never_tried_again(journal: SqliteJournal, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(Segment, "append", broken)
    with pytest.raises(JournalFault, match="I/O error"):
        await journal.append(EVENT)
    monkeypatch.undo()
    with pytest.raises(JournalFault, match="until a restart"):
        await journal.append(EVENT)
    assert await journal.last(Kind.EPOCH) is not None


async def test_a_full_disk_without_room_for_its_own_row(
    journal: SqliteJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Segment, "append", full)
    with pytest.raises(JournalFault, match="full"):
        await journal.append(EVENT)
    monkeypatch.undo()
    with pytest.raises(JournalFault, match="until a restart"):
        await journal.append(EVENT)


async def test_a_commit_that_hangs_is_a_fault_and_the_loop_goes_on(folder: Path, wall: Any) -> None:
    gate = threading.Event()
    hanging = False

    def fires(name: str) -> bool:
        if hanging and name == "store.disk_full":
            gate.wait(30)
        return False

    journal = await SqliteJournal.open(folder, wall_ms=wall, fires=fires)
    hanging = True
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0.001)
            beats += 1

    heart = asyncio.create_task(beat())
    with pytest.raises(JournalFault, match="did not answer"):
        await journal.append(EVENT, deadline_s=0.05)
    assert beats > 0
    with pytest.raises(JournalFault, match="owes an earlier answer"):
        await journal.append(EVENT)
    hanging = False
    gate.set()
    for _ in range(500):
        await asyncio.sleep(0.001)
        if await journal.rows(kinds=[Kind.EVENT]):
            break
    assert isinstance(await journal.append(EVENT), tuple)
    heart.cancel()
    await journal.close()


async def test_a_site_with_a_slow_disk_may_wait_longer(
    folder: Path, wall: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = await SqliteJournal.open(folder, wall_ms=wall, commit_deadline_s=3.0)
    call, waited = OneThread.call, list[float]()

    async def waits(self: OneThread, work: Any, deadline_s: float) -> Any:
        waited.append(deadline_s)
        return await call(self, work, deadline_s)

    monkeypatch.setattr(OneThread, "call", waits)
    await journal.append(EVENT)
    await journal.append(EVENT, deadline_s=2.0)
    await journal.append(EVENT, deadline_s=9.0)
    await journal.next_command_id()
    assert waited == [3.0, 2.0, 3.0, 3.0]
    await journal.close()


async def test_a_row_of_an_unknown_kind_is_a_fault_not_a_crash(journal: SqliteJournal, folder: Path) -> None:
    await journal.append(EVENT)
    renamed = "INSERT INTO entry SELECT 99, at_ms, epoch, 'of_tomorrow', run, key, body, prev, hash FROM entry LIMIT 1"
    with closing(sqlite3.connect(segments(folder)[0], isolation_level=None)) as other:
        other.execute(renamed)
    with pytest.raises(JournalFault, match="of_tomorrow"):
        await journal.rows()
    with pytest.raises(JournalDamaged, match="of_tomorrow"):
        list(all_rows(folder, Query()))


async def test_a_closed_journal_takes_nothing(journal: SqliteJournal) -> None:
    await journal.close()
    with pytest.raises(JournalFault, match="closed"):
        await journal.append(EVENT)
    await journal.close()


def test_no_journal_no_rows(tmp_path: Path) -> None:
    with pytest.raises(JournalMissing):
        list(all_rows(tmp_path, Query()))


def test_a_broken_chain_is_named(folder: Path) -> None:
    with closing(sqlite3.connect(segments(folder)[0], isolation_level=None)) as other:
        other.execute("INSERT INTO entry VALUES (7, 1, 1, 'event', NULL, NULL, '{}', 'x', 'y')")
    assert broken_segment(folder) == (segments(folder)[0], "row 7 does not follow row 1")
