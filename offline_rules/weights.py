"""A table of small word groups and what each speaks for. Pure; the same on every machine.

The groups of a sentence are looked up, their weights added, the sums made shares. `fitting` makes such a table out of
labelled sentences; nobody writes one by hand.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

PER_UNIT: Final = 100
"""Weights are kept as whole hundredths."""
LONGEST_GROUP: Final = 3
_STEM: Final = 4
"""Letters of a piece of a word: an ending or a slip of the finger leaves the other pieces standing."""
PIECE: Final = re.compile(r"[a-z]+(?:['-][a-z]+)*|[0-9]+|[\u3400-\u9fff]|\?")

Weights = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class WeightTable:
    """Whole hundredths by group, one for each column; `bias` is added to every sentence."""

    bias: tuple[int, ...]
    weights: Weights
    fitted_on: str = ""
    """SHA-256 of the labelled sentences."""

    def sums(self, said: frozenset[str]) -> list[float]:
        """What the groups of a sentence weigh, for each column."""
        rows = (self.weights[group] for group in said if group in self.weights)
        return [sum(column) / PER_UNIT for column in zip(self.bias, *rows, strict=True)]

    def shares(self, said: frozenset[str]) -> tuple[float, ...]:
        """One for each column; they add up to 1."""
        sums = self.sums(said)
        top = max(sums)
        grown = [math.exp(total - top) for total in sums]
        whole = sum(grown)
        return tuple(share / whole for share in grown)

    def strongest(self, said: frozenset[str], column: int, at_most: int = 3) -> tuple[str, ...]:
        """Of `said` the groups that spoke most for a column against the mean of the others, the strongest first."""
        spoken = {g: self.weights[g] for g in said if g in self.weights}
        others = max(1, len(self.bias) - 1)
        ranked = sorted(spoken, key=lambda g: ((sum(spoken[g]) - spoken[g][column]) / others - spoken[g][column], g))
        return tuple(g for g in ranked[:at_most] if spoken[g][column] > 0)


def word_groups(pieces: Sequence[str], tag: str = "", longest: int = LONGEST_GROUP) -> Iterator[str]:
    """Up to `longest` pieces in a row, and two with one between, each led by `tag`; with the marks of both ends."""
    said = ["^", *pieces, "$"]
    for n in range(1, longest + 1):
        for at in range(len(said) - n + 1):
            yield tag + " ".join(said[at : at + n])
    for first, third in zip(said, said[2:], strict=False):
        yield f"{tag}{first} _ {third}"


def stems(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces of Latin words."""
    for word in pieces:
        if len(word) >= _STEM and word.isascii() and word[0] != "{":
            whole = f"<{word}>"
            for at in range(len(whole) - _STEM + 1):
                yield f"~{whole[at : at + _STEM]}"


def written(rows: Weights, digest: str) -> str:
    """As `parse_table` reads it."""
    return "".join([f"{digest}\n", *(f"{group}\t{' '.join(map(str, row))}\n" for group, row in sorted(rows.items()))])


def parse_table(text: str, columns: int) -> WeightTable:
    """The digest of the sentences, then `group<TAB>weight weight …`, one row of them for the empty group: the bias.
    Raises `ValueError` for anything else."""
    digest, _, table = text.partition("\n")
    rows = dict(_rows(table, columns))
    if "" not in rows:
        raise ValueError("table of weights: no row for the empty group")
    return WeightTable(rows.pop(""), rows, digest)


def _rows(text: str, columns: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    for number, line in enumerate(text.splitlines(), 2):
        group, _, written_row = line.partition("\t")
        row = tuple(int(weight) for weight in written_row.split())
        if len(row) != columns:
            raise ValueError(f"table of weights, line {number}: {columns} weights expected, {len(row)} found")
        yield group, row
