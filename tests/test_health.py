"""What the machine under the agent raises, and what it does not: a short absence, another's alarm, a wanted state."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from edge_agent import health as room
from edge_agent.health import Condition, Health, Violations, clock_unsynced, model_away, storage_low
from edge_agent.messages.acceptance import Channel
from edge_agent.messages.alarm import AlarmType
from edge_agent.messages.rejection import Rejection, RejectionName
from edge_agent.understand.scores import ModelCause, NoUsableModel


@dataclass
class Looked:
    now_s: float = 0.0
    amiss: str | None = None
    told: list[tuple[AlarmType, bool, str]] = field(default_factory=list)
    health: Health = field(init=False)

    def __post_init__(self) -> None:
        condition = Condition("model.unavailable", "model", 30.0, lambda: self.amiss)
        self.health = Health((condition,), self.set_alarm, lambda: self.now_s)

    async def set_alarm(self, kind: AlarmType, active: bool, _source: str, detail: str) -> None:
        self.told.append((kind, active, detail))

    async def at(self, now_s: float, amiss: str | None) -> None:
        self.now_s, self.amiss = now_s, amiss
        await self.health.look()


async def test_what_is_back_before_its_hold_time_raises_nothing() -> None:
    looked = Looked()
    for now_s, amiss in ((0, "down"), (2, None), (3, "down"), (31, "down"), (32, None)):
        await looked.at(now_s, amiss)
    assert looked.told == []


async def test_what_stays_is_raised_once_and_taken_back_once() -> None:
    looked = Looked()
    for now_s, amiss in ((0, "down"), (29, "down"), (30, "down"), (33, "down"), (40, None), (43, None)):
        await looked.at(now_s, amiss)
    assert looked.told == [("model.unavailable", True, "down"), ("model.unavailable", False, "")]


@pytest.mark.parametrize(
    ("cause", "seen"),
    [
        (None, None),
        (ModelCause.DOWN, "down"),
        (ModelCause.BREAKER_OPEN, "breaker_open"),
        (ModelCause.NONE, None),
        (ModelCause.NOT_QUALIFIED, None),
    ],
)
def test_a_model_that_went_away_is_amiss(cause: ModelCause | None, seen: str | None) -> None:
    assert model_away(lambda: None if cause is None else NoUsableModel(cause))() == seen


@pytest.mark.parametrize(("commit_ms", "seen"), [(3.0, None), (250.0, "250 ms")])
def test_a_slow_disk_is_amiss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commit_ms: float, seen: str) -> None:
    monkeypatch.setattr(room, "LOW_FREE_BYTES", 0)
    assert storage_low(tmp_path, lambda: commit_ms)() == seen


def test_a_full_disk_is_amiss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = os.statvfs(tmp_path)
    monkeypatch.setattr(room, "LOW_FREE_BYTES", free.f_bavail * free.f_frsize * 2 + 1)
    assert (storage_low(tmp_path, lambda: 0.0)() or "").endswith("MiB")


def test_a_folder_that_is_gone_is_amiss(tmp_path: Path) -> None:
    assert storage_low(tmp_path / "gone", lambda: 0.0)() == "No such file or directory"


@pytest.mark.parametrize(("names", "seen"), [([], None), (["."], ""), ([".", "synchronized"], None)])
def test_a_clock_that_was_never_set_is_amiss(tmp_path: Path, names: list[str], seen: str | None) -> None:
    folder = tmp_path / "timesync"
    for name in names:
        folder.mkdir() if name == "." else (folder / name).touch()
    assert clock_unsynced(folder)() == seen


@pytest.mark.parametrize(
    ("channel", "name", "counts"),
    [
        ("mqtt", RejectionName.IDENTITY, True),
        ("mqtt", RejectionName.FORBIDDEN, True),
        ("mqtt", RejectionName.EXPIRED, False),
        ("console", RejectionName.FORBIDDEN, False),
    ],
)
def test_a_right_that_is_not_theirs_is_amiss_for_a_while(channel: Channel, name: RejectionName, counts: bool) -> None:
    now_s = [100.0]
    violations = Violations(lambda: now_s[0])
    violations.note(channel, "op1", Rejection(name, "k", True, "student may not lab"))
    assert violations.seen() == ("op1: student may not lab" if counts else None)
    now_s[0] += room.VIOLATION_SHOWN_S
    assert violations.seen() is None
