"""Which one motion the words of a sentence speak of, where no phrase takes it in whole. Pure; a table.

Enough to ask "do you mean: place paper in bin 1?" instead of "what shall it do?", and never a command: the words may
stand in any order and anything may stand beside them, which is told with the question. Where they speak of two motions,
of a thing the cell does not know, of the opposite or of somebody in danger (`data/wish.toml`), they speak of none.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final

from offline_rules.lexicon import DATA
from offline_rules.mood import words_pattern
from offline_rules.reading import Bare
from offline_rules.stop import names_danger
from offline_rules.tokens import Token


@dataclass(frozen=True, slots=True)
class _Motion:
    """`words` are classes, the most telling first: the action stands on the first that is said. All of `needs` and
    one of `one_of` stand in the sentence, none of `never`."""

    action: str
    words: tuple[str, ...]
    needs: frozenset[str] = frozenset()
    one_of: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Wished:
    """An action and the word it stands on."""

    action: str
    word: Token


_HOME_PLACE: Final = frozenset({"<home_spot>", "<home_place>", "<go_home>", "<return_home>"})
_PARK_PLACE: Final = frozenset({"<park_place>", "<park_alone>"})
_HELD: Final = frozenset({"<held>", "<held_thing>", "<gripper>"})
_GRAB: Final = ("<pick_and_place>", "<pick>", "<take>", "<carry>")
_PICK: Final = frozenset({"<pick_and_place>", "<pick>", "<take>"})
_GRIPS: Final = frozenset({"<pick_and_place>", "<pick>"})
"""`take` is no such word: people take the arm to a station."""
_PUT: Final = ("<place>", "<ungrip>")
_GO: Final = ("<move>", "<go_to>", "<send>")
_TO: Final = ("<towards>", "<into>")
_WITH_ITEM_AND_BIN: Final = frozenset({"{item}", "{bin}"})
_BIN: Final = frozenset({"{bin}"})
_ITEM: Final = frozenset({"{item}"})
_STATION: Final = frozenset({"{station}"})
_GRIPPER: Final = frozenset({"<gripper>"})

_MOTIONS: Final = (
    _Motion("home", (*sorted(_HOME_PLACE), "<home>", "<home_verb>"), never=_PARK_PLACE),
    _Motion("park", (*sorted(_PARK_PLACE), "<park_verb>", "<park>"), never=_HOME_PLACE),
    _Motion("open_gripper", ("<open_alone>",), never=_BIN),
    _Motion("open_gripper", ("<open>", "<open_zh>", "<ungrip>"), _GRIPPER, never=_BIN),
    _Motion("close_gripper", ("<close_alone>",), never=_BIN),
    _Motion("close_gripper", ("<close>", "<close_zh>", "<grip>"), _GRIPPER, never=_BIN),
    _Motion("pick_place", _GRAB, _WITH_ITEM_AND_BIN, never=_HELD),
    _Motion("pick_place", ("<place>", "<move>", "<send>"), _WITH_ITEM_AND_BIN | _STATION, never=_HELD),
    _Motion("place", (*_PUT, "<carry>"), _BIN, one_of=_HELD, never=_PICK),
    _Motion("place", _PUT, _BIN, never=_STATION | frozenset(_GRAB)),
    _Motion("pick", ("<pick>", "<take>"), _ITEM, never=_BIN),
    _Motion("move", _GO, _STATION, never=_BIN | _ITEM | _HOME_PLACE | _PARK_PLACE | _GRIPS),
    _Motion("move", _TO, _STATION, never=_BIN | _ITEM | _HOME_PLACE | _PARK_PLACE | frozenset((*_GRAB, *_PUT))),
)
_OURS: Final = _HELD | {"<arm>"} | {word for motion in _MOTIONS for word in motion.words}
_PLACES: Final = frozenset({"<bin_word>", "<station_word>", "<up>", "<thing_word>"})
_FREE: Final = frozenset({"<polite>", "<function>"})
_SMALL: Final = _PLACES | _FREE | {"<it>", "<and>", "<let>", "<to>", "<from>", "<back>", "<sitting>", "<ba>", "<of>"}
_OUT_OF: Final = frozenset({"from", "out of", "off", "off of", "从", "自", "由"})
_NAMES_A_PLACE: Final = frozenset({"<bin_word>", "<station_word>", "<into>", "<towards>"})
_WARNS: Final = frozenset({"小心", "注意", "当心", "留神", "careful", "watch", "mind"})
_NOT_OURS: Final = frozenset({"<foreign>", "<personal>"})
_NO_WORDS: Final = frozenset({"item_type", "bin", "station", "device", "task_id"})
"""A value's own words tell no action: in 放置区 there is no 放."""


