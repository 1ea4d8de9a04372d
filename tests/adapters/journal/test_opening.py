"""A journal that is not there, or not whole, or not ours, is said so by name, and the file is left as it is."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from edge_agent.adapters.journal.errors import JournalBusy, JournalDamaged, JournalMissing, JournalRefused
from edge_agent.adapters.journal.folder import BALLAST, segments
from edge_agent.adapters.journal.making import create
from edge_agent.adapters.journal.query import Query
from edge_agent.adapters.journal.reading import all_rows, broken_segment
from edge_agent.adapters.journal.store import SqliteJournal
from edge_agent.run.journal import Entry, Kind


async def filled(folder: Path, wall: Any) -> None:
    journal = await SqliteJournal.open(folder, wall_ms=wall)
    for n in range(20):
        await journal.append(Entry(Kind.EVENT, {"n": n}, run="r"))
    await journal.next_command_id(above=99)
    await journal.close()


async def test_open_never_creates(tmp_path: Path, wall: Any) -> None:
    with pytest.raises(JournalMissing, match="edge-agent init"):
        await SqliteJournal.open(tmp_path, wall_ms=wall)
    assert segments(tmp_path) == []


def test_init_twice_touches_nothing(folder: Path, wall: Any) -> None:
    before = segments(folder)[0].read_bytes()
    assert not create(folder, wall.ms)
    assert segments(folder)[0].read_bytes() == before
    assert (folder / BALLAST).stat().st_blocks > 0


async def test_epoch_and_command_id_outlive_the_process(folder: Path, wall: Any) -> None:
    await filled(folder, wall)
    journal = await SqliteJournal.open(folder, wall_ms=wall)
    assert journal.epoch == 2
    assert await journal.next_command_id() == 101
    assert journal.commit_ms > 0
    await journal.close()


async def test_one_process_a_folder(journal: SqliteJournal, folder: Path, wall: Any) -> None:
    with pytest.raises(JournalBusy, match="another edge-agent"):
        await SqliteJournal.open(folder, wall_ms=wall)
    assert journal.epoch == 1


def without_triggers(file: Path, sql: str) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        definitions = [d for (d,) in other.execute("SELECT sql FROM sqlite_master WHERE type='trigger'")]
        other.execute("DROP TRIGGER entry_never_changes")
        other.execute("DROP TRIGGER entry_never_goes")
        other.execute(sql)
        for definition in definitions:
            other.execute(definition)


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a row changed": (
        lambda f: without_triggers(f, "UPDATE entry SET body='{\"n\":7}' WHERE seq=9"),
        "row 9 was changed",
    ),
    "a row gone": (lambda f: without_triggers(f, "DELETE FROM entry WHERE seq=9"), "row 10 does not follow row 8"),
    "every row gone": (lambda f: without_triggers(f, "DELETE FROM entry"), "no row"),
    "cut in half": (lambda f: os.truncate(f, f.stat().st_size // 2), ""),
    "not a database": (lambda f: f.write_bytes(b"hello, world" * 1000), "not a database"),
    "empty": (lambda f: f.write_bytes(b""), "application_id"),
    "another program's": (
        lambda f: sqlite3.connect(f).execute("PRAGMA user_version=7").connection.close(),
        "user_version",
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
async def test_damage_is_found_and_the_file_kept(name: str, folder: Path, wall: Any) -> None:
    await filled(folder, wall)
    file = segments(folder)[0]
    harm, what = DAMAGE[name]
    harm(file)
    before = file.read_bytes()
    with pytest.raises(JournalDamaged) as refused:
        await SqliteJournal.open(folder, wall_ms=wall)
    assert what in refused.value.what
    assert str(file) in refused.value.zh
    assert file.read_bytes() == before
    with pytest.raises(JournalRefused):
        await SqliteJournal.open(folder, wall_ms=wall)


async def test_triggers_gone_is_damage(folder: Path, wall: Any) -> None:
    with closing(sqlite3.connect(segments(folder)[0], isolation_level=None)) as other:
        other.execute("DROP TRIGGER entry_never_goes")
    with pytest.raises(JournalDamaged, match="append-only"):
        await SqliteJournal.open(folder, wall_ms=wall)


CRASHING = """
import asyncio, os, signal, sys
from pathlib import Path
from edge_agent.adapters.journal.store import SqliteJournal
from edge_agent.run.journal import Entry, Kind

async def main():
    journal = await SqliteJournal.open(Path(sys.argv[1]), wall_ms=lambda: 1)
    for n in range(30):
        await journal.append(Entry(Kind.EVENT, {"n": n}, run="r"))
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


def run_until_killed(folder: Path) -> int:
    return subprocess.run([sys.executable, "-c", CRASHING, str(folder)], check=False, timeout=60).returncode


async def test_after_a_kill_every_answered_row_is_there(folder: Path, wall: Any, tmp_path: Path) -> None:
    assert run_until_killed(folder) == -signal.SIGKILL
    offline = tmp_path / "copy"
    shutil.copytree(folder, offline)
    assert [r.body["n"] for r in all_rows(offline, Query(run="r"))] == list(range(30))
    assert broken_segment(offline) is None
    journal = await SqliteJournal.open(folder, wall_ms=wall)
    assert len(await journal.rows(run="r")) == 30
    await journal.close()
