"""Words for a window, and what a question leaves open."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from edge_agent.diagnose.target import Target
from edge_agent.diagnose.window_words import window_of

NOW = datetime(2026, 3, 4, 15, 0, tzinfo=UTC)
NOW_MS = round(NOW.timestamp() * 1000)
BERLIN_S = 3600


def at(day: int, hour: int, minute: int = 0) -> int:
    """Local time of the cell (UTC + 1 h)."""
    return round(datetime(2026, 3, day, hour, minute, tzinfo=UTC).timestamp() * 1000) - BERLIN_S * 1000


WINDOWS = [
    ("昨天", (at(3, 0), at(4, 0))),
    ("yesterday", (at(3, 0), at(4, 0))),
    ("前天", (at(2, 0), at(3, 0))),
    ("今天", (at(4, 0), NOW_MS)),
    ("昨天上午", (at(3, 5), at(3, 12))),
    ("yesterday afternoon", (at(3, 12), at(3, 18))),
    ("昨晚", (at(3, 17), at(4, 0))),
    ("last night", (at(3, 20), at(4, 6))),
    ("this morning", (at(4, 5), at(4, 12))),
    ("刚才", (NOW_MS - 30 * 60_000, NOW_MS)),
    ("just now", (NOW_MS - 30 * 60_000, NOW_MS)),
    ("最近2小时", (NOW_MS - 2 * 3_600_000, NOW_MS)),
    ("过去两个小时", (NOW_MS - 2 * 3_600_000, NOW_MS)),
    ("最近半个小时", (NOW_MS - 1_800_000, NOW_MS)),
    ("in the last 3 hours", (NOW_MS - 3 * 3_600_000, NOW_MS)),
    ("the past week", (NOW_MS - 7 * 86_400_000, NOW_MS)),
    ("10 minutes ago", (NOW_MS - 630_000, NOW_MS - 570_000)),
    ("10:00到10:10", (at(4, 10), at(4, 10, 10))),
    ("昨天 10点至11点", (at(3, 10), at(3, 11))),
    ("10:10 to 10:00", None),
    ("somewhen", None),
    ("", None),
]


@pytest.mark.parametrize(("words", "expected"), WINDOWS)
def test_windows(words: str, expected: tuple[int, int] | None) -> None:
    assert window_of(words, NOW_MS, BERLIN_S) == expected


MISSING = [
    (Target("?", task_id="t014"), None),
    (Target("?", task_id="t014", since_ms=1), None),
    (Target("?", device="arm_01"), "window"),
    (Target("?", item_type="glass", until_ms=1), None),
    (Target("?", since_ms=1), "target"),
    (Target("?"), "target_or_window"),
]


@pytest.mark.parametrize(("target", "missing"), MISSING)
def test_what_a_question_leaves_open(target: Target, missing: str | None) -> None:
    assert target.missing == missing
