"""An incident goes from the journal into a line, and the line shows the same incident again."""

from __future__ import annotations

import json

import pytest

from edge_agent.cases import labels
from edge_agent.cases.anonymous import anonymous
from edge_agent.cases.files import Placed, read_paths
from edge_agent.cases.from_run import case_of
from edge_agent.cases.incident import NoIncident
from edge_agent.cases.line import CaseLine, parse_line
from edge_agent.cases.live_bench import bench
from edge_agent.cases.runner import Ran, run_lines
from edge_agent.places import Place, packaged

INCIDENTS = [
    "seed-query-flaky",
    "seed-receipt-wrong-id",
    "seed-question",
    "seed-model-down-rule",
    "control-declined-en",
    "query-fault-empty-zh",
    "scenario-06",
    "scenario-07",
    "scenario-14",
    "scenario-15",
    "record-zh",
]


def placed() -> tuple[Placed, ...]:
    return tuple(p for p in read_paths([packaged(Place.CASES)]) if p.id in INCIDENTS)


async def runs_of(lines: tuple[Placed, ...]) -> tuple[Ran, ...]:
    return await run_lines(bench(), lines, jobs=2)


def told(ran: Ran) -> dict[str, object]:
    assert ran.record is not None
    return case_of(ran.record.rows, ran.record.judged.id)


@pytest.mark.net
async def test_the_line_shows_the_incident_again() -> None:
    happened = await runs_of(placed())
    lines = [json.dumps(told(ran), ensure_ascii=False) for ran in happened]
    again = tuple(Placed(str(n), "x", n, parse_line("x", n, line)) for n, line in enumerate(lines))
    for before, after in zip(happened, await runs_of(again), strict=True):
        assert after.verdict.passed, (before.verdict.id, after.verdict.differs, lines)
        if before.verdict.expected in labels.SPECIFIC:
            assert after.verdict.expected == before.verdict.expected
        assert after.verdict.frames == before.verdict.frames


def test_a_run_that_nobody_knows() -> None:
    with pytest.raises(NoIncident):
        case_of((), "01M8P6Y1CVD2TJNV55XBDHJ6GP")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("我是王小明，夹取玻璃瓶", "我是某人，夹取玻璃瓶"),
        ("李师傅说 t014 失败了", "某师傅说 t014 失败了"),
        ("call me at +86 138 0013 8000 or a.b@site.com", "call me at 000000 or someone@example.org"),
        ("My name is Alice, home the arm", "My name is somebody, home the arm"),
        ("工号: A-1183 回零", "工号0 回零"),
        ("wang asks for bin 2, not wangs", "user asks for bin 2, not wangs"),
        ("夹取 glass 放到 2 号箱", "夹取 glass 放到 2 号箱"),
        ("task t014 at 10:05", "task t014 at 10:05"),
    ],
)
def test_people_are_put_out_of_sight(text: str, left: str) -> None:
    assert anonymous(text, ["wang"]) == left


def test_a_report_is_left_out_whole() -> None:
    assert anonymous("提交反馈 t001 老张打碎了瓶子", (), "老张打碎了瓶子") == "提交反馈 t001 有一处破损"


def test_a_line_has_what_a_file_needs() -> None:
    line = parse_line("x", 1, json.dumps({"text": "a", "case": "FROM_RUN", "expected": "EXPLAIN", "why": "x"}))
    assert isinstance(line, CaseLine)
