"""A run that has ended does nothing more; the first limit names itself, every later step names the state."""

from __future__ import annotations

import pytest

from edge_agent.run.budget import BudgetExceeded, BudgetLimits, TokenUsage
from edge_agent.run.context import Run, RunIds
from edge_agent.run.ids import ParseTraceId, RunId, TraceId
from edge_agent.run.lifecycle import RunAborted, RunState, RunTermination


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def a_run(clock: Clock, limits: BudgetLimits | None = None) -> tuple[Run, list[RunTermination]]:
    ended: list[RunTermination] = []
    ids = RunIds(RunId("r1"), TraceId("t1"), ParseTraceId("p1"))
    return Run(ids, limits or BudgetLimits(), 30.0, clock, ended.append), ended


def aborted(run: Run) -> RunState:
    with pytest.raises(RunAborted) as caught:
        run.check_active()
    return caught.value.state


def test_an_active_run_goes_on(clock: Clock) -> None:
    run, ended = a_run(clock)
    run.check_active()
    assert (run.state, ended, run.left_s(), run.cancelled) == (RunState.RUNNING, [], 30.0, False)


def test_the_deadline_is_written_then_raised(clock: Clock) -> None:
    run, ended = a_run(clock)
    clock.now = 30.0
    assert aborted(run) is RunState.TIMED_OUT
    assert run.state is RunState.TIMED_OUT
    assert run.left_s() == 0.0
    assert [(e.state, e.reason, e.at) for e in ended] == [(RunState.TIMED_OUT, "deadline", 30.0)]


def test_a_cancelled_run_refuses(clock: Clock) -> None:
    run, ended = a_run(clock)
    run.cancel("operator")
    run.cancel("client gone")
    assert run.cancelled
    assert aborted(run) is RunState.CANCELLED
    assert [e.reason for e in ended] == ["operator"]


def test_order_a_terminal_state_before_the_deadline_before_a_cancel(clock: Clock) -> None:
    run, _ = a_run(clock)
    run.end(RunState.SUCCESS, "done")
    run.cancel("operator")
    clock.now = 99.0
    assert aborted(run) is RunState.SUCCESS

    other, _ = a_run(clock)
    other.cancel("operator")
    assert aborted(other) is RunState.TIMED_OUT


def test_the_second_of_two_ends_is_noted_as_late(clock: Clock) -> None:
    """A cancel before the step that meets the deadline, and a cancel after it."""
    for before in (True, False):
        clock.now = 0.0
        run, ended = a_run(clock)
        if before:
            run.cancel("operator")
        clock.now = 30.0
        assert aborted(run) is RunState.TIMED_OUT
        run.cancel("operator")
        run.cancel("client_gone")
        termination = run.lifecycle.termination
        assert termination is not None
        assert [(late.state, late.reason) for late in termination.late] == [(RunState.CANCELLED, "operator")]
        assert [e.state for e in ended] == [RunState.TIMED_OUT]


def test_a_limit_that_ends_a_run_is_no_second_end(clock: Clock) -> None:
    run, _ = a_run(clock, BudgetLimits(model_calls=0))
    with pytest.raises(BudgetExceeded):
        run.reserve_model_call()
    assert aborted(run) is RunState.BUDGET_EXHAUSTED
    assert run.lifecycle.termination is not None
    assert run.lifecycle.termination.late == ()


def test_the_end_is_told_once(clock: Clock) -> None:
    run, ended = a_run(clock)
    assert run.end(RunState.FAILED, "store", "E")
    assert not run.end(RunState.SUCCESS, "late")
    assert len(ended) == 1
    assert run.lifecycle.termination is not None
    assert [late.state for late in run.lifecycle.termination.late] == [RunState.SUCCESS]


def test_a_run_nobody_listens_to_ends_too(clock: Clock) -> None:
    run = Run(RunIds(RunId("r"), TraceId("t"), ParseTraceId("p")), BudgetLimits(), 1.0, clock)
    assert run.end(RunState.SUCCESS, "done")


SPENDINGS = {
    "model": lambda run: run.reserve_model_call(),
    "tool": lambda run: run.reserve_tool_call("t"),
    "bytes": lambda run: run.reserve_run_bytes(1),
    "tokens": lambda run: run.record_tokens(TokenUsage(1, 1)),
}


@pytest.mark.parametrize("name", SPENDINGS)
def test_one_exit_for_every_limit(name: str, clock: Clock) -> None:
    none_of_it = BudgetLimits(0, 0, 0, 0, 0, 0, 0)
    run, ended = a_run(clock, none_of_it)
    with pytest.raises(BudgetExceeded) as first:
        SPENDINGS[name](run)
    assert run.cancelled
    assert aborted(run) is RunState.BUDGET_EXHAUSTED
    assert [(e.state, e.reason, e.first_error) for e in ended] == [
        (RunState.BUDGET_EXHAUSTED, str(first.value.kind), str(first.value))
    ]


@pytest.mark.parametrize("name", SPENDINGS)
def test_spending_within_limits(name: str, clock: Clock) -> None:
    run, ended = a_run(clock)
    SPENDINGS[name](run)
    usage = run.usage()
    assert usage.model_calls + usage.tool_calls + usage.run_bytes + usage.input_tokens == 1
    assert ended == []
