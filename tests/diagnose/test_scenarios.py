"""Each path of a diagnosis, from what tools and model do to what may be released."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from edge_agent.diagnose.errors import ExecutionFailed
from edge_agent.diagnose.target import Target
from edge_agent.messages.codes import ErrorCode, FailureCode, FallbackType, ReleaseOutcome
from edge_agent.release.policy import Ending, diagnosis_release
from edge_agent.run.budget import BudgetLimits
from edge_agent.run.collection import StopReason
from edge_agent.run.journal import JournalFault, Kind
from edge_agent.run.lifecycle import RunAborted, RunState
from edge_agent.tools.intercept import Scripted
from tests.diagnose.room import NO_TARGET, T014, Room, choose, draft, failed, nothing

FALLBACK, SUCCESS, FAILED = ReleaseOutcome.FALLBACK, ReleaseOutcome.SUCCESS, ReleaseOutcome.FAILED
FEW = FallbackType.INSUFFICIENT_EVIDENCE

GOOD = draft("no_part", ("任务 t014 的控制器代码是 0601", ["r1"]), steps=["check_feed"])
SUPPORTED: Mapping[str, object] = {"verdict": "SUPPORTED"}
NO_FACTS = {"task_status": failed(ErrorCode.TIMEOUT)}
EMPTY = {name: nothing() for name in ("task_status", "command_history", "alarm_history", "arm_status")}


@dataclass(frozen=True)
class Path:
    name: str
    script: Sequence[Mapping[str, object]]
    outcome: ReleaseOutcome
    fallback: FallbackType | None = None
    state: RunState = RunState.SUCCESS
    failure: FailureCode | None = None
    stop: StopReason | None = None
    ending: Ending | None = None
    target: Target = T014
    limits: BudgetLimits = BudgetLimits()  # noqa: RUF009 - frozen
    results: Mapping[str, list[Scripted]] = field(default_factory=dict)
    no_model: bool = False


BUDGET = StopReason.BUDGET_LIMIT_REACHED
SATURATED = StopReason.INFORMATION_SATURATED


def request(tool: str, previous: tuple[str, str] | None = None, **args: Any) -> dict[str, object]:
    told: dict[str, Any] = {"tool": tool, "args": args}
    if previous is not None:
        told["previous_observation"] = {"record": previous[0], "gain": previous[1]}
    return {"raw": json.dumps(told)}


REQUEST_1 = request("task_status", task_id="t014")
BAD_REQUEST = request("arm_status", ("r1", "NO_GAIN"), device="arm_01")

PATHS = [
    Path("all guards pass", [*choose("task_status"), GOOD, SUPPORTED], SUCCESS),
    Path(
        "no target, only empty scopes",
        [*choose("command_history", "alarm_history"), draft(None)],
        FALLBACK,
        FallbackType.MISSING_REQUIRED_CONTEXT,
        target=NO_TARGET,
        results=EMPTY,
    ),
    Path("not enough evidence", [*choose("arm_status"), draft(None)], FALLBACK, FEW),
    Path(
        "saturated with facts, then another tool",
        choose("task_status", *["sorting_rules"] * 5),
        FALLBACK,
        FEW,
        stop=SATURATED,
        ending=Ending.STOPPED,
    ),
    Path(
        "saturated, then a legal draft passes",
        [*choose("task_status", *["task_status"] * 3), GOOD, SUPPORTED],
        SUCCESS,
        stop=SATURATED,
    ),
    Path(
        "protocol violated, then another request",
        [REQUEST_1, BAD_REQUEST, BAD_REQUEST, BAD_REQUEST],
        FALLBACK,
        FEW,
        stop=StopReason.PROGRESS_PROTOCOL_VIOLATED,
    ),
    Path(
        "protocol violated once and mended",
        [REQUEST_1, BAD_REQUEST, request("arm_status", ("r1", "GAINED"), device="arm_01"), GOOD, SUPPORTED],
        SUCCESS,
    ),
    Path(
        "protocol violated, then a legal draft",
        [REQUEST_1, BAD_REQUEST, BAD_REQUEST, GOOD, SUPPORTED],
        SUCCESS,
        stop=StopReason.PROGRESS_PROTOCOL_VIOLATED,
    ),
    Path(
        "evidence guard fails twice",
        [*choose("task_status"), draft("no_part", ("code 0601", ["r9"])), draft("no_part", ("code 0601", ["r8"]))],
        FALLBACK,
        FallbackType.EVIDENCE_VALIDATION_FAILED,
    ),
    Path(
        "evidence guard passes after its repair",
        [
            *choose("task_status"),
            draft("no_part", ("code 0601", ["r9"])),
            draft("no_part", ("code 0601", ["r1"])),
            SUPPORTED,
        ],
        SUCCESS,
    ),
    Path(
        "semantic guard says unsupported",
        [*choose("task_status"), GOOD, {"verdict": "UNSUPPORTED"}],
        FALLBACK,
        FallbackType.SEMANTIC_UNSUPPORTED,
    ),
    Path(
        "the table refuses before the model is asked",
        [*choose("task_status"), draft("guard_open", ("code 0601", ["r1"])), SUPPORTED],
        FALLBACK,
        FallbackType.SEMANTIC_UNSUPPORTED,
    ),
    Path(
        "semantic guard is down twice",
        [*choose("task_status"), GOOD, {"fail": "timeout"}, {"fail": "crash"}],
        FALLBACK,
        FallbackType.SEMANTIC_UNAVAILABLE,
    ),
    Path(
        "semantic guard answers at the second attempt",
        [*choose("task_status"), GOOD, {"fail": "illegal"}, SUPPORTED],
        SUCCESS,
    ),
    Path(
        "budget gone with facts",
        choose(*["task_status"] * 9),
        FALLBACK,
        FEW,
        RunState.BUDGET_EXHAUSTED,
        stop=BUDGET,
        limits=BudgetLimits(model_calls=2),
    ),
    Path(
        "budget gone before the first model call",
        [],
        FAILED,
        state=RunState.BUDGET_EXHAUSTED,
        failure=FailureCode.BUDGET_EXHAUSTED,
        stop=BUDGET,
        limits=BudgetLimits(model_calls=0),
    ),
    Path(
        "only an empty scope, then budget",
        choose("alarm_history", "alarm_history"),
        FALLBACK,
        FallbackType.MISSING_REQUIRED_CONTEXT,
        RunState.BUDGET_EXHAUSTED,
        stop=BUDGET,
        limits=BudgetLimits(model_calls=1),
        target=NO_TARGET,
        results=EMPTY,
    ),
    Path(
        "only an empty scope of a named task, then budget",
        choose("task_status", "task_status"),
        FALLBACK,
        FEW,
        RunState.BUDGET_EXHAUSTED,
        stop=BUDGET,
        limits=BudgetLimits(model_calls=1),
        results=EMPTY,
    ),
    Path(
        "tool budget met inside the boundary",
        [*choose("task_status", "arm_status"), GOOD],
        FALLBACK,
        FEW,
        RunState.BUDGET_EXHAUSTED,
        stop=BUDGET,
        limits=BudgetLimits(tool_calls=1),
    ),
    Path(
        "the per-tool limit is met while the total is not",
        choose("task_status", "task_status", "arm_status"),
        FALLBACK,
        FEW,
        RunState.BUDGET_EXHAUSTED,
        stop=BUDGET,
        limits=BudgetLimits(calls_per_tool=1),
    ),
    Path(
        "tokens gone after a call",
        choose("task_status", "arm_status"),
        FALLBACK,
        FEW,
        RunState.BUDGET_EXHAUSTED,
        stop=BUDGET,
        limits=BudgetLimits(input_tokens=20),
    ),
    Path(
        "a guard's own call meets the budget",
        [*choose("task_status"), GOOD, SUPPORTED],
        FALLBACK,
        FEW,
        RunState.BUDGET_EXHAUSTED,
        stop=BUDGET,
        limits=BudgetLimits(model_calls=3),
    ),
    Path(
        "bad JSON with facts",
        [*choose("task_status"), {"raw": "{not json"}],
        FALLBACK,
        FEW,
        ending=Ending.INVALID_DRAFT,
    ),
    Path("empty draft with facts", [*choose("task_status"), {"raw": "  "}], FALLBACK, FEW, ending=Ending.INVALID_DRAFT),
    Path(
        "a draft of another shape with facts",
        [*choose("task_status"), {"raw": '{"cause": "ghosts", "clauses": [], "next_steps": []}'}],
        FALLBACK,
        FEW,
        ending=Ending.INVALID_DRAFT,
    ),
    Path(
        "bad JSON without facts",
        [*choose("task_status"), {"raw": "{not json"}],
        FAILED,
        state=RunState.FAILED,
        failure=FailureCode.INTERNAL_FAILURE,
        results=NO_FACTS,
    ),
    Path(
        "one tool fails, another answers",
        [*choose("task_status", "command_history"), draft("no_part", ("command 7: 0601", ["r2"])), SUPPORTED],
        SUCCESS,
        results=NO_FACTS,
    ),
    Path("cause null with facts", [*choose("task_status"), draft(None)], FALLBACK, FEW, ending=Ending.NO_CONCLUSION),
    Path(
        "cause null without facts",
        [*choose("task_status"), draft(None)],
        FAILED,
        state=RunState.FAILED,
        failure=FailureCode.INTERNAL_FAILURE,
        results=NO_FACTS,
    ),
    Path(
        "the model dies with facts",
        [*choose("task_status"), {"fail": "crash"}],
        FALLBACK,
        FEW,
        stop=StopReason.MODEL_UNAVAILABLE,
    ),
    Path(
        "the model dies without facts",
        [{"fail": "timeout"}],
        FAILED,
        state=RunState.FAILED,
        failure=FailureCode.INTERNAL_FAILURE,
        stop=StopReason.MODEL_UNAVAILABLE,
    ),
    Path("no model: facts only", [], FALLBACK, FEW, stop=StopReason.MODEL_UNAVAILABLE, no_model=True),
    Path(
        "an overreaching claim beside an empty log and a source that is down",
        [
            *choose("task_status", "alarm_history", "arm_status"),
            draft("link_lost", ("任务 t014 的控制器代码是 0601", ["r1"])),
        ],
        FALLBACK,
        FallbackType.SEMANTIC_UNSUPPORTED,
        results={"alarm_history": nothing(), "arm_status": failed(ErrorCode.TIMEOUT)},
    ),
]


@pytest.mark.parametrize("path", PATHS, ids=[p.name for p in PATHS])
async def test_path(path: Path) -> None:
    room = Room(
        script=path.script,
        limits=path.limits,
        target=path.target,
        results={k: list(v) for k, v in path.results.items()},
        no_model=path.no_model,
    )
    end = await room.end()
    decided = diagnosis_release(end.ending, end.basis, context_missing=end.missing is not None)
    room.run.end(decided.run_state, "released")
    assert (decided.outcome, decided.fallback, decided.failure) == (path.outcome, path.fallback, path.failure)
    assert (room.run.state, decided.run_state) == (path.state, path.state)
    assert end.stop_reason == path.stop
    assert path.ending in (None, end.ending)
    assert (end.cause is not None) == (path.outcome is SUCCESS)
    assert room.journal.bodies(Kind.PROGRESS)[-1]["ending"] == end.ending


async def test_a_conclusion_carries_the_tables_words_and_its_clauses() -> None:
    end = await Room([*choose("task_status"), GOOD, SUPPORTED]).end()
    assert end.cause is not None
    assert (end.cause.id, end.next_steps) == ("no_part", ("check_feed",))
    assert [(c.text, c.evidence) for c in end.clauses] == [("任务 t014 的控制器代码是 0601", ("r1",))]
    assert end.results[0].record == "r1"


async def test_the_snapshot_names_what_was_empty_down_found_and_next() -> None:
    path = next(p for p in PATHS if p.name.startswith("an overreaching"))
    end = await Room(path.script, results=dict(path.results), lang="en").end()
    assert "task record (task_id=t014)" in end.snapshot.checked
    assert any("alarm history" in f.text and "no entry" in f.text for f in end.snapshot.facts)
    assert any("0601" in f.text for f in end.snapshot.facts)
    assert end.snapshot.limits == ("arm status (device=arm_01) could not be read: TIMEOUT",)
    assert end.snapshot.suggested == "look at the command journal"


async def test_without_a_model_the_tables_order_is_kept_and_the_reason_told() -> None:
    room = Room(no_model=True)
    end = await room.end()
    assert end.reason == "model_unavailable"
    looked = [o.tool for o in room.looks]
    assert looked[:4] == ["task_status", "command_history", "command_history", "command_history"]
    assert room.model.calls == 0


async def test_a_crash_nobody_recognises_is_never_recovered() -> None:
    room = Room(choose("task_status", "arm_status"))

    async def broken(_observation: object) -> None:
        raise RuntimeError("a bug")

    room.diagnosis._search.told = broken
    with pytest.raises(ExecutionFailed):
        await room.end()


@pytest.mark.parametrize("what", ["append", "read_back"])
async def test_a_record_that_is_not_kept_ends_the_run(what: str) -> None:
    room = Room(choose("task_status", "arm_status"))
    room.at_intercept = lambda: room.journal.broken.add(what)
    with pytest.raises(RunAborted if what == "read_back" else (RunAborted, JournalFault)):
        await room.end()
    assert room.run.state is RunState.FAILED
    assert room.run.lifecycle.termination is not None
    assert room.run.lifecycle.termination.reason == "store_failed"


async def test_a_ledger_that_can_not_be_written_leaves_before_the_next_call() -> None:
    room = Room([*choose("task_status"), GOOD, SUPPORTED])

    def breaks(calls: int) -> None:
        if calls == 2:
            room.journal.broken.add("append")

    room.after_call = breaks
    with pytest.raises(JournalFault):
        await room.end()
    assert room.model.calls == 2


async def test_what_led_up_to_a_model_call_is_on_the_disk_while_it_thinks() -> None:
    """A life that ends there leaves the whole story behind: every earlier call, draft and guard."""
    room = Room([*choose("task_status"), GOOD, SUPPORTED])
    stored: list[tuple[int, ...]] = []

    def look(_calls: int) -> None:
        stored.append(tuple(len(room.journal.bodies(kind)) for kind in (Kind.MODEL_CALL, Kind.RECORD, Kind.GUARD)))

    room.after_call = look
    await room.end()
    assert stored == [(0, 0, 0), (1, 1, 0), (2, 1, 0), (3, 1, 1)]


async def test_the_deadline_leaves_with_what_the_records_say() -> None:
    room = Room([*choose("task_status"), GOOD, SUPPORTED])

    def overdue(calls: int) -> None:
        if calls == 2:
            room.desk.now_s = 99.0

    room.after_call = overdue
    with pytest.raises(RunAborted) as left:
        await room.end()
    assert left.value.state is RunState.TIMED_OUT
    end = room.diagnosis.ended(Ending.DEADLINE)
    assert diagnosis_release(end.ending, end.basis).fallback is FEW
    assert any("0601" in f.text for f in end.snapshot.facts)
    assert room.model.calls == 2


@pytest.mark.parametrize("call", [1, 2, 3, 4])
async def test_a_late_model_answer_after_a_cancel_is_not_used(call: int) -> None:
    """Each of the four calls of a diagnosis: tool, conclude, draft, verdict."""
    room = Room([*choose("task_status"), GOOD, SUPPORTED])

    def cancel(calls: int) -> None:
        if calls == call:
            room.run.cancel("operator_cancel")

    room.after_call = cancel
    with pytest.raises(RunAborted) as left:
        await room.end()
    assert left.value.state is RunState.CANCELLED
    assert len(room.looks) == (0 if call == 1 else 1)
    assert len(room.journal.bodies(Kind.DRAFT)) == (1 if call == 4 else 0)
    assert room.journal.bodies(Kind.PROGRESS) == []


async def test_after_a_cancel_no_model_is_asked() -> None:
    room = Room([*choose("task_status"), GOOD, SUPPORTED])

    async def cancelled(_observation: object) -> None:
        room.run.cancel("operator_cancel")

    room.diagnosis._search.told = cancelled
    with pytest.raises(RunAborted):
        await room.end()
    assert room.model.calls == 1
