"""What the words of a sentence lean to, where no phrase takes it in: a table of small word groups and their weights.

Deterministic and without a model: the groups of a sentence are looked up, their weights added, the sums made shares.
It never makes a command, a stop or a mood; the router gives it to those who may ask back or look something up, and a
stop that is only likely is none where it is certain that something is told or asked.
The table is fitted on labelled sentences by `fitting`; `words_for` says which groups decided, for the record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Final

from offline_rules.reading import Intent, Lean, Leaning
from offline_rules.tokens import Token
from offline_rules.weights import PIECE, WeightTable, parse_table, stems, word_groups

LEANS: Final[tuple[Intent, ...]] = tuple(Intent)
"""The columns of the table. UNKNOWN stands for what is ours and unclear, GENERAL for what is not ours."""
_NOT_A_VALUE: Final = frozenset({"window", "speed", "alarms", "text"})

SURE: Final = 0.85
TOLD_OR_ASKED: Final = frozenset({Intent.QUERY_RULE, Intent.QUERY_STATUS, Intent.SUBMIT_FEEDBACK, Intent.DIAGNOSE})
CERTAIN: Final = 0.95
NEXT_TO_NOTHING: Final = 0.02
"""27 phrases in 3,000 sentences nothing was fitted on were so contradicted, and the words were right each time."""
OVERRULING: Final = frozenset(
    {
        Intent.QUERY_RULE,
        Intent.QUERY_STATUS,
        Intent.SUBMIT_FEEDBACK,
        Intent.DIAGNOSE,
        Intent.CONTROL_DEVICE,
        Intent.UNKNOWN,
    }
)
"""Not small talk: a phrase is more than that. "Open or shut, whichever" is an unclear wish though a phrase hears a
question in it."""


def leaning_of(table: WeightTable, said: frozenset[str]) -> Leaning:
    """A share for every intent, largest first; they add up to 1. `said` are the `groups` of a sentence."""
    leans = (Lean(intent, share) for intent, share in zip(LEANS, table.shares(said), strict=True))
    return tuple(sorted(leans, key=lambda lean: (-lean.share, LEANS.index(lean.intent))))


def words_for(table: WeightTable, said: frozenset[str], intent: Intent) -> tuple[str, ...]:
    """The groups that spoke most for an intent, for the record."""
    return table.strongest(said, LEANS.index(intent))


def told_or_asked(leaning: Leaning) -> bool:
    """Whether the words are certain that something is told or asked."""
    return leaning[0].intent in TOLD_OR_ASKED and leaning[0].share >= CERTAIN


def overrules(leaning: Leaning, phrased: Intent) -> bool:
    """Whether the words are sure of something else than a phrase heard, and give its intent next to nothing.

    A phrase hears what it was written for and nothing beside it: "pick that glass at B up and bin it in one" names an
    item and a bin, and asks no rule. What then stands is a leaning, with all that a leaning may not do.
    """
    first = leaning[0]
    own = next((lean.share for lean in leaning if lean.intent is phrased), 0.0)
    return first.intent in OVERRULING and first.share >= SURE and own <= NEXT_TO_NOTHING


def groups(tokens: Iterable[Token]) -> frozenset[str]:
    """The word groups of a sentence: words or characters in a row, two with one between, pieces of words.

    A value of the cell stands there as its kind, a number as `#`: what is said of bin 2 is said of bin 5.
    """
    said = list(_pieces(tokens))
    return frozenset((*word_groups(said), *stems(said)))


@cache
def shipped_leaning() -> WeightTable:
    text = files("offline_rules").joinpath("data", "leaning.tsv").read_text(encoding="utf-8")
    return parse_table(text, len(LEANS))


def _pieces(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.slot is not None and token.slot.name not in _NOT_A_VALUE:
            yield f"{{{token.slot.name}}}"
        else:
            yield from ("#" if piece.isdigit() else piece for piece in PIECE.findall(token.text))
