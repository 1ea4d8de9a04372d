"""The life of a run as a table: the first terminal state is kept, later ones are written down as late.

```
            SUCCESS  FAILED  CANCELLED  TIMED_OUT  BUDGET_EXHAUSTED
RUNNING     set      set     set        set        set
terminal    late     late    late       late       late
```
Nothing goes back to `RUNNING`. Pure: the moment is an argument (seconds of the run's monotonic clock).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, Literal, TypeAlias

MAX_LATE: Final = 16
"""Late ends kept for the record; more of them say nothing new, and every buffer has a maximum."""


class RunState(StrEnum):
    RUNNING = "RUNNING"
    SUCCESS = "SUCCESS"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"
    TIMED_OUT = "TIMED_OUT"
    BUDGET_EXHAUSTED = "BUDGET_EXHAUSTED"


TERMINAL: Final[tuple[RunState, ...]] = tuple(s for s in RunState if s is not RunState.RUNNING)

Effect: TypeAlias = Literal["set", "late"]

TABLE: Final[Mapping[tuple[RunState, RunState], Effect]] = {
    (now, end): "set" if now is RunState.RUNNING else "late" for now in RunState for end in TERMINAL
}
"""(state now, terminal state asked for) -> what happens. A pair that is not here is a mistake of the caller."""


class RunAborted(Exception):
    """The run has ended; whatever still works for it stops here. `state` is the terminal state that was kept."""

    def __init__(self, state: RunState) -> None:
        super().__init__(f"the run has ended: {state}")
        self.state = state


@dataclass(frozen=True, slots=True)
class LateEnd:
    """A terminal state that came second and changed nothing."""

    state: RunState
    reason: str
    at: float


@dataclass(frozen=True, slots=True)
class RunTermination:
    """Why execution stopped. `at` in seconds of the run's monotonic clock; `first_error` is the first error met,
    for the journal alone and never for an operator."""

    state: RunState
    reason: str
    at: float
    first_error: str | None = None
    late: tuple[LateEnd, ...] = ()


@dataclass(slots=True)
class Lifecycle:
    """One run's state. Only `end` changes it."""

    termination: RunTermination | None = field(default=None, init=False)

    @property
    def state(self) -> RunState:
        return RunState.RUNNING if self.termination is None else self.termination.state

    def end(self, state: RunState, reason: str, at: float, first_error: str | None = None) -> bool:
        """True when this call ended the run; False when it came late. ValueError for `RUNNING`."""
        effect = TABLE.get((self.state, state))
        if effect is None:
            raise ValueError(f"{state} ends no run")
        if self.termination is None:
            self.termination = RunTermination(state, reason, at, first_error)
            return True
        late = (*self.termination.late, LateEnd(state, reason, at))[:MAX_LATE]
        self.termination = replace(self.termination, late=late)
        return False
