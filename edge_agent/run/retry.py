"""May a failed call be tried again, and after what pause? One pure function; whoever drives it brings the sleep.

Order of the answers, the first that fits:
  1 PERMISSION_DENIED, INPUT_INVALID          no_retry_non_retryable       (arm tools too)
  2 an arm tool                               no_retry_control             (whatever else failed)
  3 the run's budget is gone                  no_retry_budget
  4 a code that the policy does not name      no_retry_non_retryable
  5 no attempt left                           no_retry_reach_max_attempts
  6 the pause would pass the run's deadline or the policy's own `max_elapsed_s`   no_retry_deadline
  7 else                                      retry

Error codes and decisions are plain strings here: this room knows no other. The closed lists stand in
`edge_agent.messages.codes`, and a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Decision: TypeAlias = Literal[
    "retry",
    "no_retry_non_retryable",
    "no_retry_reach_max_attempts",
    "no_retry_control",
    "no_retry_budget",
    "no_retry_deadline",
]

RETRYABLE: Final = frozenset({"TIMEOUT", "SERVICE_UNAVAILABLE", "RATE_LIMIT", "CONNECTION_ERROR"})
NEVER_RETRIED: Final = frozenset({"PERMISSION_DENIED", "INPUT_INVALID"})
"""Codes that no policy may name: another try with the same words and the same role gives the same answer."""
BUDGET_CODE: Final = "BUDGET_EXHAUSTED"
BACKOFFS: Final = ("fixed", "exponential")
MAX_ATTEMPTS: Final = 10


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """`base_delay_s`, `jitter_s` and `max_elapsed_s` in seconds >= 0. ValueError on anything out of bounds."""

    max_attempts: int = 3
    base_delay_s: float = 0.2
    backoff: Literal["fixed", "exponential"] = "exponential"
    jitter_s: float = 0.1
    retryable_error_codes: frozenset[str] = RETRYABLE
    max_elapsed_s: float = 5.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "retryable_error_codes", frozenset(self.retryable_error_codes))
        for wrong, message in (
            (not 1 <= self.max_attempts <= MAX_ATTEMPTS, f"max_attempts: expected 1 to {MAX_ATTEMPTS}"),
            (self.backoff not in BACKOFFS, f"backoff: expected one of {', '.join(BACKOFFS)}"),
            (not 0 <= self.base_delay_s < float("inf"), "base_delay_s: expected seconds >= 0"),
            (not 0 <= self.jitter_s < float("inf"), "jitter_s: expected seconds >= 0"),
            (not 0 <= self.max_elapsed_s < float("inf"), "max_elapsed_s: expected seconds >= 0"),
            (
                not self.retryable_error_codes <= RETRYABLE,
                f"retryable_error_codes: only {', '.join(sorted(RETRYABLE))}",
            ),
        ):
            if wrong:
                raise ValueError(f"retry policy, {message}")

    def delay_s(self, failed: int, uniform: Callable[[float, float], float]) -> float:
        """The pause after the `failed`-th failure, counted from 0, in seconds with 3 decimals."""
        factor = 2**failed if self.backoff == "exponential" else 1
        return round(max(0.0, self.base_delay_s * factor + uniform(0.0, self.jitter_s)), 3)


NO_RETRY: Final = RetryPolicy(max_attempts=1)


@dataclass(frozen=True, slots=True)
class NextStep:
    """`sleep_s` is 0 unless the decision is `retry`."""

    decision: Decision
    sleep_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed attempt (from 1) of a call that began `elapsed_s` ago, in a run with `left_s` to its deadline."""

    code: str
    attempt: int
    elapsed_s: float
    left_s: float
    control: bool = False


def next_step(policy: RetryPolicy, failure: Failure, uniform: Callable[[float, float], float]) -> NextStep:
    """What to do after `failure`; `uniform(low, high)` is the source of chance."""
    refused = _refused(policy, failure)
    if refused is not None:
        return NextStep(refused)
    sleep_s = policy.delay_s(failure.attempt - 1, uniform)
    if sleep_s >= failure.left_s or failure.elapsed_s + sleep_s > policy.max_elapsed_s:
        return NextStep("no_retry_deadline")
    return NextStep("retry", sleep_s)


def _refused(policy: RetryPolicy, failure: Failure) -> Decision | None:
    rows: tuple[tuple[bool, Decision], ...] = (
        (failure.code in NEVER_RETRIED, "no_retry_non_retryable"),
        (failure.control, "no_retry_control"),
        (failure.code == BUDGET_CODE, "no_retry_budget"),
        (failure.code not in policy.retryable_error_codes, "no_retry_non_retryable"),
        (failure.attempt >= policy.max_attempts, "no_retry_reach_max_attempts"),
    )
    return next((decision for fits, decision in rows if fits), None)
