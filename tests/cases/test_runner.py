"""Many lines over a few cells, the figures that come of them, and the command's exit status."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from edge_agent.cases.command import Wish, run_command
from edge_agent.cases.files import Placed, read_paths
from edge_agent.cases.report.baseline import compare
from edge_agent.cases.report.page import MAX_BYTES, render
from edge_agent.cases.report.result import Result, load, result_of
from edge_agent.cases.runner import run_lines
from edge_agent.cases.score import by_category, confusion, total
from edge_agent.cases.verdict import At, Differs, Verdict
from tests.cases.fake_cell import FakeCell, bench, events

GOOD = {"kind": "explanation", "next_steps": [{"n": 1}], "text": "x"}
EXPLAIN = {"text": "x", "case": "C", "expected": "EXPLAIN"}


def write(folder: Path, *lines: dict[str, Any], name: str = "a.jsonl") -> Path:
    file = folder / name
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def command(wish: Wish, *cells: FakeCell) -> tuple[int, str]:
    told = StringIO()
    status = run_command(wish, bench(*cells), Console(file=told, width=160))
    return status, told.getvalue()


def explaining(*kinds: str) -> FakeCell:
    return FakeCell([events({**GOOD, "kind": kind}) for kind in kinds])


async def test_verdicts_keep_the_order_of_the_lines(tmp_path: Path) -> None:
    lines = read_paths([write(tmp_path, *({**EXPLAIN, "id": f"l{n}"} for n in range(7)))])
    heard: list[str] = []
    ran = await run_lines(
        bench(*(explaining("explanation") for _ in range(3))),
        lines,
        jobs=3,
        on_done=lambda r: heard.append(r.verdict.id),
    )
    assert [r.verdict.id for r in ran] == [p.id for p in lines]
    assert sorted(heard) == [p.id for p in lines]


async def test_sentences_need_no_cell(tmp_path: Path) -> None:
    file = write(tmp_path, {"text": "move it", "would_move": False}, {"text": "x", "disposition": "EXPLAIN"})
    ran = await run_lines(bench(), read_paths([file]))
    assert [(r.verdict.kind, r.verdict.passed, r.verdict.misfired) for r in ran] == [
        ("sentence", False, 1),
        ("sentence", True, 0),
    ]


@pytest.mark.parametrize(
    ("kinds", "status", "holds"),
    [
        (["explanation"], 0, "1 of 1 as expected, mis-actuation 0"),
        (["answer"], 1, "expected EXPLAIN, observed"),
    ],
)
def test_the_exit_status(tmp_path: Path, kinds: list[str], status: int, holds: str) -> None:
    found, told = command(Wish((write(tmp_path, EXPLAIN),)), explaining(*kinds))
    assert found == status
    assert holds in told


@pytest.mark.parametrize(
    ("wish", "named"),
    [
        ({"without": ("retries",)}, "no such mechanism"),
        ({"jobs": 0}, "a number from 1"),
        ({"baseline": Path("none.json")}, "cannot be read"),
        ({"paths": (Path("nowhere.jsonl"),)}, "nowhere.jsonl:0: file"),
    ],
)
def test_bad_input_is_named_and_runs_nothing(tmp_path: Path, wish: dict[str, Any], named: str) -> None:
    fields: dict[str, Any] = {"paths": (write(tmp_path, EXPLAIN),), **wish}
    status, told = command(Wish(**fields))
    assert status == 2
    assert named in told.replace("\n", "")


def test_an_unknown_field_is_refused_by_name(tmp_path: Path) -> None:
    status, told = command(Wish((write(tmp_path, {**EXPLAIN, "expectd": 1}),)))
    assert status == 2
    assert "a.jsonl:1: expectd: unknown field" in told.replace("\n", "")


def test_before_and_after(tmp_path: Path) -> None:
    first = write(tmp_path, {**EXPLAIN, "id": "a"}, {**EXPLAIN, "id": "b"}, {**EXPLAIN, "id": "old"})
    before, html = tmp_path / "before.json", tmp_path / "r.html"
    command(Wish((first,), json=before, jobs=1), explaining("answer", "explanation"))
    second = write(tmp_path, {**EXPLAIN, "id": "a"}, {**EXPLAIN, "id": "b"}, {**EXPLAIN, "id": "new"}, name="b.jsonl")
    cell = explaining("explanation", "answer", "explanation")
    status, told = command(Wish((second,), baseline=before, html=html, jobs=1), cell)
    assert status == 1
    assert "better 1, worse 1, new 1, gone 1" in told
    page = html.read_text(encoding="utf-8")
    assert all(f"{name}: 1" in page for name in ("better", "worse", "new", "gone"))


def test_the_swapped_check_speaks_up(tmp_path: Path) -> None:
    status, told = command(Wish((write(tmp_path, EXPLAIN),), swapped=True), explaining("explanation"))
    assert status == 0
    assert "swapped check: 1 records, 0 too weak" in told


def verdict(id_: str, *, passed: bool = True, misfired: int = 0, case: str = "C", moments: int = 0) -> Verdict:
    return Verdict(
        id=id_,
        file="f.jsonl",
        line=1,
        kind="pipeline",
        case=case,
        text="让机械臂 <b>回零</b>",
        expected="EXPLAIN",
        observed="EXPLAIN" if passed else "ANSWER",
        passed=passed,
        differs=() if passed else (Differs(name="content.kind", expected="explanation", seen="<answer>"),),
        misfired=misfired,
        took_ms=10,
        timeline=tuple(At(at_ms=n, lane="told", what="status QUERYING") for n in range(moments)),
    )


def result(*verdicts: Verdict) -> Result:
    return result_of(verdicts, began_at=datetime(2026, 3, 1, tzinfo=UTC), took_s=1.0, without=["retry"])


def test_the_figures() -> None:
    found = [verdict("a"), verdict("b", passed=False, misfired=2, case="D"), verdict("c")]
    assert total(found).coverage == pytest.approx(2 / 3)
    assert total(found).misfired == 2
    assert [(s.name, s.lines, s.as_expected) for s in by_category(found)] == [("C", 2, 2), ("D", 1, 0)]
    assert confusion(found) == {("EXPLAIN", "ANSWER"): 1, ("EXPLAIN", "EXPLAIN"): 2}
    assert total([]).coverage == 1.0


def test_less_motion_where_none_may_be_weighs_more_than_anything() -> None:
    before = result(verdict("a", misfired=1), verdict("b", passed=False))
    after = result(verdict("a", passed=False), verdict("b", misfired=1))
    found = compare(before, after)
    assert ([c.id for c in found.better], [c.id for c in found.worse]) == (["a"], ["b"])


def test_a_result_comes_back_as_it_was_written(tmp_path: Path) -> None:
    kept = result(verdict("a", moments=3), verdict("b", passed=False))
    file = tmp_path / "r.json"
    file.write_text(kept.model_dump_json(), encoding="utf-8")
    assert load(file) == kept


def test_the_page_stands_alone_and_escapes_what_it_shows() -> None:
    page = render(result(verdict("a", moments=3), verdict("b", passed=False, misfired=1)))
    assert "<b>回零" not in page
    assert "&lt;answer&gt;" in page
    assert "http" not in page.replace("http-equiv", "")
    assert "<svg" in page
    assert "Switched off: retry" in page


@pytest.mark.parametrize(("lines", "moments", "dropped"), [(1000, 8, False), (1000, 40, True)])
def test_a_thousand_lines_stay_below_the_bound(lines: int, moments: int, dropped: bool) -> None:
    page = render(result(*(verdict(f"case-{n}", moments=moments) for n in range(lines))))
    assert len(page.encode()) <= MAX_BYTES
    assert ("timelines were left out" in page) is dropped


def test_a_placed_line_knows_where_it_stands(tmp_path: Path) -> None:
    [placed] = read_paths([write(tmp_path, EXPLAIN)])
    assert isinstance(placed, Placed)
    assert placed.file.endswith("a.jsonl")
