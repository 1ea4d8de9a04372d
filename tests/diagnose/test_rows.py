"""What becomes of whatever can happen in a diagnosis: three tables, row by row in the words they were agreed in.

Inside the loop, at its edge, and what is released. Each row is brought about for real, and its end is read off.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from edge_agent.diagnose.controlled import Stopped, controlled
from edge_agent.diagnose.diagnosis import DiagnosisEnd
from edge_agent.diagnose.errors import CollectionStopped, ExecutionFailed
from edge_agent.diagnose.thinker import Text
from edge_agent.release.policy import Basis, Ending, Release, diagnosis_release
from edge_agent.run.budget import BudgetExceeded, BudgetKind, BudgetLimits
from edge_agent.run.collection import StopReason
from edge_agent.run.journal import JournalFault, Kind
from edge_agent.run.lifecycle import RunAborted, RunState
from edge_agent.tools import boundary as door
from edge_agent.tools.intercept import Scripted
from edge_agent.tools.projection import project
from edge_agent.tools.tool import Found
from tests.diagnose.room import NO_TARGET, Room, choose, draft
from tests.diagnose.test_scenarios import BAD_REQUEST, EMPTY, GOOD, NO_FACTS, REQUEST_1, SUPPORTED, request
from tests.tools.desk import Desk

Script = Sequence[Mapping[str, object]]
TOO_LARGE = [Scripted(Found({"pages": ["x" * 1_100_000]}, 1))]
FROM_R2 = draft("no_part", ("0601", ["r2"]))
NULL = draft(None)


@dataclass(frozen=True)
class Row:
    """`happens` gives what came of it, in a few words; `becomes` is what must have come."""

    words: str
    happens: Callable[[], Awaitable[str]]
    becomes: str


@dataclass(frozen=True)
class Way:
    """A room, and how it is left: what was observed, then the end or what was raised."""

    script: Script
    room: Mapping[str, Any] = field(default_factory=dict)
    after_call: Callable[[Room, int], None] = lambda _room, _calls: None

    def made(self) -> Room:
        room = Room(script=self.script, **self.room)
        room.after_call = lambda calls: self.after_call(room, calls)
        return room

    async def inside(self) -> str:
        room = self.made()
        left = await _left(room)
        seen = [str(o.code or o.gain) + (" STOP_REQUIRED" if o.stop_required else "") for o in room.looks]
        return " | ".join([*seen, left])

    async def released(self) -> str:
        room = self.made()
        try:
            end = await room.end()
        except RunAborted as aborted:
            end = room.diagnosis.ended(_BROKEN_OFF[aborted.state])
        except JournalFault:
            end = room.diagnosis.ended(Ending.STORE_FAILED)
        except ExecutionFailed:
            end = room.diagnosis.ended(Ending.EXECUTION_FAILED)
        return _shown(diagnosis_release(end.ending, end.basis, context_missing=end.missing is not None), end)


_BROKEN_OFF = {
    RunState.TIMED_OUT: Ending.DEADLINE,
    RunState.CANCELLED: Ending.OPERATOR_CANCELLED,
    RunState.FAILED: Ending.STORE_FAILED,
}


async def _left(room: Room) -> str:
    try:
        end = await room.end()
    except RunAborted as aborted:
        return f"raised {aborted.state}"
    return end.ending if end.stop_reason is None else f"{end.ending} {end.stop_reason}"


def _shown(given: Release, end: DiagnosisEnd | None = None) -> str:
    stop = "" if end is None or end.stop_reason is None else f" {end.stop_reason}"
    return f"{given.run_state} {given.outcome} {given.fallback or given.failure or '-'}{stop}"


def cancelled(room: Room, calls: int) -> None:
    if calls == 2:
        room.run.cancel("operator_cancel")


def overdue(room: Room, calls: int) -> None:
    if calls == 2:
        room.desk.now_s = 99.0


def overdue_at_once(room: Room, _calls: int) -> None:
    room.desk.now_s = 99.0


def store_breaks(room: Room, _calls: int) -> None:
    room.journal.broken.add("read_back")


def limited(**limits: int) -> dict[str, Any]:
    return {"limits": BudgetLimits(**limits)}


AGAIN = [*choose("task_status"), *choose(*["task_status"] * 3)]

INSIDE = [
    Row(
        "model call, budget: the exception leaves the loop",
        Way(choose("task_status", "arm_status"), limited(model_calls=1)).inside,
        "GAINED | STOPPED_BY_BUDGET BUDGET_LIMIT_REACHED",
    ),
    Row(
        "model call, abort: the exception leaves the loop",
        Way([*choose("task_status"), GOOD, SUPPORTED], after_call=cancelled).inside,
        "GAINED | raised CANCELLED",
    ),
    Row(
        "tool failed: error observation, another tool may be tried",
        Way([*choose("task_status", "command_history"), FROM_R2, SUPPORTED], {"results": NO_FACTS}).inside,
        "TIMEOUT | GAINED | CONCLUSION",
    ),
    Row(
        "result too large: error observation, another tool may be tried",
        Way(
            [*choose("knowledge_search", "task_status"), FROM_R2, SUPPORTED],
            {"results": {"knowledge_search": TOO_LARGE}},
        ).inside,
        "RESULT_TOO_LARGE | GAINED | CONCLUSION",
    ),
    Row(
        "budget hit inside the boundary: error observation, progress marked, the next model call hits the hard gate",
        Way([*choose("task_status", "arm_status"), GOOD], limited(tool_calls=1)).inside,
        "GAINED | BUDGET_EXHAUSTED | STOPPED_BY_BUDGET BUDGET_LIMIT_REACHED",
    ),
    Row(
        "protocol violated below the limit: repairable error observation",
        Way([REQUEST_1, BAD_REQUEST, request("arm_status", ("r1", "GAINED"), device="arm_01"), GOOD, SUPPORTED]).inside,
        "GAINED | INPUT_INVALID | GAINED | CONCLUSION",
    ),
    Row(
        "duplicate scope: observation, the tool is not run",
        Way([*choose("task_status", "task_status"), GOOD, SUPPORTED]).inside,
        "GAINED | DUPLICATE_SCOPE | CONCLUSION",
    ),
    Row(
        "tool asked for after STOP_REQUIRED was delivered: the loop is left",
        Way([*AGAIN, *choose("arm_status")]).inside,
        "GAINED | DUPLICATE_SCOPE | DUPLICATE_SCOPE | DUPLICATE_SCOPE STOP_REQUIRED | STOPPED INFORMATION_SATURATED",
    ),
]


def edge(raised: Exception | None, ended: RunState | None = None) -> Callable[[], Awaitable[str]]:
    """Something comes out of the loop (in the cause chain of something else) in a run that `ended` so."""

    async def happens() -> str:
        run = Desk().run
        if ended is not None:
            run.end(ended, "x")

        async def loop() -> Text:
            if raised is None:
                return Text("a draft")
            raise RuntimeError("wrapped") from raised

        try:
            left = await controlled(run, loop)
        except RunAborted as aborted:
            return f"raised {aborted.state}"
        except (JournalFault, ExecutionFailed) as out:
            return f"raised {type(out).__name__}"
        return f"stopped {left.reason}" if isinstance(left, Stopped) else "completed"

    return happens


AT_THE_EDGE = [
    Row(
        "CollectionStopped: stopped(stop_reason)",
        edge(CollectionStopped(StopReason.PROGRESS_PROTOCOL_VIOLATED)),
        "stopped PROGRESS_PROTOCOL_VIOLATED",
    ),
    Row(
        "BudgetExceeded: stopped(BUDGET_LIMIT_REACHED)",
        edge(BudgetExceeded(BudgetKind.MODEL_CALLS, 1, 2)),
        "stopped BUDGET_LIMIT_REACHED",
    ),
    Row(
        "RunAborted with BUDGET_EXHAUSTED: stopped(BUDGET_LIMIT_REACHED)",
        edge(RunAborted(RunState.BUDGET_EXHAUSTED), RunState.BUDGET_EXHAUSTED),
        "stopped BUDGET_LIMIT_REACHED",
    ),
    Row("RunAborted with CANCELLED: raised again", edge(RunAborted(RunState.CANCELLED)), "raised CANCELLED"),
    Row("RunAborted with TIMED_OUT: raised again", edge(RunAborted(RunState.TIMED_OUT)), "raised TIMED_OUT"),
    Row("anything else: ExecutionFailed", edge(LookupError("a bug")), "raised ExecutionFailed"),
    Row("a legal draft: completed", edge(None), "completed"),
    Row(
        "an illegal one, facts: outside, released from the progress snapshot",
        Way([*choose("task_status"), {"raw": "{not json"}]).inside,
        "GAINED | INVALID_DRAFT",
    ),
    Row(
        "an illegal one, no facts: failed",
        Way([*choose("task_status"), {"raw": "{not json"}], {"results": NO_FACTS}).released,
        "FAILED FAILED INTERNAL_FAILURE",
    ),
]

BAD = draft("no_part", ("code 0601", ["r9"]))
NOWHERE: Mapping[str, Any] = {"target": NO_TARGET, "results": EMPTY}
LOOKED = choose("alarm_history")
GONE: Mapping[str, object] = {"fail": "crash"}

RELEASED = [
    Row(
        "conclusion, both guards pass",
        Way([*choose("task_status"), GOOD, SUPPORTED]).released,
        "SUCCESS SUCCESS -",
    ),
    Row(
        "conclusion, evidence guard fails after its repair",
        Way([*choose("task_status"), BAD, BAD]).released,
        "SUCCESS FALLBACK EVIDENCE_VALIDATION_FAILED",
    ),
    Row(
        "conclusion, semantic guard says unsupported",
        Way([*choose("task_status"), GOOD, {"verdict": "UNSUPPORTED"}]).released,
        "SUCCESS FALLBACK SEMANTIC_UNSUPPORTED",
    ),
    Row(
        "conclusion, semantic guard is unavailable after two",
        Way([*choose("task_status"), GOOD, {"fail": "timeout"}, GONE]).released,
        "SUCCESS FALLBACK SEMANTIC_UNAVAILABLE",
    ),
    Row(
        "draft without conclusion, facts",
        Way([*choose("task_status"), NULL]).released,
        "SUCCESS FALLBACK INSUFFICIENT_EVIDENCE",
    ),
    Row(
        "stopped, saturated, facts",
        Way([*AGAIN, *choose("arm_status")]).released,
        "SUCCESS FALLBACK INSUFFICIENT_EVIDENCE INFORMATION_SATURATED",
    ),
    Row(
        "stopped, protocol, facts",
        Way([REQUEST_1, BAD_REQUEST, BAD_REQUEST, BAD_REQUEST]).released,
        "SUCCESS FALLBACK INSUFFICIENT_EVIDENCE PROGRESS_PROTOCOL_VIOLATED",
    ),
    Row(
        "stopped, model unavailable, facts",
        Way([*choose("task_status"), GONE]).released,
        "SUCCESS FALLBACK INSUFFICIENT_EVIDENCE MODEL_UNAVAILABLE",
    ),
    Row(
        "stopped, budget, facts",
        Way(choose("task_status", "arm_status"), limited(model_calls=1)).released,
        "BUDGET_EXHAUSTED FALLBACK INSUFFICIENT_EVIDENCE BUDGET_LIMIT_REACHED",
    ),
    Row(
        "invalid draft, facts",
        Way([*choose("task_status"), {"raw": "  "}]).released,
        "SUCCESS FALLBACK INSUFFICIENT_EVIDENCE",
    ),
    Row(
        "no conclusion, only empty scopes, target missing",
        Way([*LOOKED, NULL], NOWHERE).released,
        "SUCCESS FALLBACK MISSING_REQUIRED_CONTEXT",
    ),
    Row(
        "stopped, only empty scopes, target missing",
        Way([*LOOKED, GONE], NOWHERE).released,
        "SUCCESS FALLBACK MISSING_REQUIRED_CONTEXT MODEL_UNAVAILABLE",
    ),
    Row(
        "budget, only empty scopes, target missing",
        Way([*LOOKED, *LOOKED], {**NOWHERE, **limited(model_calls=1)}).released,
        "BUDGET_EXHAUSTED FALLBACK MISSING_REQUIRED_CONTEXT BUDGET_LIMIT_REACHED",
    ),
    Row(
        "invalid draft, only empty scopes, target missing",
        Way([*LOOKED, {"raw": "{"}], NOWHERE).released,
        "SUCCESS FALLBACK MISSING_REQUIRED_CONTEXT",
    ),
    Row(
        "no conclusion, no facts",
        Way([*choose("task_status"), NULL], {"results": NO_FACTS}).released,
        "FAILED FAILED INTERNAL_FAILURE",
    ),
    Row(
        "stopped, no facts",
        Way([GONE]).released,
        "FAILED FAILED INTERNAL_FAILURE MODEL_UNAVAILABLE",
    ),
    Row(
        "budget, no facts",
        Way([], limited(model_calls=0)).released,
        "BUDGET_EXHAUSTED FAILED BUDGET_EXHAUSTED BUDGET_LIMIT_REACHED",
    ),
    Row(
        "deadline, facts",
        Way([*choose("task_status"), GOOD, SUPPORTED], after_call=overdue).released,
        "TIMED_OUT FALLBACK INSUFFICIENT_EVIDENCE",
    ),
    Row(
        "deadline, no facts",
        Way([*choose("task_status"), GOOD, SUPPORTED], after_call=overdue_at_once).released,
        "TIMED_OUT FAILED RUN_TIMED_OUT",
    ),
    Row(
        "store not readable back",
        Way([*choose("task_status"), GOOD, SUPPORTED], after_call=store_breaks).released,
        "FAILED FAILED RUN_PERSISTENCE_FAILED",
    ),
    Row(
        "the operator's cancel",
        Way([*choose("task_status"), GOOD, SUPPORTED], after_call=cancelled).released,
        "CANCELLED CANCELLED RUN_CANCELLED",
    ),
]


def walked(rows: Sequence[Row]) -> list[Any]:
    return [pytest.param(row, id=row.words) for row in rows]


@pytest.mark.parametrize("row", walked(INSIDE))
async def test_inside_the_loop(row: Row) -> None:
    assert await row.happens() == row.becomes


async def test_inside_the_loop_a_projection_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same row as a tool that failed."""
    calls = Counter[str]()

    def first_fails(data: Mapping[str, Any]) -> Any:
        calls["all"] += 1
        if calls["all"] == 1:
            raise ValueError("no")
        return project(data)

    monkeypatch.setattr(door, "project", first_fails)
    way = Way([*choose("arm_status", "task_status"), FROM_R2, SUPPORTED])
    assert await way.inside() == "PROJECTION_FAILED | GAINED | CONCLUSION"


