"""A follow-up stands on a published conclusion, for a quarter of an hour, and on nothing else."""

from __future__ import annotations

import pytest

from edge_agent.diagnose.previous_turn import LASTS_S, MAX_TURNS, PreviousTurn, PreviousTurns, completed
from edge_agent.diagnose.target import Target
from edge_agent.messages.codes import ReleaseOutcome

TURN = PreviousTurn("run1", "t014", None, None, "no_part", ("r1",))
KEY = ("wang", "mqtt")


def after(outcome: ReleaseOutcome, turn: PreviousTurn | None = TURN) -> PreviousTurns:
    turns = PreviousTurns()
    turns.ended(KEY, outcome, turn, 0.0)
    return turns


def test_of_the_same_user_and_channel_for_a_while() -> None:
    turns = after(ReleaseOutcome.SUCCESS)
    assert turns.of(KEY, LASTS_S) == TURN
    assert turns.of(("wang", "console"), 1.0) is None
    assert turns.of(KEY, LASTS_S + 1) is None
    assert turns.of(KEY, 0.0) is None


@pytest.mark.parametrize("outcome", [o for o in ReleaseOutcome if o is not ReleaseOutcome.SUCCESS])
def test_only_a_success_is_carried_on(outcome: ReleaseOutcome) -> None:
    assert after(outcome).of(KEY, 1.0) is None


def test_a_fallback_takes_away_what_was_there() -> None:
    turns = after(ReleaseOutcome.SUCCESS)
    turns.ended(KEY, ReleaseOutcome.FALLBACK, None, 1.0)
    assert turns.of(KEY, 2.0) is None


def test_too_large_is_not_kept() -> None:
    big = PreviousTurn("run1", "t014", None, None, "no_part", ("r" * 17_000,))
    assert after(ReleaseOutcome.SUCCESS, big).of(KEY, 1.0) is None


def test_a_bounded_number() -> None:
    turns = PreviousTurns()
    for n in range(MAX_TURNS + 1):
        turns.ended((f"u{n}", "mqtt"), ReleaseOutcome.SUCCESS, TURN, 0.0)
    assert turns.of(("u0", "mqtt"), 0.0) is None
    assert turns.of((f"u{MAX_TURNS}", "mqtt"), 0.0) == TURN


COMPLETED = [
    (Target("那昨天呢？", since_ms=1), "t014"),
    (Target("and t015?", task_id="t015"), "t015"),
    (Target("arm_01 呢", device="arm_01"), None),
]


@pytest.mark.parametrize(("target", "task"), COMPLETED)
def test_it_fills_a_missing_target_alone(target: Target, task: str | None) -> None:
    assert completed(target, TURN).task_id == task
    assert completed(target, TURN).since_ms == target.since_ms
    assert completed(target, None) == target
