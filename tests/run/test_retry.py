"""One table for every answer to "may it be tried again?"."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from edge_agent.messages.codes import RETRYABLE_ERROR_CODES, ErrorCode, RetryDecision
from edge_agent.run.retry import NEVER_RETRIED, RETRYABLE, Decision, Failure, NextStep, RetryPolicy, next_step


def highest(_low: float, high: float) -> float:
    return high


def lowest(low: float, _high: float) -> float:
    return low


def test_the_words_are_those_of_the_wire() -> None:
    assert {str(code) for code in RETRYABLE_ERROR_CODES} == RETRYABLE
    assert {str(code) for code in ErrorCode} >= NEVER_RETRIED
    assert set(get_args(Decision)) == {str(decision) for decision in RetryDecision}


def failed(code: str = "TIMEOUT", **more: Any) -> Failure:
    return Failure(**{"code": code, "attempt": 1, "elapsed_s": 0.0, "left_s": 30.0, **more})


ANSWERS: list[tuple[str, Failure, NextStep]] = [
    ("a starred code", failed(), NextStep("retry", 0.3)),
    ("the second pause is longer", failed(attempt=2), NextStep("retry", 0.5)),
    ("no attempt left", failed(attempt=3), NextStep("no_retry_reach_max_attempts")),
    ("another code", failed("NOT_FOUND"), NextStep("no_retry_non_retryable")),
    ("permission", failed("PERMISSION_DENIED"), NextStep("no_retry_non_retryable")),
    ("permission at an arm tool", failed("PERMISSION_DENIED", control=True), NextStep("no_retry_non_retryable")),
    ("input at an arm tool", failed("INPUT_INVALID", control=True), NextStep("no_retry_non_retryable")),
    ("an arm tool", failed("SERVICE_UNAVAILABLE", control=True), NextStep("no_retry_control")),
    ("an arm tool, late", failed("RECEIPT_LATE", control=True, attempt=3), NextStep("no_retry_control")),
    ("budget", failed("BUDGET_EXHAUSTED"), NextStep("no_retry_budget")),
    ("the pause would pass the deadline", failed(left_s=0.3), NextStep("no_retry_deadline")),
    ("the pause just fits", failed(left_s=0.301), NextStep("retry", 0.3)),
    ("the policy's own time is over", failed(elapsed_s=4.8), NextStep("no_retry_deadline")),
    ("the policy's own time just fits", failed(elapsed_s=4.7), NextStep("retry", 0.3)),
]


@pytest.mark.parametrize(("failure", "expected"), [a[1:] for a in ANSWERS], ids=[a[0] for a in ANSWERS])
def test_next_step(failure: Failure, expected: NextStep) -> None:
    assert next_step(RetryPolicy(), failure, highest) == expected


@pytest.mark.parametrize(
    ("policy", "failed_before", "expected"),
    [
        (RetryPolicy(), 0, 0.2),
        (RetryPolicy(), 3, 1.6),
        (RetryPolicy(backoff="fixed"), 3, 0.2),
        (RetryPolicy(base_delay_s=0, jitter_s=0), 2, 0.0),
        (RetryPolicy(base_delay_s=0.12345, jitter_s=0), 0, 0.123),
    ],
)
def test_delay(policy: RetryPolicy, failed_before: int, expected: float) -> None:
    assert policy.delay_s(failed_before, lowest) == expected


def test_a_delay_is_never_below_zero() -> None:
    assert RetryPolicy(base_delay_s=0.1).delay_s(0, lambda _low, _high: -5.0) == 0.0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("max_attempts", 0),
        ("max_attempts", 11),
        ("backoff", "linear"),
        ("base_delay_s", -0.1),
        ("base_delay_s", float("nan")),
        ("jitter_s", float("inf")),
        ("max_elapsed_s", -1),
        ("retryable_error_codes", {"PERMISSION_DENIED"}),
    ],
)
def test_a_policy_out_of_bounds_is_refused_by_name(field: str, value: object) -> None:
    with pytest.raises(ValueError, match=field):
        RetryPolicy(**{field: value})  # type: ignore[arg-type]


def test_a_policy_may_name_fewer_codes() -> None:
    policy = RetryPolicy(retryable_error_codes=("RATE_LIMIT",))  # type: ignore[arg-type]
    assert next_step(policy, failed("TIMEOUT"), lowest).decision == "no_retry_non_retryable"
    assert next_step(policy, failed("RATE_LIMIT"), lowest).decision == "retry"
