"""The edge of the loop: what came out of it, as a value; what is no value is raised again or as `ExecutionFailed`.

The cause chain is searched in the order of the rows:
  CollectionStopped                                                        -> Stopped(its reason)
  BudgetExceeded, RunAborted(BUDGET_EXHAUSTED), anything in a run that is so -> Stopped(BUDGET_LIMIT_REACHED)
  RunAborted with any other state, JournalFault                            -> raised again
  ModelGone                                                                -> Stopped(MODEL_UNAVAILABLE)
  anything else                                                            -> ExecutionFailed
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from edge_agent.diagnose.errors import CollectionStopped, ExecutionFailed, ModelGone
from edge_agent.run.budget import BudgetExceeded
from edge_agent.run.collection import StopReason
from edge_agent.run.context import Run
from edge_agent.run.journal import JournalFault
from edge_agent.run.lifecycle import RunAborted, RunState

T = TypeVar("T")
E = TypeVar("E", bound=BaseException)


@dataclass(frozen=True, slots=True)
class Stopped:
    """The loop was left without a draft."""

    reason: StopReason
    detail: str = ""


async def controlled(run: Run, loop: Callable[[], Awaitable[T]]) -> T | Stopped:
    try:
        return await loop()
    except Exception as broke:  # noqa: BLE001 - the edge of the loop: every way out is named here, nothing is swallowed
        return _stopped(run, broke)


def _stopped(run: Run, broke: Exception) -> Stopped:
    """The first row that fits; raises where it is no controlled stop."""
    stopped = _first(broke, CollectionStopped)
    if stopped is not None:
        return Stopped(stopped.reason)
    aborted = _first(broke, RunAborted)
    if run.state is RunState.BUDGET_EXHAUSTED or _first(broke, BudgetExceeded) is not None:
        return Stopped(StopReason.BUDGET_LIMIT_REACHED)
    if aborted is not None:
        raise RunAborted(aborted.state) from broke
    fault = _first(broke, JournalFault)
    if fault is not None:
        raise fault
    gone = _first(broke, ModelGone)
    if gone is not None:
        return Stopped(StopReason.MODEL_UNAVAILABLE, gone.code)
    raise ExecutionFailed(type(broke).__name__) from broke


def _first(broke: BaseException, kind: type[E]) -> E | None:
    return next((each for each in _chain(broke) if isinstance(each, kind)), None)


def _chain(broke: BaseException) -> Iterator[BaseException]:
    """The exception, its causes and contexts, groups opened; each once."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [broke]
    while waiting:
        each = waiting.pop(0)
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        waiting += [each.__cause__, each.__context__]
        if isinstance(each, BaseExceptionGroup):
            waiting += each.exceptions
