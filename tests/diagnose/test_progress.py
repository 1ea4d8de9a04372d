"""Gain is computed; three calls without it, or two slips of the protocol, end the gathering and not the run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from edge_agent.diagnose.envelope import ToolRequest, violation
from edge_agent.diagnose.errors import CollectionStopped
from edge_agent.diagnose.progress import Looked, Progress
from edge_agent.messages.codes import ErrorCode, EvidenceStatus
from edge_agent.run.budget import BudgetLimits
from edge_agent.run.collection import CollectionState, StopReason
from edge_agent.run.journal import Kind
from edge_agent.tools.tool import Fact
from tests.diagnose.room import Room
from tests.diagnose.test_guards import BROKEN, READY

EMPTY = replace(READY, evidence=EvidenceStatus.NO_EVIDENCE, facts=(), hits=0, record="r5", scope="other")


def test_gain_is_a_new_fact() -> None:
    progress = Progress()
    assert progress.observe(READY) == "GAINED"
    assert progress.observe(replace(READY, record="r2", scope="again")) == "NO_GAIN"
    more = replace(READY, record="r3", facts=(*READY.facts, Fact("a", "b", "c", "d")))
    assert progress.observe(more) == "GAINED"
    assert progress.observe(EMPTY) == "NO_GAIN"
    assert progress.observe(BROKEN) == "NO_GAIN"
    assert progress.last == Looked("r3", "NO_GAIN")
    assert progress.state is CollectionState.COLLECTING


def test_three_in_a_row() -> None:
    progress = Progress()
    progress.observe(EMPTY)
    progress.observe(EMPTY)
    progress.observe(READY)
    for _ in range(2):
        progress.repeated("r1")
    assert progress.state is CollectionState.COLLECTING
    progress.observe(BROKEN)
    assert (progress.state, progress.stop_reason) == (CollectionState.SATURATED, StopReason.INFORMATION_SATURATED)
    progress.violated()
    progress.violated()
    assert progress.stop_reason is StopReason.INFORMATION_SATURATED


def test_a_good_call_between_two_slips() -> None:
    progress = Progress()
    progress.violated()
    progress.observe(READY)
    progress.violated()
    assert progress.state is CollectionState.COLLECTING
    progress.violated()
    assert progress.stop_reason is StopReason.PROGRESS_PROTOCOL_VIOLATED


LAST = Looked("r1", "GAINED")
ENVELOPES: list[tuple[dict[str, Any] | None, Looked | None, str | None]] = [
    (None, None, None),
    ({"record": "r1", "gain": "GAINED"}, LAST, None),
    (None, LAST, "previous_observation_missing"),
    ({"record": "r1"}, LAST, "previous_observation_missing"),
    ({"record": "r2", "gain": "GAINED"}, LAST, "previous_observation_foreign"),
    ({"record": "r1", "gain": "NO_GAIN"}, LAST, "gain_misstated"),
]


@pytest.mark.parametrize(("previous", "last", "expected"), ENVELOPES)
def test_envelope(previous: dict[str, Any] | None, last: Looked | None, expected: str | None) -> None:
    assert violation(ToolRequest("arm_status", {}, previous), last) == expected
    assert violation(ToolRequest("arm_status", {}, previous, by_harness=True), last) is None


ASK = ToolRequest("task_status", {"task_id": "t014"}, by_harness=True)


async def test_a_duplicate_is_not_run_and_costs_a_call() -> None:
    room = Room()
    gate = room.diagnosis._search.gate
    first, again = await gate.call(ASK), await gate.call(ASK)
    assert (first.gain, again.gain, again.code, again.record) == ("GAINED", "NO_GAIN", ErrorCode.DUPLICATE_SCOPE, "r1")
    assert room.run.usage().tool_calls == 2
    assert len(room.journal.bodies(Kind.RECORD)) == 1


async def test_a_duplicate_can_meet_the_budget() -> None:
    room = Room(limits=BudgetLimits(tool_calls=1))
    gate = room.diagnosis._search.gate
    await gate.call(ASK)
    met = await gate.call(ASK)
    assert met.code is ErrorCode.BUDGET_EXHAUSTED
    assert gate.progress.stop_reason is StopReason.BUDGET_LIMIT_REACHED


async def test_stop_required_is_told_once_then_the_gate_closes() -> None:
    room = Room()
    gate = room.diagnosis._search.gate
    await gate.call(ASK)
    told = [await gate.call(ASK) for _ in range(3)]
    assert [o.stop_required for o in told] == [False, False, True]
    with pytest.raises(CollectionStopped) as stopped:
        await gate.call(ASK)
    assert stopped.value.reason is StopReason.INFORMATION_SATURATED


@pytest.mark.parametrize("tool", ["feedback", "arm_control", "rm"])
async def test_only_evidence_tools(tool: str) -> None:
    room = Room()
    observation = await room.diagnosis._search.gate.call(ToolRequest(tool, {}, by_harness=True))
    assert observation.code is ErrorCode.INPUT_INVALID
    assert room.run.usage().tool_calls == 0


async def test_a_failing_tool_is_tried_once_inside_a_diagnosis() -> None:
    room = Room()
    room.stores.down = True
    observation = await room.diagnosis._search.gate.call(ASK)
    assert observation.code is ErrorCode.TIMEOUT
    assert room.run.usage().tool_calls == 1
    assert room.desk.slept == []


async def test_wrong_arguments_stay_in_the_loop() -> None:
    room = Room()
    observation = await room.diagnosis._search.gate.call(ToolRequest("task_status", {"task_id": "../x"}))
    assert observation.code is ErrorCode.INPUT_INVALID
