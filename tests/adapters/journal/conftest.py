"""A journal in a folder of its own, a wall clock that only moves when told, and a fault port with named faults."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from edge_agent.adapters.journal.making import create
from edge_agent.adapters.journal.store import SqliteJournal


class Wall:
    ms = 1_700_000_000_000

    def __call__(self) -> int:
        return self.ms


class Faults:
    """`counts[name]` times the fault fires."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}

    def __call__(self, name: str) -> bool:
        left = self.counts.get(name, 0)
        self.counts[name] = max(0, left - 1)
        return left > 0


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def faults() -> Faults:
    return Faults()


@pytest.fixture
def folder(tmp_path: Path, wall: Wall) -> Path:
    where = tmp_path / "state"
    assert create(where, wall.ms)
    return where


@pytest.fixture
async def journal(folder: Path, wall: Wall, faults: Callable[[str], bool]) -> AsyncIterator[SqliteJournal]:
    opened = await SqliteJournal.open(folder, wall_ms=wall, fires=faults)
    yield opened
    await opened.close()
