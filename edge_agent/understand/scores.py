"""Scores of intents: real probabilities from a model, or none at all. Pure data.

Units: a score is a probability, 0 to 1. A tuple of scores need not sum to one (cases may script any).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class IntentScore:
    """`intent` is a plain string here, because the lesson's callers bring their own names (`"__none__"` too)."""

    intent: str
    score: float

    def __post_init__(self) -> None:
        if not math.isfinite(self.score) or not 0.0 <= self.score <= 1.0:
            raise ValueError(f"score of {self.intent} must be a probability, 0 to 1, not {self.score!r}")


Scores: TypeAlias = tuple[IntentScore, ...]

NO_SECOND = IntentScore("__none__", 0.0)
"""Stands for a missing second (or first) candidate."""


class ModelCause(StrEnum):
    """Why there is no usable model. One condition for control whatever the cause; the word is for the operator."""

    NONE = "none"
    DOWN = "down"
    BREAKER_OPEN = "breaker_open"
    NOT_QUALIFIED = "not_qualified"


@dataclass(frozen=True, slots=True)
class NoUsableModel:
    cause: ModelCause


def by_falling_score(scores: Iterable[IntentScore]) -> Scores:
    """Highest first; equal scores keep their order, so the same input gives the same list."""
    return tuple(sorted(scores, key=lambda s: -s.score))


def top_two(scores: Iterable[IntentScore]) -> tuple[IntentScore, IntentScore]:
    first, second, *_ = (*by_falling_score(scores), NO_SECOND, NO_SECOND)
    return first, second
