"""Scored sentences against their labels: figures for each language, thresholds, and where the bars are. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from edge_agent.adapters.model.profile import Figures, FittedThreshold
from edge_agent.understand.clarify import MIN_MARGIN, MIN_TOP_SCORE, should_clarify
from edge_agent.understand.leaning import joined
from edge_agent.understand.scores import Scores, top_two
from edge_agent.understand.thresholds import RISK_OF, Risk, Thresholds
from offline_rules.reading import Intent, Lang, Leaning

LANGS: tuple[Lang, ...] = ("zh", "en")

WEIGHTS = tuple(n / 10 for n in range(10))
"""Never 1: what the model says has to count for something, or it need not be asked."""
GRID = (MIN_TOP_SCORE, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98)
MOST_WRONG: dict[Risk, float] = {Risk.READ: 0.05, Risk.WRITE: 0.15, Risk.MOTION: 0.10, Risk.STOP_ASK: 0.05}
"""Share of the sentences read as an intent of this risk, above threshold, that may be of another one. A read sentence
is answered; a wish to file, move or stop that no phrase heard is asked about first (which task, which action, stop
now?), so a wrong one costs a question. The tuning sentences are the odd ones of those that were written."""
LOWEST: dict[Risk, float] = {Risk.READ: MIN_TOP_SCORE, Risk.WRITE: 0.6, Risk.MOTION: 0.7, Risk.STOP_ASK: 0.8}
"""However well the fit went: a few hundred sentences do not show a rate below this."""

LEAST_ACCURACY = 0.90
LEAST_COVERAGE = 0.75
MOST_WRONG_ACTS = 0.02
"""The bars of the qualification, of the model by itself and in each language. A hundred sentences tell a model of nine
in ten from one of seven in ten, not from one of ninety-three; the words' leaning stands beside what passes."""


@dataclass(frozen=True, slots=True)
class Judged:
    text: str
    lang: Lang
    label: Intent
    scores: Scores

    @property
    def heard(self) -> str:
        return top_two(self.scores)[0].intent

    @property
    def right(self) -> bool:
        return self.heard == self.label

    def above(self, thresholds: Thresholds) -> bool:
        limit = thresholds.of(self.lang, self.heard)
        return not should_clarify(self.scores, min_top_score=limit.min_top_score, min_margin=limit.min_margin)[0]


def joined_with(judged: Sequence[Judged], leanings: Sequence[Leaning], weight: float) -> tuple[Judged, ...]:
    """The same sentences, heard by model and leaning together."""
    return tuple(
        replace(j, scores=joined(leaning, j.scores, weight)) for j, leaning in zip(judged, leanings, strict=True)
    )


def fit_weight(judged: Sequence[Judged], leanings: Sequence[Leaning]) -> float:
    """How much the leaning counts: what reads most of them right, the smallest of equals."""
    return max(WEIGHTS, key=lambda weight: (sum(j.right for j in joined_with(judged, leanings, weight)), -weight))


def fit_thresholds(judged: Sequence[Judged]) -> list[FittedThreshold]:
    """For each language and risk the lowest line on the grid that keeps wrong readings above it rare enough."""
    return [
        FittedThreshold(lang=lang, risk=risk, min_top_score=_line(judged, lang, risk), min_margin=MIN_MARGIN)
        for lang in LANGS
        for risk in Risk
    ]


def _line(judged: Sequence[Judged], lang: Lang, risk: Risk) -> float:
    own = [j for j in judged if j.lang == lang and RISK_OF.get(j.heard, Risk.READ) is risk]
    for line in (g for g in GRID if g >= LOWEST[risk]):
        over = [j for j in own if top_two(j.scores)[0].score >= line]
        if sum(not j.right for j in over) <= MOST_WRONG[risk] * len(over):
            return line
    return GRID[-1]


def figures(judged: Iterable[Judged], thresholds: Thresholds) -> list[Figures]:
    every = tuple(judged)
    return [_figures(lang, [j for j in every if j.lang == lang], thresholds) for lang in LANGS]


def _figures(lang: Lang, own: Sequence[Judged], thresholds: Thresholds) -> Figures:
    n = max(1, len(own))
    above = [j for j in own if j.above(thresholds)]
    wrong_acts = [j for j in above if j.heard == Intent.CONTROL_DEVICE and not j.right]
    return Figures(
        lang=lang,
        n=len(own),
        accuracy=sum(j.right for j in own) / n,
        coverage=len(above) / n,
        ask_rate=1 - len(above) / n,
        wrong_act_rate=len(wrong_acts) / n,
    )


def shortfalls(measured: Iterable[Figures]) -> list[str]:
    """Which bars were missed, each as a sentence; empty means qualified."""
    return [reason for f in measured for reason in _shortfalls(f)]


def _shortfalls(f: Figures) -> Iterable[str]:
    if f.n == 0:
        yield f"{f.lang}: no sentence to judge by"
        return
    if f.accuracy < LEAST_ACCURACY:
        yield f"{f.lang}: accuracy {f.accuracy:.1%}, at least {LEAST_ACCURACY:.0%} is needed"
    if f.coverage < LEAST_COVERAGE:
        yield f"{f.lang}: above threshold on {f.coverage:.1%}, at least {LEAST_COVERAGE:.0%} is needed"
    if f.wrong_act_rate > MOST_WRONG_ACTS:
        yield f"{f.lang}: wrongly read as control {f.wrong_act_rate:.1%}, at most {MOST_WRONG_ACTS:.0%} may be"


def confusion(judged: Iterable[Judged]) -> dict[tuple[Intent, str], int]:
    table: dict[tuple[Intent, str], int] = {}
    for j in judged:
        table[j.label, j.heard] = table.get((j.label, j.heard), 0) + 1
    return table
