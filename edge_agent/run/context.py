"""One run: who it is, whether it may go on, what it may use. Passed explicitly to everything that works for it.

Every step begins with `check_active()`. It asks in this order: a terminal state stands -> `RunAborted(it)`; the
deadline has passed -> `TIMED_OUT` is written, then raised; somebody cancelled -> `CANCELLED` is written, then raised.
So after a `RunAborted` the state is always the one it names, and nothing late is ever published.

Every spending goes through here: the first limit met ends the run `BUDGET_EXHAUSTED` and raises `BudgetExceeded`;
from then on `check_active()` refuses. The first shot names the dimension, all later ones the state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from edge_agent.run.budget import BudgetExceeded, BudgetLimits, BudgetUsage, RunBudget, TokenUsage
from edge_agent.run.ids import ParseTraceId, RunId, TraceId
from edge_agent.run.lifecycle import Lifecycle, RunAborted, RunState, RunTermination
from edge_agent.run.waiting import Waiting


@dataclass(frozen=True, slots=True)
class RunIds:
    run: RunId
    trace: TraceId
    parse_trace: ParseTraceId


@dataclass(slots=True)
class Run:
    """`deadline_at_s` and `clock` are of one monotonic clock, in seconds. `on_end` hears of the end once, in the
    moment it is set, and must not raise: it kills a model call in flight and has the termination written down."""

    ids: RunIds
    limits: BudgetLimits
    deadline_at_s: float
    clock: Callable[[], float]
    on_end: Callable[[RunTermination], None] | None = None
    lifecycle: Lifecycle = field(default_factory=Lifecycle, init=False)
    waiting: Waiting = field(default_factory=Waiting, init=False)
    _budget: RunBudget = field(init=False)
    _cancelled: str | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._budget = RunBudget(self.limits)

    @property
    def state(self) -> RunState:
        return self.lifecycle.state

    @property
    def cancelled(self) -> bool:
        """Somebody asked for the end; true before a step notices."""
        return self._cancelled is not None

    def left_s(self) -> float:
        """Seconds to the deadline; never below 0."""
        return max(0.0, self.deadline_at_s - self.clock())

    def usage(self) -> BudgetUsage:
        return self._budget.usage()

    def cancel(self, reason: str) -> None:
        """Cooperative: the next `check_active()` refuses. The first reason is kept; after the end it is late."""
        if self._cancelled is not None:
            return
        self._cancelled = reason
        if self.state is not RunState.RUNNING:
            self.end(RunState.CANCELLED, reason)

    def end(self, state: RunState, reason: str, first_error: str | None = None) -> bool:
        """Ends the run in `state`, or notes it as late (False)."""
        first = self.lifecycle.end(state, reason, self.clock(), first_error)
        if first and self.on_end is not None and self.lifecycle.termination is not None:
            self.on_end(self.lifecycle.termination)
        return first

    def check_active(self) -> None:
        """Raises `RunAborted` once the run has ended, its deadline has passed, or it was cancelled."""
        if self.state is RunState.RUNNING and self.clock() >= self.deadline_at_s:
            self.end(RunState.TIMED_OUT, "deadline")
            if self._cancelled is not None:  # both came between two steps: the second is noted as late
                self.end(RunState.CANCELLED, self._cancelled)
        if self.state is RunState.RUNNING and self._cancelled is not None:
            self.end(RunState.CANCELLED, self._cancelled)
        if self.state is not RunState.RUNNING:
            raise RunAborted(self.state)

    def reserve_model_call(self) -> None:
        with self._one_exit():
            self._budget.reserve_model_call()

    def reserve_tool_call(self, tool: str) -> None:
        with self._one_exit():
            self._budget.reserve_tool_call(tool)

    def reserve_run_bytes(self, count: int) -> None:
        with self._one_exit():
            self._budget.reserve_run_bytes(count)

    def record_tokens(self, used: TokenUsage) -> None:
        with self._one_exit():
            self._budget.record_tokens(used)

    @contextmanager
    def _one_exit(self) -> Iterator[None]:
        try:
            yield
        except BudgetExceeded as exceeded:
            self.end(RunState.BUDGET_EXHAUSTED, str(exceeded.kind), str(exceeded))
            self._cancelled = self._cancelled or str(exceeded.kind)
            raise
