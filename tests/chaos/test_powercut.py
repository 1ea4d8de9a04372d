"""Power cuts at every kind of moment: what was acknowledged is there, and the journal opens."""

from __future__ import annotations

import asyncio
import pickle
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from edge_agent.adapters.journal.errors import JournalRefused
from edge_agent.adapters.journal.query import MAX_ROWS, Query
from edge_agent.adapters.journal.reading import all_rows, broken_segment
from edge_agent.adapters.journal.store import SqliteJournal
from edge_agent.run.journal import Row
from tests.chaos.amount import amount
from tests.chaos.figures import note
from tests.chaos.power_cut import Cut, cuts
from tests.chaos.record_writes import COMMIT_S, RETENTION
from tests.chaos.trace import Step

pytestmark = [pytest.mark.net, pytest.mark.timeout(amount(300, 3_600))]

IMAGES = amount(250, 4_000)
COMMANDS = amount(220, 600)
"""Enough for checkpoints and for a new segment."""
IMAGES_OF_A_BROKEN_ONE = 25
SEED = 7


@dataclass(slots=True)
class Seen:
    images: int = 0
    lost: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    intents_lost: int = 0


async def _reopened(cut: Cut, folder: Path, seen: Seen) -> None:
    """As the next start would: then every acknowledged row is asked for."""
    seen.images += 1
    try:
        journal = await SqliteJournal.open(folder, wall_ms=lambda: 1, retention=RETENTION, commit_deadline_s=COMMIT_S)
        await journal.close()
    except JournalRefused as refused:
        seen.refused.append(f"{cut.after} {cut.share} {cut.torn}: {refused.en}")
        return
    rows = {row.seq: row for row in _all(folder)}
    for acked in cut.acked:
        row = rows.get(acked.seq)
        if row is None or (str(row.kind), row.key) != (acked.kind, acked.key):
            seen.lost.append(f"after step {cut.after}, {cut.share}, torn {cut.torn}: row {acked.seq} {acked.kind}")
            seen.intents_lost += acked.kind == "command"
    broken = broken_segment(folder)
    if broken is not None:
        seen.lost.append(f"after step {cut.after}: {broken}")


def _all(folder: Path) -> list[Row]:
    found: list[Row] = []
    after = 0
    while page := list(all_rows(folder, Query(after=after, limit=MAX_ROWS))):
        found.extend(page)
        after = page[-1].seq
    return found


def _record(tmp_path: Path, variant: str, commands: int) -> tuple[int, list[Step]]:
    file = tmp_path / f"{variant}.pickle"
    subprocess.run(
        [sys.executable, "-m", "tests.chaos.record_writes", str(file), str(commands), variant], check=True, timeout=600
    )
    _, made, steps = pickle.loads(file.read_bytes())
    return made, steps


async def _look(tmp_path: Path, variant: str, commands: int, images: int) -> Seen:
    made, steps = await asyncio.to_thread(_record, tmp_path, variant, commands)
    seen = Seen()
    into = tmp_path / "images"
    into.mkdir()
    for cut, folder in cuts(steps, made, images, SEED, into):
        await _reopened(cut, folder, seen)
        shutil.rmtree(folder)
    return seen


async def test_powercut_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    seen = await _look(tmp_path, "sound", COMMANDS, IMAGES)
    note(
        "power-cut images / acknowledged rows lost / of these intents",
        f"{seen.images} / {len(seen.lost)} / {seen.intents_lost}",
    )
    note("power-cut images that do not open", len(seen.refused))
    assert not seen.lost, seen.lost[:5]
    assert not seen.refused, seen.refused[:5]


async def test_powercut_catches_a_journal_that_syncs_too_rarely(tmp_path: Path) -> None:
    seen = await _look(tmp_path, "synchronous_normal", COMMANDS, IMAGES_OF_A_BROKEN_ONE)
    note("the same with synchronous=NORMAL", f"{seen.images} / {len(seen.lost)}")
    assert seen.intents_lost > 0
