"""The words' own leaning beside the model's scores, or in their place. Pure.

The model knows no share for "ours, and unclear"; the leaning's share of UNKNOWN stands, and both share out the rest.
"""

from __future__ import annotations

from typing import Final

from edge_agent.understand.scores import IntentScore, NoUsableModel, Scores, by_falling_score
from offline_rules.leaning import SURE
from offline_rules.reading import Intent, Leaning, NoMatch, Reading

OURS: Final = 0.7
"""From this share on a sentence no phrase took in is about the cell, and is asked back rather than explained."""
UNFINISHED: Final = 0.6
MAY_BE_OURS: Final = 0.1
"""From this share on what the model is sure of is asked about, below it is talk of another world."""
BACKING: Final = 0.3
"""Of 1,400 sentences of other domains 4 are taken for ours with it, 14 without; of ours up to three in a hundred are
asked about instead of followed."""
_LEAST: Final = 1e-6
"""A share of nothing is no proof of the contrary."""


def likely(reading: Reading, model: Scores | NoUsableModel, weight: float) -> Scores:
    """How likely each intent is. Without a model the words speak only where no phrase did: a phrase needs no second."""
    if isinstance(model, NoUsableModel):
        return _as_scores(reading.leaning) if isinstance(reading.outcome, NoMatch) else ()
    return joined(reading.leaning, model, weight)


def joined(leaning: Leaning, model: Scores, weight: float) -> Scores:
    """`weight` 0 is the model alone, 1 the words alone: a mean of the logarithms."""
    if not leaning or not model or weight <= 0.0:
        return model
    shares = {lean.intent.value: lean.share for lean in leaning}
    unclear = shares.pop(Intent.UNKNOWN.value, 0.0)
    said = {score.intent: max(score.score, _LEAST) for score in model if score.intent in shares}
    both = {name: max(shares[name], _LEAST) ** weight * said[name] ** (1.0 - weight) for name in said}
    whole = sum(both.values())
    if whole <= 0.0:
        return model
    rest = [IntentScore(name, (1.0 - unclear) * value / whole) for name, value in both.items()]
    return by_falling_score([*rest, IntentScore(Intent.UNKNOWN.value, unclear)])


def backs(leaning: Leaning, intent: Intent) -> bool:
    """Whether the words have something for an intent that model and words together hear."""
    return any(lean.intent is intent and lean.share >= BACKING for lean in leaning)


def sure_of(leaning: Leaning, intent: Intent) -> bool:
    """Whether the words alone leave hardly a doubt."""
    return bool(leaning) and leaning[0].intent is intent and leaning[0].share >= SURE


def ours(leaning: Leaning) -> bool:
    """Whether the words are about the cell at all."""
    return _ours(leaning) >= OURS


def unclear(leaning: Leaning, *, unfinished: bool = False) -> bool:
    """Whether the words say outright that it is an unclear wish about the cell; less will do where it breaks off."""
    least = UNFINISHED if unfinished else OURS
    return any(lean.intent is Intent.UNKNOWN and lean.share >= least for lean in leaning)


def may_be_ours(leaning: Leaning) -> bool:
    """Whether the words leave it open."""
    return _ours(leaning) >= MAY_BE_OURS


def _ours(leaning: Leaning) -> float:
    return sum(lean.share for lean in leaning if lean.intent is not Intent.GENERAL)


def _as_scores(leaning: Leaning) -> Scores:
    return tuple(IntentScore(lean.intent.value, min(1.0, lean.share)) for lean in leaning)
