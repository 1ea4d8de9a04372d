"""The figures of a set of sentences: what is asked, by language; intents; confusion; calibration. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from edge_agent.cases.language.heard import Group, Heard
from edge_agent.understand.interpretation import Disposition
from offline_rules.reading import Intent, Lang

LANGS: tuple[Lang, ...] = ("zh", "en")
BINS = 10


@dataclass(frozen=True, slots=True)
class Measure:
    """`hits` of `of`. `at_least` and `at_most` are shares; exactly one of them is the goal."""

    name: str
    hits: int
    of: int
    at_least: float | None = None
    at_most: float | None = None

    @property
    def share(self) -> float:
        return self.hits / self.of if self.of else 0.0

    @property
    def reached(self) -> bool:
        if not self.of:
            return True
        if self.at_least is not None:
            return self.share >= self.at_least
        return self.share <= (self.at_most or 0.0)

    @property
    def goal(self) -> str:
        return f"≥ {self.at_least:.0%}" if self.at_least is not None else f"≤ {self.at_most or 0:.1%}"


@dataclass(frozen=True, slots=True)
class IntentRow:
    intent: Intent
    n: int
    intents: int
    slots: int
    """Of those whose intent is right."""
    dispositions: int


@dataclass(frozen=True, slots=True)
class Bin:
    """Sentences whose best intent got a probability between `low` and `low` + 1 / BINS."""

    low: float
    n: int
    said: float
    """Mean probability."""
    right: float
    """Share whose best intent is the label."""


IN_SCOPE_GOAL = {True: 0.97, False: 0.90}
"""With a model and without."""
CLAIMED_GOAL: dict[Lang, float] = {"zh": 0.003, "en": 0.007}


def measures(every: Sequence[Heard], lang: Lang, *, with_model: bool) -> tuple[Measure, ...]:
    """What is asked of one language, in one set."""
    own = [h for h in every if h.lang == lang]
    scope = [h for h in own if h.group is Group.IN_SCOPE]
    right = [h for h in scope if h.right_intent]
    stops = [h for h in scope if h.intent is Intent.STOP]
    unclear = [h for h in own if h.group is Group.UNCLEAR]
    others = [h for h in own if h.group is Group.OTHER_DOMAIN]
    return (
        Measure("wrong motions", _count(own, lambda h: h.wrong_motion), len(own), at_most=0.0),
        Measure("stops heard", _count(stops, lambda h: h.read_disposition is Disposition.STOP), len(stops), 1.0),
        Measure("false stops", _count(own, lambda h: h.false_stop), len(own) - len(stops), at_most=0.0),
        Measure("in-scope intents", len(right), len(scope), IN_SCOPE_GOAL[with_model]),
        Measure("slots", _count(right, lambda h: h.right_slots), len(right), 0.95),
        Measure("in-scope outcomes", _count(scope, lambda h: h.right_disposition), len(scope), 0.90),
        Measure("unclear asked back", _count(unclear, lambda h: h.right_disposition), len(unclear), 0.90),
        Measure("other domains taken", _count(others, lambda h: h.claimed), len(others), at_most=CLAIMED_GOAL[lang]),
    )


def intent_rows(every: Sequence[Heard], lang: Lang) -> tuple[IntentRow, ...]:
    scope = [h for h in every if h.lang == lang and h.group is Group.IN_SCOPE]
    return tuple(_intent_row(intent, own) for intent in Intent if (own := [h for h in scope if h.intent is intent]))


def confusion(every: Iterable[Heard], lang: Lang) -> Counter[tuple[str, str]]:
    """(label, read intent) of the sentences in scope, and of small talk and other domains as GENERAL."""
    return Counter(
        (h.true_label.value, h.read_intent.value) for h in every if h.lang == lang and h.true_label is not None
    )


def calibration(every: Iterable[Heard]) -> tuple[Bin, ...]:
    """Only sentences a model was asked about and whose label it knows; empty bins are left out."""
    scored = [(h.top[1], h.top[0] == h.true_label) for h in every if h.top is not None and h.true_label is not None]
    bins = (_bin(n, [s for s in scored if min(BINS - 1, int(s[0] * BINS)) == n]) for n in range(BINS))
    return tuple(b for b in bins if b.n)


def expected_error(bins: Sequence[Bin]) -> float:
    """How far probability and truth lie apart, weighted by the number of sentences (ECE)."""
    n = sum(b.n for b in bins)
    return sum(b.n * abs(b.said - b.right) for b in bins) / n if n else 0.0


def _intent_row(intent: Intent, own: Sequence[Heard]) -> IntentRow:
    right = [h for h in own if h.right_intent]
    return IntentRow(
        intent,
        len(own),
        len(right),
        _count(right, lambda h: h.right_slots),
        _count(own, lambda h: h.right_disposition),
    )


def _bin(number: int, scored: Sequence[tuple[float, bool]]) -> Bin:
    n = len(scored)
    said, right = sum(p for p, _ in scored), sum(ok for _, ok in scored)
    return Bin(number / BINS, n, said / n if n else 0.0, right / n if n else 0.0)


def _count(every: Iterable[Heard], test: Callable[[Heard], bool]) -> int:
    return sum(map(test, every))
