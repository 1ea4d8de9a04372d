"""When is the model "down"? A worker that keeps dying is left alone for a while. Pure: the clock is an argument.

CLOSED → three deaths within 60 s → OPEN → after its pause → HALF_OPEN → one good answer → CLOSED, one death → OPEN.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


class BreakerState(StrEnum):
    CLOSED = "CLOSED"
    OPEN = "OPEN"
    HALF_OPEN = "HALF_OPEN"


@dataclass(frozen=True, slots=True)
class BreakerPolicy:
    max_deaths: int = 3
    window_s: float = 60.0
    pause_s: float = 30.0
    """Long enough for an overloaded machine to recover, short enough that nobody restarts the agent for it."""
    first_delay_s: float = 0.2
    max_delay_s: float = 10.0


@dataclass(frozen=True, slots=True)
class Breaker:
    policy: BreakerPolicy = BreakerPolicy()
    state: BreakerState = BreakerState.CLOSED
    deaths: tuple[float, ...] = ()
    """Times of the last deaths, at most `max_deaths` of them."""
    open_until_s: float = 0.0

    def died(self, now_s: float) -> Breaker:
        recent = (*(t for t in self.deaths if now_s - t < self.policy.window_s), now_s)[-self.policy.max_deaths :]
        if self.state is BreakerState.HALF_OPEN or len(recent) >= self.policy.max_deaths:
            return replace(self, state=BreakerState.OPEN, deaths=recent, open_until_s=now_s + self.policy.pause_s)
        return replace(self, deaths=recent)

    def answered(self) -> Breaker:
        """Closes a half-open one. A closed one keeps its deaths, or a flapping worker would never open it."""
        if self.state is BreakerState.HALF_OPEN:
            return replace(self, state=BreakerState.CLOSED, deaths=())
        return self

    def tick(self, now_s: float) -> Breaker:
        if self.state is BreakerState.OPEN and now_s >= self.open_until_s:
            return replace(self, state=BreakerState.HALF_OPEN)
        return self

    def delay_s(self, now_s: float) -> float:
        """How long to wait before the next start: the pause while open, else doubling with each recent death."""
        if self.state is BreakerState.OPEN:
            return max(0.0, self.open_until_s - now_s)
        recent = sum(1 for t in self.deaths if now_s - t < self.policy.window_s)
        if recent == 0:
            return 0.0
        return min(self.policy.max_delay_s, self.policy.first_delay_s * 2.0 ** (recent - 1))
