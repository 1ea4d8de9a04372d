"""Which runs are open, and what happens to them when somebody leaves."""

from __future__ import annotations

import pytest

from edge_agent.desk.open_runs import CLIENT_GONE, OpenRun, OpenRuns
from edge_agent.desk.speaker import Speaker
from edge_agent.desk.stream import Address, Stream
from edge_agent.run.budget import BudgetLimits
from edge_agent.run.context import Run, RunIds
from edge_agent.run.ids import ParseTraceId, RunId, TraceId
from edge_agent.run.lifecycle import RunAborted
from edge_agent.safety.permission import Role
from tests.desk.test_stream import NOW, Heard
from tests.tools.desk import MemoryJournal


def opened(name: str, user: str, client: str | None, *, on_the_arm: bool = False) -> OpenRun:
    ids = RunIds(RunId(name), TraceId("t"), ParseTraceId("p"))
    run = Run(ids, BudgetLimits(), 100.0, lambda: 0.0)
    speaker = Speaker(user, Role.OPERATOR, "mqtt", "zh", client)
    address = Address(user, "mqtt", name)
    stream = Stream(ids.run, address, journal=MemoryJournal(), publisher=Heard(), now=lambda: NOW)
    return OpenRun(run, speaker, stream, on_the_arm)


def runs(*each: OpenRun) -> OpenRuns:
    all_of_them = OpenRuns()
    for one in each:
        all_of_them.put(one)
    return all_of_them


def test_a_client_that_left_calls_off_its_own_runs_and_no_others() -> None:
    mine, yours, nobodys = opened("a", "op1", "page"), opened("b", "op2", "page"), opened("c", "op1", None)
    runs(mine, yours, nobodys).client_gone("op1", "page")
    assert [r.run.cancelled for r in (mine, yours, nobodys)] == [True, False, False]
    assert mine.stream.silent


def test_what_is_on_the_arm_goes_on_unheard() -> None:
    moving = opened("a", "op1", "page", on_the_arm=True)
    assert runs(moving).client_gone("op1", "page") == [moving]
    assert not moving.run.cancelled
    assert moving.stream.silent


def test_the_reason_of_the_end_is_told_apart_from_a_cancel() -> None:
    mine = opened("a", "op1", "page")
    runs(mine).client_gone("op1", "page")
    with pytest.raises(RunAborted):
        mine.run.check_active()
    assert mine.run.lifecycle.termination is not None
    assert mine.run.lifecycle.termination.reason == CLIENT_GONE


def test_runs_are_found_by_user_and_by_id() -> None:
    mine, other = opened("a", "op1", None), opened("b", "op1", None)
    all_of_them = runs(mine, other)
    assert list(all_of_them.of("op1")) == [mine, other]
    assert list(all_of_them.of("op1", "b")) == [other]
    assert list(all_of_them.of("op2")) == []
    all_of_them.end("op1", "a")
    assert all_of_them.get("op1", "a") is None
    assert len(all_of_them) == 1


def test_two_people_with_one_id_have_a_run_each() -> None:
    mine, yours = opened("a", "op1", None, on_the_arm=True), opened("a", "op2", None)
    all_of_them = runs(mine, yours)
    all_of_them.end("op2", "a")
    assert list(all_of_them.of("op1")) == [mine]
    assert all_of_them.get("op1", "a") is mine
