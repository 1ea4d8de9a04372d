"""A phrase as it is written → the flat sequences of keys it stands for.

`[x]` may be there or not, `(x|y)` is one of them, `@name` a macro of the pack. The number of sequences of one phrase is
bounded, because each is an entry of the index.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, TypeAlias

from offline_rules.normalise import fold

Element: TypeAlias = tuple[str, ...]
"""The keys of which a token must have one."""
Elements: TypeAlias = tuple[Element, ...]

TEXT: Final = "{text}"
MAX_VARIANTS: Final = 256
_MAX_DEPTH: Final = 4
_PIECE: Final = re.compile(r"\s*(<[a-z_]+>|\{[a-z]+\}|[\[\]()|]|[^\s<>{}\[\]()|@]+)")
_MACRO: Final = re.compile(r"@([a-z_]+)")
_SLOTS: Final = frozenset({"{item}", "{bin}", "{station}", "{device}", "{task}", "{window}", "{text}", "{object}"})


class PatternError(ValueError):
    """A phrase that can not be read; the message says which part."""


def expand(say: str, macros: Mapping[str, str]) -> tuple[Elements, ...]:
    """All sequences of `say`, without doubles, in order. Raises `PatternError`."""
    pieces = _pieces(_without_macros(say, macros))
    found, rest = _alternatives(pieces, 0)
    if rest != len(pieces):
        raise PatternError(f"{pieces[rest]!r} closes nothing")
    variants = tuple(dict.fromkeys(found))
    for variant in variants:
        _check(variant)
    return variants


def _without_macros(say: str, macros: Mapping[str, str]) -> str:
    for _ in range(_MAX_DEPTH):
        if "@" not in say:
            return say
        say = _MACRO.sub(lambda found: _macro(found.group(1), macros), say)
    raise PatternError("macros are nested too deeply or call themselves")


def _macro(name: str, macros: Mapping[str, str]) -> str:
    if name not in macros:
        raise PatternError(f"no macro @{name}")
    return macros[name]


def _pieces(say: str) -> list[str]:
    pieces, at = [], 0
    text = say.rstrip()
    while at < len(text):
        found = _PIECE.match(text, at)
        if found is None:
            raise PatternError(f"can not read {text[at:]!r}")
        pieces.append(found.group(1))
        at = found.end()
    return pieces


def _alternatives(pieces: list[str], at: int) -> tuple[list[Elements], int]:
    """Sequences up to a closing bracket or the end, and where that is."""
    branches: list[list[Elements]] = [[()]]
    while at < len(pieces) and pieces[at] not in ("]", ")"):
        if pieces[at] == "|":
            branches.append([()])
            at += 1
            continue
        options, at = _one(pieces, at)
        branches[-1] = [before + option for before in branches[-1] for option in options]
        if sum(map(len, branches)) > MAX_VARIANTS:
            raise PatternError(f"stands for more than {MAX_VARIANTS} sequences; split it")
    return _merged([sequence for branch in branches for sequence in branch]), at


def _merged(sequences: list[Elements]) -> list[Elements]:
    """Alternatives of one element each are one element with several keys."""
    single = [sequence[0] for sequence in sequences if len(sequence) == 1]
    if len(single) < 2:
        return sequences
    keys = tuple(dict.fromkeys(key for element in single for key in element))
    return [(keys,), *(sequence for sequence in sequences if len(sequence) != 1)]


def _one(pieces: list[str], at: int) -> tuple[list[Elements], int]:
    piece = pieces[at]
    if piece not in ("[", "("):
        return [((piece if piece[0] in "<{" else fold(piece),),)], at + 1
    inside, end = _alternatives(pieces, at + 1)
    closing = "]" if piece == "[" else ")"
    if end >= len(pieces) or pieces[end] != closing:
        raise PatternError(f"{piece!r} is not closed")
    return ([(), *inside] if piece == "[" else inside), end + 1


def _check(variant: Elements) -> None:
    if not variant:
        raise PatternError("a phrase may not be empty, nor may all of it be optional")
    for key in (key for element in variant for key in element):
        if key.startswith("{") and key not in _SLOTS:
            raise PatternError(f"no slot {key}; known are {', '.join(sorted(_SLOTS))}")
    if any(TEXT in element for element in variant[:-1]) or variant[0] == (TEXT,):
        raise PatternError("{text} stands at the end of a phrase, after something else")
    if TEXT in variant[-1] and len(variant[-1]) > 1:
        raise PatternError("{text} can not be one of several")
