"""What the words of a sentence lean to, where no phrase takes it in: a table of small word groups and their weights.

Deterministic and without a model: the groups of a sentence are looked up, their weights added, the sums made shares.
It never makes a command, a stop or a mood; the router gives it to those who may ask back or look something up.
The table is fitted on labelled sentences by `fit_leaning`; `words` says which groups decided, for the record.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from offline_rules.reading import Intent, Lean, Leaning
from offline_rules.tokens import Token

LEANS: Final[tuple[Intent, ...]] = tuple(Intent)
"""The columns of the table. UNKNOWN stands for what is ours and unclear, GENERAL for what is not ours."""
PER_UNIT: Final = 100
"""Weights are kept as whole hundredths."""
LONGEST_GROUP: Final = 3
_PIECE: Final = re.compile(r"[a-z]+(?:['-][a-z]+)*|[0-9]+|[\u3400-\u9fff]|\?")
_STEM: Final = 4
"""Letters of a piece of a word: an ending or a slip of the finger leaves the other pieces standing."""
_NOT_A_VALUE: Final = frozenset({"window", "speed", "alarms", "text"})

SURE: Final = 0.85
A_STOP: Final = 0.4
"""Of 45,300 labelled and public sentences, those in a plain statement with a stop word that nothing rules out: 49 that
are no stop got 0.03 or less, 5 that are got more than 0.5."""
TOLD_OR_ASKED: Final = frozenset({Intent.QUERY_RULE, Intent.QUERY_STATUS, Intent.SUBMIT_FEEDBACK, Intent.DIAGNOSE})
CERTAIN: Final = 0.95
HARDLY_A_STOP: Final = 0.003
"""In the same sentences, those whose stop word is one among others: of 49 stops none is taken back by it (the least got
0.0067), of 32 that are none 10 are. An order with a stop word in it stays a stop."""
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

Weights = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class LeaningTable:
    """Whole hundredths by group, one for each of `LEANS`; `bias` is added to every sentence."""

    bias: tuple[int, ...]
    weights: Weights
    fitted_on: str = ""
    """SHA-256 of the labelled sentences."""

    def of(self, said: frozenset[str]) -> Leaning:
        """A share for every intent, largest first; they add up to 1. `said` are the `groups` of a sentence."""
        rows = (self.weights[group] for group in said if group in self.weights)
        sums = [sum(column) for column in zip(self.bias, *rows, strict=True)]
        top = max(sums)
        grown = [math.exp((total - top) / PER_UNIT) for total in sums]
        whole = sum(grown)
        return tuple(
            sorted(
                (Lean(intent, share / whole) for intent, share in zip(LEANS, grown, strict=True)),
                key=lambda lean: (-lean.share, LEANS.index(lean.intent)),
            )
        )

    def words(self, said: frozenset[str], intent: Intent, at_most: int = 3) -> tuple[str, ...]:
        """Of `said` the groups that spoke most for an intent against the mean of all, the strongest first."""
        column = LEANS.index(intent)
        spoken = {g: self.weights[g] for g in said if g in self.weights}
        ranked = sorted(spoken, key=lambda g: (sum(spoken[g]) / len(LEANS) - spoken[g][column], g))
        return tuple(g for g in ranked[:at_most] if spoken[g][column] > 0)


def to_a_stop(leaning: Leaning, least: float = A_STOP) -> bool:
    """Whether the words lean to a stop: with a stop word that nothing rules out, one in doubt."""
    return any(lean.intent is Intent.STOP and lean.share >= least for lean in leaning)


def told_or_asked(leaning: Leaning) -> bool:
    """Whether the words are sure that something is told or asked, and see hardly a stop in it."""
    stop = next((lean.share for lean in leaning if lean.intent is Intent.STOP), 0.0)
    return leaning[0].intent in TOLD_OR_ASKED and leaning[0].share >= CERTAIN and stop <= HARDLY_A_STOP


def overrules(leaning: Leaning, phrased: Intent) -> bool:
    """Whether the words are sure of something else than a phrase heard, and give its intent next to nothing.

    A phrase hears what it was written for and nothing beside it: "pick that glass at B up and bin it in one" names an
    item and a bin, and asks no rule. What then stands is a leaning, with all that a leaning may not do.
    """
    first = leaning[0]
    own = next((lean.share for lean in leaning if lean.intent is phrased), 0.0)
    return first.intent in OVERRULING and first.share >= SURE and own <= NEXT_TO_NOTHING


def groups(tokens: Iterable[Token]) -> frozenset[str]:
    """The word groups of a sentence: up to three words or characters in a row, two with one between, pieces of words.

    A value of the cell stands there as its kind, a number as `#`: what is said of bin 2 is said of bin 5.
    """
    said = ["^", *_pieces(tokens), "$"]
    found = {" ".join(said[at : at + n]) for n in range(1, LONGEST_GROUP + 1) for at in range(len(said) - n + 1)}
    found.update(f"{first} _ {third}" for first, third in zip(said, said[2:], strict=False))
    for word in said:
        if len(word) >= _STEM and word.isascii() and word[0] != "{":
            whole = f"<{word}>"
            found.update(f"~{whole[at : at + _STEM]}" for at in range(len(whole) - _STEM + 1))
    return frozenset(found)


def parse_table(text: str) -> LeaningTable:
    """The digest of the sentences, then `group<TAB>weight weight …`, one row of them for the empty group: the bias.
    Raises `ValueError` for anything else."""
    digest, _, table = text.partition("\n")
    rows = dict(_rows(table))
    if "" not in rows:
        raise ValueError("leaning table: no row for the empty group")
    return LeaningTable(rows.pop(""), rows, digest)


@cache
def shipped_leaning() -> LeaningTable:
    return parse_table(files("offline_rules").joinpath("data", "leaning.tsv").read_text(encoding="utf-8"))


def _pieces(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.slot is not None and token.slot.name not in _NOT_A_VALUE:
            yield f"{{{token.slot.name}}}"
        else:
            yield from ("#" if piece.isdigit() else piece for piece in _PIECE.findall(token.text))


def _rows(text: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    for number, line in enumerate(text.splitlines(), 2):
        group, _, written = line.partition("\t")
        row = tuple(int(weight) for weight in written.split())
        if len(row) != len(LEANS):
            raise ValueError(f"leaning table, line {number}: {len(LEANS)} weights expected, {len(row)} found")
        yield group, row
