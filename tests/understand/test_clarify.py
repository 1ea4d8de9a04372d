"""The thresholds are strict, the evidence is complete, and the list is short or not there."""

from __future__ import annotations

import math

import pytest

from edge_agent.understand.clarify import candidates, order, should_clarify
from edge_agent.understand.scores import IntentScore
from offline_rules.reading import Intent


def scores(*pairs: tuple[str, float]) -> tuple[IntentScore, ...]:
    return tuple(IntentScore(i, s) for i, s in pairs)


@pytest.mark.parametrize(
    ("given", "asks", "reason"),
    [
        ((), True, "no_candidates"),
        ((("QUERY_RULE", 0.41), ("SUBMIT_FEEDBACK", 0.39), ("GENERAL", 0.2)), True, "top_score_low"),
        ((("QUERY_RULE", 0.5499),), True, "top_score_low"),
        ((("QUERY_RULE", 0.55),), False, "confident"),
        ((("A", 0.625), ("B", 0.5)), True, "margin_low"),
        ((("A", 0.75), ("B", 0.5)), False, "confident"),
        ((("B", 0.1), ("A", 0.9)), False, "confident"),
    ],
)
def test_reason(given: tuple[tuple[str, float], ...], asks: bool, reason: str) -> None:
    got, evidence = should_clarify(scores(*given), min_top_score=0.55, min_margin=0.15)
    assert (got, evidence["reason"]) == (asks, reason)


def test_on_the_line_is_enough_for_both_comparisons() -> None:
    assert not should_clarify(scores(("A", 0.75), ("B", 0.25)), min_top_score=0.75, min_margin=0.5)[0]


def test_a_missing_second_counts_as_zero() -> None:
    _, evidence = should_clarify(scores(("A", 0.7)), min_top_score=0.55, min_margin=0.15)
    assert evidence == {
        "reason": "confident", "top_intent": "A", "top_score": 0.7, "second_score": 0.0, "margin": 0.7,
    }  # fmt: skip


def test_no_score_names_no_intent() -> None:
    _, evidence = should_clarify((), min_top_score=0.55, min_margin=0.15)
    assert (evidence["top_intent"], evidence["top_score"]) == ("__none__", 0.0)


@pytest.mark.parametrize("wrong", [-0.1, 1.1, math.nan, math.inf])
def test_a_score_is_a_probability(wrong: float) -> None:
    with pytest.raises(ValueError, match="probability"):
        IntentScore("A", wrong)


def test_candidates_by_falling_score_from_the_line_on() -> None:
    got = candidates(scores(("GENERAL", 0.2), ("QUERY_RULE", 0.41), ("DIAGNOSE", 0.1499), ("SUBMIT_FEEDBACK", 0.15)))
    assert [c.intent for c in got] == ["QUERY_RULE", "GENERAL", "SUBMIT_FEEDBACK"]


def test_more_than_three_make_no_list() -> None:
    assert candidates(scores(("A", 0.25), ("B", 0.25), ("C", 0.25), ("D", 0.25))) == ()


def test_none_at_all_offers_the_usual_three() -> None:
    even = scores(*((i.value, 1 / 7) for i in Intent if i is not Intent.UNKNOWN))
    assert [c.intent for c in candidates(even)] == ["QUERY_RULE", "SUBMIT_FEEDBACK", "CONTROL_DEVICE"]
    assert [c.score for c in candidates(())] == [0.0, 0.0, 0.0]


def test_the_model_only_orders_the_rules_candidates() -> None:
    got = order((Intent.QUERY_RULE, Intent.CONTROL_DEVICE), scores(("DIAGNOSE", 0.9), ("CONTROL_DEVICE", 0.08)))
    assert [(c.intent, c.score) for c in got] == [("CONTROL_DEVICE", 0.08), ("QUERY_RULE", 0.0)]
