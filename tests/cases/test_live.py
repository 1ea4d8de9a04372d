"""The first lines on the live cell: as expected, told apart, and each mechanism missed when it is gone."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape
from pathlib import Path

import pytest

from edge_agent.cases.files import Placed, read_paths
from edge_agent.cases.live_bench import bench
from edge_agent.cases.mechanisms import Mechanism
from edge_agent.cases.report.page import render
from edge_agent.cases.report.result import result_of
from edge_agent.cases.runner import Ran, run_lines
from edge_agent.cases.score import total
from edge_agent.cases.swapped import too_weak
from edge_agent.cases.switched_off import HERE
from edge_agent.places import Place, packaged

pytestmark = pytest.mark.net

LINES = packaged(Place.CASES)
NOW = datetime(2026, 3, 1, tzinfo=UTC)
NOTICED_BY = {
    Mechanism.RETRY: "seed-query-flaky",
    Mechanism.CLARIFY: "seed-ambiguous",
    Mechanism.RECEIPT: "seed-receipt-wrong-id",
    Mechanism.OFFLINE: "seed-model-down-rule",
    Mechanism.MOOD: "seed-question",
    Mechanism.GROUNDING: "seed-slot-missing",
    Mechanism.CONFIRMATION: "seed-home-declined",
    Mechanism.GUARDS: "scenario-07",
}


def lines(*files: str) -> tuple[Placed, ...]:
    return read_paths([Path(LINES, file) for file in files])


async def run(placed: tuple[Placed, ...], without: frozenset[Mechanism] = frozenset()) -> tuple[Ran, ...]:
    return await run_lines(bench(), placed, jobs=2, without=without)


async def test_the_first_lines_are_as_expected_and_tell_themselves_apart() -> None:
    ran = await run(lines("seed.jsonl"))
    failed = [(r.verdict.id, r.verdict.differs) for r in ran if not r.verdict.passed]
    assert failed == []
    assert total(r.verdict for r in ran).misfired == 0
    assert too_weak([(r.verdict.id, r.record) for r in ran if r.record is not None]) == ()


@pytest.mark.parametrize("mechanism", Mechanism)
async def test_a_mechanism_that_is_gone_is_missed_and_the_report_says_what_differs(mechanism: Mechanism) -> None:
    placed = tuple(p for p in lines("seed.jsonl", "scenarios.jsonl") if p.id == NOTICED_BY[mechanism])
    [ran] = await run(placed, frozenset({mechanism}))
    assert not ran.verdict.passed
    assert ran.verdict.differs
    page = render(result_of([ran.verdict], began_at=NOW, took_s=1.0, without=[mechanism.value]))
    assert f"Switched off: {mechanism.value}" in page
    for difference in ran.verdict.differs:
        assert escape(difference.name) in page
        assert escape(difference.seen) in page


def test_the_mechanisms_are_those_that_can_be_named() -> None:
    told = ["retry", "clarify", "receipt", "offline", "mood", "grounding", "confirmation", "guards"]
    assert [mechanism.value for mechanism in Mechanism] == told
    assert set(NOTICED_BY) == HERE == set(Mechanism)


async def test_motion_without_a_confirmation_is_counted_on_the_wire() -> None:
    placed = tuple(p for p in lines("seed.jsonl") if p.id == "seed-home-declined")
    [ran] = await run(placed, frozenset({Mechanism.CONFIRMATION}))
    assert ran.verdict.misfired == 1
