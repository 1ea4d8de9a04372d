"""The breaker, over time as a value."""

from __future__ import annotations

from edge_agent.adapters.model.breaker import Breaker, BreakerPolicy, BreakerState

POLICY = BreakerPolicy(max_deaths=3, window_s=60, pause_s=30, first_delay_s=0.2, max_delay_s=1.0)


def after(*deaths_at_s: float) -> Breaker:
    breaker = Breaker(POLICY)
    for at_s in deaths_at_s:
        breaker = breaker.died(at_s)
    return breaker


def test_three_deaths_within_the_window_open_it() -> None:
    assert after(0, 1).state is BreakerState.CLOSED
    assert after(0, 1, 59.9).state is BreakerState.OPEN


def test_deaths_further_apart_do_not() -> None:
    assert after(0, 30, 60).state is BreakerState.CLOSED


def test_a_good_answer_between_deaths_does_not_hide_a_flapping_worker() -> None:
    assert after(0, 1).answered().died(2).state is BreakerState.OPEN


def test_it_is_half_open_after_its_pause_and_not_before() -> None:
    opened = after(0, 1, 2)
    assert opened.tick(31.9).state is BreakerState.OPEN
    assert opened.tick(32).state is BreakerState.HALF_OPEN


def test_half_open_one_answer_closes_one_death_opens() -> None:
    half = after(0, 1, 2).tick(32)
    assert half.answered().state is BreakerState.CLOSED
    assert half.died(100).state is BreakerState.OPEN
    assert half.died(100).open_until_s == 130


def test_restarts_back_off_up_to_a_bound() -> None:
    many = BreakerPolicy(max_deaths=9, first_delay_s=0.2, max_delay_s=1.0)
    breaker = Breaker(many)
    delays = []
    for n in range(5):
        breaker = breaker.died(float(n))
        delays.append(breaker.delay_s(float(n)))
    assert delays == [0.2, 0.4, 0.8, 1.0, 1.0]
    assert breaker.delay_s(1_000.0) == 0.0


def test_while_open_the_delay_is_what_is_left_of_the_pause() -> None:
    assert after(0, 1, 2).delay_s(12) == 20
