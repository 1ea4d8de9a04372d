"""The edge of the loop: the first row that fits decides, wherever in the chain of causes it stands."""

from __future__ import annotations

import pytest

from edge_agent.diagnose.controlled import Stopped, controlled
from edge_agent.diagnose.errors import CollectionStopped, ExecutionFailed, ModelGone
from edge_agent.run.budget import BudgetExceeded, BudgetKind
from edge_agent.run.collection import StopReason
from edge_agent.run.journal import JournalFault
from edge_agent.run.lifecycle import RunAborted, RunState
from tests.tools.desk import Desk

STOPPED = CollectionStopped(StopReason.INFORMATION_SATURATED)
EXCEEDED = BudgetExceeded(BudgetKind.MODEL_CALLS, 1, 2)
BUDGET = Stopped(StopReason.BUDGET_LIMIT_REACHED)


def because(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def during(error: Exception, context: Exception) -> Exception:
    error.__context__ = context
    return error


CONTROLLED: list[tuple[str, Exception, Stopped]] = [
    ("stopped", STOPPED, Stopped(StopReason.INFORMATION_SATURATED)),
    ("stopped, as a cause", because(RuntimeError(), STOPPED), Stopped(StopReason.INFORMATION_SATURATED)),
    ("stopped before budget", because(EXCEEDED, STOPPED), Stopped(StopReason.INFORMATION_SATURATED)),
    ("budget", BudgetExceeded(BudgetKind.RUN_BYTES, 1, 2), BUDGET),
    ("budget, in a context", during(ValueError(), BudgetExceeded(BudgetKind.RUN_BYTES, 1, 2)), BUDGET),
    ("budget, in a group", ExceptionGroup("g", [BudgetExceeded(BudgetKind.RUN_BYTES, 1, 2)]), BUDGET),
    ("model", ModelGone("MODEL_TIMEOUT"), Stopped(StopReason.MODEL_UNAVAILABLE, "MODEL_TIMEOUT")),
]


@pytest.mark.parametrize(("error", "expected"), [c[1:] for c in CONTROLLED], ids=[c[0] for c in CONTROLLED])
async def test_controlled_stops(error: Exception, expected: Stopped) -> None:
    async def loop() -> str:
        raise error

    assert await controlled(Desk().run, loop) == expected


@pytest.mark.parametrize("error", [RunAborted(RunState.BUDGET_EXHAUSTED), RuntimeError("anything"), KeyError("x")])
async def test_whatever_is_thrown_in_a_run_out_of_budget(error: Exception) -> None:
    run = Desk().run
    run.end(RunState.BUDGET_EXHAUSTED, "MODEL_CALLS")

    async def loop() -> str:
        raise error

    assert await controlled(run, loop) == BUDGET


@pytest.mark.parametrize("state", [RunState.CANCELLED, RunState.TIMED_OUT, RunState.FAILED])
async def test_an_ended_run_leaves_as_it_ended(state: RunState) -> None:
    async def loop() -> str:
        raise because(RuntimeError(), RunAborted(state))

    with pytest.raises(RunAborted) as left:
        await controlled(Desk().run, loop)
    assert left.value.state is state


async def test_a_journal_fault_leaves_as_it_is() -> None:
    async def loop() -> str:
        raise because(ValueError(), JournalFault("disk full"))

    with pytest.raises(JournalFault):
        await controlled(Desk().run, loop)


async def test_anything_else_has_failed() -> None:
    looped = ValueError("a")
    looped.__context__ = KeyError("b")
    looped.__context__.__cause__ = looped

    async def loop() -> str:
        raise looped

    with pytest.raises(ExecutionFailed, match="ValueError"):
        await controlled(Desk().run, loop)


async def test_a_value_passes() -> None:
    async def loop() -> str:
        return "draft"

    assert await controlled(Desk().run, loop) == "draft"
