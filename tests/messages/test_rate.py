"""A token bucket a user; time is a number."""

from __future__ import annotations

import pytest

from edge_agent.messages.rate import MAX_USERS, RateLimit, Rates


def test_burst_then_rate() -> None:
    rates = Rates(RateLimit(burst=3, per_s=2.0))
    assert [rates.within("op1", 0.0) for _ in range(5)] == [True, True, True, False, False]
    assert [rates.within("op1", 0.5), rates.within("op1", 0.5)] == [True, False]
    assert [rates.within("op1", 100.0) for _ in range(4)] == [True, True, True, False]


def test_users_do_not_share() -> None:
    rates = Rates(RateLimit(burst=1, per_s=1.0))
    assert rates.within("op1", 0.0)
    assert rates.within("op2", 0.0)
    assert not rates.within("op1", 0.0)


def test_a_clock_that_goes_back_gives_nothing() -> None:
    rates = Rates(RateLimit(burst=1, per_s=1.0))
    assert rates.within("op1", 10.0)
    assert not rates.within("op1", 0.0)


def test_many_users_are_bounded_and_the_one_who_waits_is_remembered() -> None:
    rates = Rates(RateLimit(burst=2, per_s=0.001))
    assert [rates.within("op1", 0.0) for _ in range(3)] == [True, True, False]
    for number in range(MAX_USERS + 50):
        rates.within(f"user{number}", 0.0)
    assert not rates.within("op1", 0.0)
    assert len(rates._buckets) <= MAX_USERS


@pytest.mark.parametrize(("burst", "per_s"), [(0, 1.0), (1, 0.0)])
def test_no_limit_that_never_opens(burst: int, per_s: float) -> None:
    with pytest.raises(ValueError, match="at least one"):
        RateLimit(burst, per_s)
