"""Ask rather than act: when is the best intent good enough, and which ones are offered when it is not.

Rules
  * No score at all → `no_candidates`; best below `min_top_score` → `top_score_low`; lead over the second below
    `min_margin` → `margin_low`; else `confident`. Both comparisons are strict, a score on the line is enough.
  * Offered are the intents with a score of at least `MIN_CANDIDATE_SCORE`, best first, at most three. More than three
    make no list: the operator is asked to rephrase or to give the key field. None at all: the three usual ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias, TypedDict

from edge_agent.understand.scores import IntentScore, Scores, by_falling_score, top_two
from offline_rules.reading import Intent

__all__ = ["ClarifyEvidence", "IntentScore", "candidates", "order", "should_clarify"]
"""`IntentScore` belongs to the lesson's names and is imported from here too."""

MIN_TOP_SCORE = 0.55
MIN_MARGIN = 0.15
"""What holds until `calibrate` has fitted thresholds on labelled sentences."""

MIN_CANDIDATE_SCORE = 0.15
MAX_CANDIDATES = 3

USUAL = (Intent.QUERY_RULE, Intent.SUBMIT_FEEDBACK, Intent.CONTROL_DEVICE)
"""Offered where nothing stands out, in the order of the customer's own wording."""

ClarifyReason: TypeAlias = Literal["no_candidates", "top_score_low", "margin_low", "confident"]


class ClarifyEvidence(TypedDict):
    reason: ClarifyReason
    top_intent: str
    top_score: float
    second_score: float
    margin: float


def should_clarify(
    scores: Sequence[IntentScore], *, min_top_score: float, min_margin: float
) -> tuple[bool, ClarifyEvidence]:
    """Whether to ask back, and the figures that say why. A missing second counts as `("__none__", 0.0)`."""
    top, second = top_two(scores)
    reason = _reason(scores, top.score, top.score - second.score, min_top_score, min_margin)
    evidence = ClarifyEvidence(
        reason=reason,
        top_intent=top.intent,
        top_score=top.score,
        second_score=second.score,
        margin=top.score - second.score,
    )
    return reason != "confident", evidence


def candidates(scores: Iterable[IntentScore]) -> Scores:
    """What the model alone would offer: at most three, or nothing where more than three stand out."""
    likely = tuple(s for s in by_falling_score(scores) if s.score >= MIN_CANDIDATE_SCORE and s.intent != Intent.UNKNOWN)
    if not likely:
        return order(USUAL, scores)
    return likely if len(likely) <= MAX_CANDIDATES else ()


def order(intents: Iterable[Intent], scores: Iterable[IntentScore]) -> Scores:
    """The rules' own candidates, ordered by the model's scores (0 where it gave none), at most three."""
    score_of = {s.intent: s.score for s in scores}
    unique = dict.fromkeys(intents)
    return by_falling_score(IntentScore(i, score_of.get(i, 0.0)) for i in unique)[:MAX_CANDIDATES]


def _reason(
    scores: Sequence[IntentScore], top: float, margin: float, min_top_score: float, min_margin: float
) -> ClarifyReason:
    if not scores:
        return "no_candidates"
    if top < min_top_score:
        return "top_score_low"
    if margin < min_margin:
        return "margin_low"
    return "confident"
