"""How much a sentence sounds like a call to stop: fitted on cries and on talk that has their words in it. Pure.

The lexicon (`stop`) hears what somebody thought of; people in fright say what nobody did ("not another inch", "kill
the servos", 让那条胳膊歇菜). Of a sentence count its word groups with the marks between them, those of its first and
its last clause by themselves, since who shouts does it first or last, and the order of the kinds of its words
(`data/kinds.toml`).
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import Final

from offline_rules.lexicon import DATA
from offline_rules.weights import WeightTable, parse_table, stems, word_groups

COLUMNS: Final = 1
"""How much more likely a stop than anything else."""
_FEW: Final = 8
_PIECE: Final = re.compile(r"[a-z]+(?:['-][a-z]+)*|[0-9]+|[\u3400-\u9fff]|[?!,.;:\"]")
_WORD: Final = re.compile(r"[a-z\u3400-\u9fff]")
_MARKS: Final = frozenset('?!,.;:"')
_SHORT_CLAUSE: Final = 6
"""Pieces; so short a clause counts as a whole too."""
_LONGEST_ORDER: Final = 4
_ANY: Final = "w"
"""Words of no kind, however many in a row."""


def likelihood(text: str) -> float:
    """The share, 0 to 1, that a normalised text is a call to stop."""
    if not _WORD.search(text):
        return 0.0
    (weighed,) = shipped_cries().sums(cry_groups(text))
    return 1.0 / (1.0 + math.exp(-weighed))


def speaks_for(text: str) -> tuple[str, ...]:
    """The word groups of a normalised text that spoke most for a stop, the strongest first."""
    return shipped_cries().strongest(cry_groups(text), 0)


def few_words(text: str) -> bool:
    """Whether a normalised text has too few for much to be weighed."""
    return sum(piece not in _MARKS for piece in _PIECE.findall(text)) <= _FEW


def cry_groups(text: str) -> frozenset[str]:
    """What counts of a normalised text: the keys of the table."""
    pieces = ["#" if piece.isdigit() else piece for piece in _PIECE.findall(text)]
    found = {*word_groups(pieces), *stems(pieces)}
    clauses = _clauses(pieces, _MARKS)
    for tag, clause in _ends(clauses, "first:", "last:"):
        found.update(word_groups(clause, tag), (tag + stem for stem in stems(clause)))
    found.update("clause:" + " ".join(clause) for clause in clauses if len(clause) <= _SHORT_CLAUSE)
    return frozenset(found.union(_orders(list(_kinds_of(pieces)))))


def _orders(kinds: Sequence[str]) -> Iterator[str]:
    yield from word_groups(kinds, "kinds:", _LONGEST_ORDER)
    known = [kind for kind in kinds if kind not in (_ANY, ",")]
    yield from word_groups(known, "known:", _LONGEST_ORDER)
    clauses = _clauses(kinds, frozenset(","))
    for tag, clause in _ends(clauses, "first kinds:", "last kinds:"):
        yield from word_groups(clause, tag)
    yield from (f"clause kinds:{' '.join(clause)}" for clause in clauses if len(clause) <= _SHORT_CLAUSE)
    yield from (f"both:{one}+{other}" for one, other in combinations(sorted(set(known)), 2))


def _clauses(pieces: Sequence[str], marks: frozenset[str]) -> list[list[str]]:
    clauses: list[list[str]] = [[]]
    for piece in pieces:
        if piece in marks:
            clauses.append([])
        else:
            clauses[-1].append(piece)
    return [clause for clause in clauses if clause]


def _ends(clauses: Sequence[list[str]], first: str, last: str) -> Sequence[tuple[str, list[str]]]:
    return ((first, clauses[0]), (last, clauses[-1])) if clauses else ()


def _kinds_of(pieces: Sequence[str]) -> Iterator[str]:
    """The kinds in their order; the longest word that begins at a piece, then what begins after it."""
    table, longest = _kinds()
    at, before = 0, ""
    while at < len(pieces):
        size = next((n for n in range(min(longest, len(pieces) - at), 0, -1) if tuple(pieces[at : at + n]) in table), 1)
        kind = table.get(tuple(pieces[at : at + size]), _ANY)
        if not kind == before == _ANY:
            yield kind
        at, before = at + size, kind


@cache
def _kinds() -> tuple[Mapping[tuple[str, ...], str], int]:
    """The kind of each word, cut as sentences are, and the pieces of the longest."""
    stops = tomllib.loads((DATA / "stop.toml").read_text(encoding="utf-8"))
    words: dict[str, list[str]] = {
        "compound": stops["compounds"],
        "button_name": stops["nouns"],
        "stop": [*stops["words_zh"], *stops["words_en"]],
        "danger": stops["dangers"],
    }
    for kind, more in tomllib.loads((DATA / "kinds.toml").read_text(encoding="utf-8")).items():
        words.setdefault(kind, []).extend(more)
    table: dict[tuple[str, ...], str] = {mark: _mark(mark[0]) for mark in ((m,) for m in _MARKS)}
    for kind, of_kind in words.items():
        for word in of_kind:
            table.setdefault(tuple(_PIECE.findall(word)), kind)
    return table, max(map(len, table))


def _mark(mark: str) -> str:
    return {"?": "asks", "!": "!", '"': '"'}.get(mark, ",")


@cache
def shipped_cries() -> WeightTable:
    return parse_table(files("offline_rules").joinpath("data", "cries.tsv").read_text(encoding="utf-8"), COLUMNS)