def wished(text: str, tokens: Sequence[Token]) -> Wished | None:
    """The one motion that the tokens of a normalised text speak of, or None for none or several."""
    said = frozenset(key for token in tokens for key in token.keys)
    if any(map(_not_ours, tokens)) or _told_otherwise(text, tokens):
        return None
    words = [token for token in tokens if token.slot is None or token.slot.name not in _NO_WORDS]
    spoken = {wish.action: wish for motion in reversed(_MOTIONS) if (wish := _of(motion, said, words)) is not None}
    return next(iter(spoken.values())) if len(spoken) == 1 else None


def _not_ours(token: Token) -> bool:
    """A bomb, a phone; the gripper's fingers are nobody's, unless somebody says whose (`data/wish.toml`)."""
    return not token.keys.isdisjoint(_NOT_OURS) and token.keys.isdisjoint(_OURS)


def bare(tokens: Sequence[Token]) -> Bare:
    """What a text is where it is nothing but values and polite words, or words of a motion beside them."""
    rest = [t for t in tokens if t.slot is None and not t.polite]
    if any(t.text in _WARNS for t in tokens):
        return Bare.NO
    if all(not t.keys.isdisjoint(_NAMES_A_PLACE) for t in rest):
        return Bare.VALUE
    return Bare.MOTION if all(not t.keys.isdisjoint(_OURS | _PLACES) for t in rest) else Bare.NO


def beside(tokens: Sequence[Token]) -> tuple[tuple[int, int], ...]:
    """The stretches that say nothing of a motion, and may say something against it: told with the question."""
    runs: list[tuple[int, int]] = []
    joins = False
    for token in tokens:
        if _says_something(token):
            runs = [*runs[:-1], (runs[-1][0], token.end)] if joins else [*runs, (token.start, token.end)]
        joins = bool(runs) and (_says_something(token) or (joins and not _FREE.isdisjoint(token.keys)))
    return tuple(runs)


def _says_something(token: Token) -> bool:
    known = token.slot is not None or token.polite or not token.keys.isdisjoint(_OURS | _SMALL)
    return token.text[0].isalnum() and not known


def _told_otherwise(text: str, tokens: Sequence[Token]) -> bool:
    """Danger, another machine, a place that is not the one named, or the way back from it."""
    rest = _beside(text, tokens)
    if names_danger(rest) or _against().search(text) is not None:
        return True
    return any(_leads_out(first, second) or _to_others(first, second) for first, second in pairwise(tokens))


def _leads_out(first: Token, second: Token) -> bool:
    """Who says "from bin 2" takes out what a place would put in, and "2号箱里的玻璃" is there already."""
    out = first.text in _OUT_OF and "{bin}" in second.keys
    return out or ("{bin}" in first.keys and second.text in ("的", "里的"))


def _to_others(first: Token, second: Token) -> bool:
    """Somebody the cell has no name for is to do it: "let Tom", 让小王."""
    return "<let>" in first.keys and not second.known


def _beside(text: str, tokens: Sequence[Token]) -> str:
    """Without the words of a motion: 手 in 手爪 is nobody's hand."""
    for token in tokens:
        if token.slot is not None or not token.keys.isdisjoint(_OURS):
            text = text[: token.start] + " " * (token.end - token.start) + text[token.end :]
    return text


@cache
def _against() -> re.Pattern[str]:
    tables = tomllib.loads((DATA / "wish.toml").read_text(encoding="utf-8"))["against"]
    return words_pattern(tables["zh"], tables["en"])


def _of(motion: _Motion, said: frozenset[str], words: Sequence[Token]) -> Wished | None:
    fits = motion.needs <= said and motion.never.isdisjoint(said)
    if not fits or (motion.one_of and motion.one_of.isdisjoint(said)):
        return None
    word = next((token for key in motion.words for token in words if key in token.keys), None)
    return None if word is None else Wished(motion.action, word)
