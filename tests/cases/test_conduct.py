"""What one line sends, in which order, and what its record then holds."""

from __future__ import annotations

from typing import Any

import pytest

from edge_agent.cases.cell import CLIENT, Observed
from edge_agent.cases.conduct import INVENTED_PROMPT, conduct
from edge_agent.cases.record import CaseRecord
from edge_agent.run.journal import Kind
from edge_agent.safety.cell import CellState
from tests.cases.fake_cell import PROMPT, FakeCell, events, hands
from tests.cases.records import line, row

DOWN = {"ok": False, "error": {"code": "TIMEOUT", "message": "m"}}
MOVED = events({"kind": "motion"})


async def told(cell: FakeCell, **fields: Any) -> CaseRecord:
    return await conduct(cell, line(**fields), hands())


def kinds(cell: FakeCell) -> list[str]:
    return [message["type"] for _, message, _ in cell.sent]


async def test_a_bare_line_is_one_attached_ask() -> None:
    cell = FakeCell([events({"kind": "answer"})])
    record = await told(cell, role="viewer", lang="zh")
    [(role, message, retained)] = cell.sent
    assert (role, message["type"], message["attached"], message["epoch"], retained) == (
        "viewer",
        "ask",
        CLIENT,
        7,
        False,
    )
    assert message["lang"] == "zh"
    assert [r.kind for r in record.runs] == ["answer"]


@pytest.mark.parametrize(
    ("fields", "sent"),
    [
        ({}, ["ask"]),
        ({"tool_result": DOWN}, ["ask", "confirm"]),
        ({"faults": ["receipt_missing"]}, ["ask", "confirm"]),
        ({"faults": ["wire.cut"]}, ["ask", "confirm"]),
        ({"faults": ["query.timeout"]}, ["ask"]),
        ({"faults": ["receipt_missing"], "replies": []}, ["ask"]),
        ({"replies": [{"confirm": False}]}, ["ask", "confirm"]),
        ({"replies": [None]}, ["ask"]),
        ({"replies": ["1", "glass"]}, ["ask", "reply", "reply"]),
        ({"turns": ["a", {"text": "b", "replies": ["1"]}]}, ["ask", "ask", "reply", "ask"]),
    ],
)
async def test_who_confirms_and_who_does_not(fields: dict[str, Any], sent: list[str]) -> None:
    cell = FakeCell([events(PROMPT)])
    await told(cell, **fields)
    assert kinds(cell) == sent


async def test_a_reply_quotes_the_prompt_it_answers() -> None:
    cell = FakeCell([events(PROMPT), MOVED])
    await told(cell, replies=[{"confirm": True}])
    message = cell.sent[1][1]
    assert (message["prompt_id"], message["digest"], message["confirm"]) == ("prompt-1", "d" * 64, True)


async def test_a_reply_without_a_prompt_invents_one() -> None:
    cell = FakeCell([events({"kind": "explanation"})])
    await told(cell, replies=[{"confirm": True}])
    assert cell.sent[1][1]["prompt_id"] == INVENTED_PROMPT


@pytest.mark.parametrize(
    ("fault", "replies", "flags"),
    [
        ("retained_command", [], [True]),
        ("retained_command", [{"confirm": True}], [False, True]),
        ("duplicate_message", [], [False, False]),
        ("duplicate_message", [{"confirm": True}], [False, False, False]),
    ],
)
async def test_the_last_message_is_the_disturbed_one(fault: str, replies: list[Any], flags: list[bool]) -> None:
    cell = FakeCell([events(PROMPT)])
    await told(cell, faults=[fault], replies=replies)
    assert [retained for *_, retained in cell.sent] == flags
    if fault == "duplicate_message":
        assert cell.sent[-1][1] == cell.sent[-2][1]
    assert cell.setups[0].faults == ()


async def test_a_stale_message_was_issued_long_ago() -> None:
    cell = FakeCell([events(PROMPT)])
    await told(cell, faults=["stale_message"], replies=[{"confirm": True}])
    assert [m["issued_at"] for _, m, _ in cell.sent] == ["2026-03-01T08:00:00.000Z", "2026-03-01T07:59:00.000Z"]


async def test_a_lockout_is_probed_outside_the_record() -> None:
    cell = FakeCell([MOVED], seen=Observed(1, 1, CellState.LOCKED_OUT, ()))
    record = await told(cell)
    assert len(record.runs) == 1
    assert record.probe is not None
    assert cell.sent[1][1]["text"] == "动作=回零 设备=arm_01"


async def test_a_record_is_sent_again_outside_the_record() -> None:
    stored = Observed(0, 0, CellState.READY, (row(1, Kind.FEEDBACK, {}),))
    cell = FakeCell([events({"kind": "record"})], seen=stored)
    record = await told(cell)
    assert (len(record.runs), record.feedback_rows_after_again) == (1, 1)
    assert cell.sent[1][1] == cell.sent[0][1]


async def test_turns_are_before_the_record_and_are_scripted_each() -> None:
    cell = FakeCell([events({"kind": "answer"})])
    record = await told(cell, turns=["a", {"text": "b", "tool_result": DOWN}])
    assert (len(record.turns), len(record.runs)) == (2, 1)
    assert [len(s.own_results) for s in cell.scripts] == [0, 1, 0]


@pytest.mark.parametrize("trouble", [TimeoutError("no done"), LookupError("no such fault"), OSError("gone")])
async def test_a_cell_that_breaks_fails_its_line_alone(trouble: Exception) -> None:
    record = await told(FakeCell([trouble]))
    assert record.trouble is not None
    assert str(trouble) in record.trouble
