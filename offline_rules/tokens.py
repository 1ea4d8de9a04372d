"""A sentence as tokens: slot values, known words with their classes, and what nobody knows.

The costs say how much a token left over by a phrase weighs against it: nothing for words without meaning of their own,
little for a word of ours in another place, most for what is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from offline_rules.lexicon import Lexicon
from offline_rules.normalise import Normal, is_cjk
from offline_rules.reading import Slot
from offline_rules.slots import Found, find_slots, grounded
from offline_rules.vocabulary import ITEM, SLOT_KEYS, Entry, Vocabulary

_WORD: Final = re.compile(r"[a-z0-9_]+(?:['-][a-z0-9_]+)*", re.ASCII)
_PUNCTUATION: Final = frozenset(" .,!;:")
_POLITE: Final = "<polite>"
_HEAD: Final = "<item_head>"
_TAIL: Final = "<item_tail>"
_FUNCTION: Final = frozenset({"<polite>", "<function>", "<item_head>", "{window}"})
_NO_MEANING: Final = frozenset({"<personal>", "<foreign>"})
_MILD: Final = frozenset({"<look>"})
_MARK_KEYS: Final = frozenset({"<function>"})
"""`?`, quotes, symbols: no meaning of their own, but no part of a command either."""


@dataclass(frozen=True, slots=True)
class Token:
    """`text[start:end]` of the normalised sentence."""

    text: str
    start: int
    end: int
    keys: frozenset[str]
    slot: Slot | None = None
    known: bool = True

    @property
    def polite(self) -> bool:
        """Free in a command."""
        return self.text in _PUNCTUATION or _POLITE in self.keys or "{speed}" in self.keys

    @property
    def thing(self) -> bool:
        """May be the name of a thing that the cell does not know."""
        return self.keys <= _NO_MEANING and self.text not in _PUNCTUATION

    @property
    def cost(self) -> float:
        """What it costs a phrase to leave this token over."""
        if self.text in _PUNCTUATION or not _FUNCTION.isdisjoint(self.keys):
            return 0.0
        if self.known:
            return 0.25 if not _MILD.isdisjoint(self.keys) or self.slot else 0.5
        return 0.5 if is_cjk(self.text[0]) else 1.0

    @property
    def weight(self) -> float:
        """What it is worth to a phrase that takes it in."""
        return 2.0 if self.slot else 1.0


def tokenise(normal: Normal, vocabulary: Vocabulary, lexicon: Lexicon) -> tuple[Token, ...]:
    """The whole of `normal.text` but its spaces, in order."""
    return _items_whole(normal, list(_cut(normal, vocabulary, lexicon)))


def _cut(normal: Normal, vocabulary: Vocabulary, lexicon: Lexicon) -> Iterator[Token]:
    shaped = {found.start: found for found in find_slots(normal, lexicon)}
    borders = sorted(shaped)
    at = 0
    while at < len(normal.text):
        found = shaped.get(at)
        token = _shaped(normal, found) if found else _next(normal, at, vocabulary, lexicon)
        border = next((b for b in borders if at < b < token.end), None)
        if border is not None:
            token = _short(normal, at, border, vocabulary, lexicon)
        if token.text != " ":
            yield token
        at = token.end


def _shaped(normal: Normal, found: Found) -> Token:
    key = SLOT_KEYS[found.slot.name]
    keys = {key, "<arm>"} if found.slot.name == "device" else {key}
    return Token(normal.text[found.start : found.end], found.start, found.end, frozenset(keys), found.slot)


def _next(normal: Normal, at: int, vocabulary: Vocabulary, lexicon: Lexicon) -> Token:
    hit = vocabulary.longest(normal.text, at)
    if hit is not None:
        return _known(normal, at, hit[0], hit[1], lexicon)
    char = normal.text[at]
    if char in _PUNCTUATION:
        return Token(char, at, at + 1, frozenset())
    if not char.isalnum():
        return Token(char, at, at + 1, _MARK_KEYS)
    word = _WORD.match(normal.text, at)
    end = word.end() if word else at + 1
    entry = vocabulary.corrected(normal.text[at:end])
    if entry is not None:
        return _known(normal, at, end, entry, lexicon)
    return Token(normal.text[at:end], at, end, frozenset(), known=False)


def _short(normal: Normal, at: int, border: int, vocabulary: Vocabulary, lexicon: Lexicon) -> Token:
    """A word that would run into a slot value ends before it."""
    before = Normal(normal.original, normal.text[:border], normal.starts, normal.ends)
    return _next(before, at, vocabulary, lexicon)


def _known(normal: Normal, start: int, end: int, entry: Entry, lexicon: Lexicon) -> Token:
    if entry.capitals and not _written_as_name(normal, start, end):
        return Token(normal.text[start:end], start, end, frozenset(), known=False)
    slot = None if entry.slot is None else grounded(normal, *entry.slot, start, end, lexicon)
    return Token(normal.text[start:end], start, end, entry.keys, slot)


def _written_as_name(normal: Normal, start: int, end: int) -> bool:
    """PET is a plastic and a pet is none; among Chinese characters nobody presses the shift key for it."""
    first, last = normal.span(start, end)
    return normal.original[first:last].isupper() or any(map(is_cjk, normal.text))


def _items_whole(normal: Normal, tokens: list[Token]) -> tuple[Token, ...]:
    """`this`, `broken`, `一个` before an item and `parts`, `类` after it belong to its name."""
    out: list[Token] = []
    for token in tokens:
        if out and _same_item(out[-1], token):
            out[-1] = _merged(normal, out[-1], token, out[-1])
            continue
        whole = token
        while out and ITEM in token.keys and _HEAD in out[-1].keys:
            whole = _merged(normal, out.pop(), whole, token)
        out.append(whole)
    return tuple(out)


def _same_item(item: Token, token: Token) -> bool:
    """The same item said again right after (`pet 塑料瓶`), or a word such as `parts`."""
    if ITEM not in item.keys or item.slot is None:
        return False
    again = token.slot is not None and token.slot.name == "item_type" and token.slot.value == item.slot.value
    return again or _TAIL in token.keys


def _merged(normal: Normal, first: Token, second: Token, item: Token) -> Token:
    start, end = first.start, second.end
    slot = None if item.slot is None else replace(item.slot, span=normal.span(start, end))
    return Token(normal.text[start:end], start, end, item.keys, slot)
