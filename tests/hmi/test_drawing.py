"""Where the picture puts things: the hand where it was read, everything inside the frame."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from math import dist

import pytest

from edge_agent.cell_file import load_cell
from edge_agent.hmi.charts import Bar, Stack, bars, spread, stacks
from edge_agent.hmi.drawing import LINK, hand, joints, plan
from edge_agent.hmi.figures import GROUPS, grouped, shares, stacked, took_ms
from edge_agent.messages.codes import FallbackType, ReleaseOutcome
from edge_agent.messages.wire import Scalar


@pytest.mark.parametrize("x_mm", [-200.0, 0.0, 120.5, 300.0])
@pytest.mark.parametrize("y_mm", [-350.0, 0.0, 10.0, 330.0])
def test_the_hand_is_drawn_where_it_was_read(x_mm: float, y_mm: float) -> None:
    assert dist(hand(joints(x_mm, y_mm)), (-y_mm, -x_mm)) < 1.0


def test_a_place_out_of_reach_is_pointed_at() -> None:
    x, y = hand(joints(4000.0, 0.0))
    assert abs(x) < 40
    assert -2 * LINK <= y < -2 * LINK + 5


@pytest.mark.parametrize("known", [True, False], ids=["bins where the file says", "bins in two columns"])
def test_everything_is_inside_the_frame_and_apart(known: bool) -> None:
    spec = load_cell()
    if not known:
        spec = replace(spec, bins=tuple(replace(b, shown_at=None) for b in spec.bins))
    drawn = plan(spec)
    left, top, width, height = drawn.box
    spots = (*drawn.bins, *drawn.stations, *drawn.items)
    assert len(drawn.bins) == len(spec.bins)
    assert all(left < s.x < left + width and top < s.y < top + height for s in spots)
    places = [(b.x, b.y) for b in drawn.bins]
    assert all(dist(a, b) >= 84 for n, a in enumerate(places) for b in places[:n])


def test_every_outcome_belongs_to_one_group() -> None:
    names = [name for group in GROUPS.values() for name in group]
    plain = {o.value for o in ReleaseOutcome} - {"FALLBACK"}
    assert sorted(names) == sorted({*plain, *(f.value for f in FallbackType)})
    assert grouped({"SUCCESS": 3, "CLARIFICATION": 2, "unheard of": 1}) == {
        "success": 3,
        "fallback": 0,
        "asked": 2,
        "refused": 0,
        "failed": 1,
    }


def test_parts_are_stacked_where_their_time_is() -> None:
    now = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
    end_ms = int(now.timestamp() * 1000)
    hour = 3_600_000
    rows: list[dict[str, Scalar]] = [
        {"at_ms": end_ms - 24 * hour, "step_ms": hour, "bin": "1", "items": 2},
        {"at_ms": end_ms - hour, "step_ms": hour, "bin": "3", "items": 5},
        {"at_ms": end_ms - hour, "step_ms": hour, "bin": "no bin of this cell", "items": 9},
    ]
    columns = stacked(rows, ("1", "2", "3"), 86_400, now)
    assert len(columns) == 24
    assert columns[0].layers == (2, 0, 0)
    assert columns[-1].layers == (0, 0, 5)
    assert sum(sum(c.layers) for c in columns) == 7


def test_use_is_told_as_a_share_of_its_limit() -> None:
    counts = {"most_model_calls": 6, "limit_model_calls": 24, "most_run_bytes": 5, "limit_run_bytes": 0}
    assert [(name, share) for name, share, _ in shares(counts)] == [
        ("model_calls", 0.25),
        ("tool_calls", 0.0),
        ("total_tokens", 0.0),
        ("run_bytes", 0.0),
    ]


def test_the_oldest_run_stands_first() -> None:
    assert took_ms([{"ms": 3}, {"ms": 2}, {"ms": "?"}]) == (0.0, 2.0, 3.0)


@pytest.mark.parametrize(
    "chart",
    [
        bars([Bar("<b>&\"'", 0.5, "<1>")], "<label>"),
        stacks([Stack("<i>", (1, 2))], "<label>"),
        spread([1.0, 50_000.0], [("<p50>", 10.0)], "<label>"),
    ],
)
def test_words_in_a_chart_are_words(chart: str) -> None:
    assert "<b>" not in chart
    assert "<label>" not in chart
    assert "<i>" not in chart
    assert "<p50>" not in chart
    assert "nan" not in chart


@pytest.mark.parametrize("empty", [bars([], ""), stacks([], ""), spread([], [], "")])
def test_nothing_is_drawn_of_nothing(empty: str) -> None:
    assert empty.startswith("<svg")