@pytest.mark.parametrize("row", walked(AT_THE_EDGE))
async def test_at_the_edge(row: Row) -> None:
    assert await row.happens() == row.becomes


@pytest.mark.parametrize("row", walked(RELEASED))
async def test_released(row: Row) -> None:
    assert await row.happens() == row.becomes


async def test_released_a_crash_nobody_recognises() -> None:
    room = Way(choose("task_status", "arm_status")).made()

    async def broken(_observation: object) -> None:
        raise RuntimeError("a bug")

    room.diagnosis._search.told = broken
    with pytest.raises(ExecutionFailed):
        await room.end()
    end = room.diagnosis.ended(Ending.EXECUTION_FAILED)
    assert end.basis is Basis.FACTS
    assert _shown(diagnosis_release(end.ending, end.basis)) == "FAILED FAILED INTERNAL_FAILURE"


def test_released_to_nobody_where_the_client_is_gone() -> None:
    given = diagnosis_release(Ending.CLIENT_GONE, Basis.FACTS)
    assert (_shown(given), given.silent) == ("CANCELLED CANCELLED RUN_CANCELLED", True)


async def test_an_invalid_draft_leaves_its_hash_and_kind_and_no_word_of_it() -> None:
    room = Room([*choose("task_status"), {"raw": "SECRET {not json"}])
    end = await room.end()
    (written,) = room.journal.bodies(Kind.DRAFT)
    assert (written["invalid"], len(written["sha256"])) == ("INVALID_JSON", 64)
    assert "SECRET" not in str([row.body for row in room.journal.written])
    assert "SECRET" not in str(end.snapshot)
    assert room.journal.bodies(Kind.GUARD) == []
