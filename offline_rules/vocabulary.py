"""The words that phrases speak of, by class, and how a sentence is cut into them.

A class is a named list of words in both languages (`data/words/*.toml`); one word may stand in several classes. The
longest word that fits wins, a Latin word only whole, so that `停车场` holds no 停 and `homework` no `home`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from offline_rules.lexicon import DATA, Kind, Lexicon
from offline_rules.normalise import fold, typos

ITEM: Final = "{item}"
SLOT_KEYS: Final[Mapping[str, str]] = {
    "item_type": ITEM,
    "bin": "{bin}",
    "station": "{station}",
    "device": "{device}",
    "task_id": "{task}",
    "window": "{window}",
    "speed": "{speed}",
}
_FREE: Final = frozenset({"<function>", "<polite>"})
_MIN_TYPO_CHARS: Final = 5
"""Shorter words have too many neighbours to be corrected."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A word as it stands in a sentence: the classes it is in, and the value it grounds if it is a slot word."""

    keys: frozenset[str]
    slot: tuple[Kind, str] | None = None
    capitals: bool = False
    """Written in capitals in the cell's words (`PET`): in an English text it counts in capitals alone."""


class Vocabulary:
    """All words by spelling. Built once; `longest` and `corrected` are what the tokeniser asks."""

    __slots__ = ("_lengths", "_typos", "_words")

    def __init__(
        self, words: Mapping[str, Entry], not_typos: Iterable[str] = (), typos: Mapping[str, str] | None = None
    ) -> None:
        self._words = dict(words)
        lengths: dict[str, set[int]] = {}
        for word in self._words:
            lengths.setdefault(word[:2], set()).add(len(word))
        self._lengths = {start: tuple(sorted(found, reverse=True)) for start, found in lengths.items()}
        self._typos = _typos(self._words, frozenset(not_typos)) | {
            slip: right for slip, right in (typos or {}).items() if right in self._words and slip not in self._words
        }

    def longest(self, text: str, start: int) -> tuple[int, Entry] | None:
        """The longest word of `text` at `start`, as (end, entry)."""
        for length in self._lengths.get(text[start : start + 2], ()):
            end = start + length
            entry = self._words.get(text[start:end])
            if entry is not None and end <= len(text) and ends_word(text, end):
                return end, entry
        entry = self._words.get(text[start])
        return (start + 1, entry) if entry is not None and ends_word(text, start + 1) else None

    def corrected(self, word: str) -> Entry | None:
        """The entry of the one known word that `word` is a slip of the fingers of."""
        right = self._typos.get(word)
        return None if right is None else self._words[right]


def ends_word(text: str, end: int) -> bool:
    """No Latin word runs on over `end`."""
    if end >= len(text) or not _latin(text[end - 1]):
        return True
    if text[end] == "-" and end + 1 < len(text):
        return not _latin(text[end + 1])
    return not _latin(text[end])


def shipped_classes() -> dict[str, list[str]]:
    """The word classes of `data/words`, by name."""
    found: dict[str, list[str]] = {}
    for path in sorted((DATA / "words").glob("*.toml")):
        found |= word_classes(path)
    return found


def word_classes(path: Path) -> dict[str, list[str]]:
    classes: dict[str, list[str]] = tomllib.loads(path.read_text(encoding="utf-8")).get("classes", {})
    return classes


def grammar() -> dict[str, list[str]]:
    """What `words/grammar.toml` holds beside its classes: compounds, words that are no slips."""
    tables = tomllib.loads((DATA / "words" / "grammar.toml").read_text(encoding="utf-8"))
    return {"compounds": tables["compounds"], "not_typos": tables["not_typos"]}


def opposites() -> tuple[tuple[str, str], ...]:
    """Pairs of classes that may share no word."""
    tables = tomllib.loads((DATA / "words" / "grammar.toml").read_text(encoding="utf-8"))
    return tuple((one, other) for one, other in tables["opposites"])


def build_vocabulary(classes: Mapping[str, Iterable[str]], literals: Iterable[str], lexicon: Lexicon) -> Vocabulary:
    """One vocabulary from word classes, the plain words of phrases, and what the cell's things are called."""
    keys: dict[str, set[str]] = {}
    for name, words in classes.items():
        for word in words:
            keys.setdefault(fold(word), set()).add(f"<{name}>")
    free = frozenset(word for word, found in keys.items() if not _FREE.isdisjoint(found))
    for literal in literals:
        own = {literal, "<function>"} if _made_of(literal, free) else {literal}
        keys.setdefault(literal, set()).update(own)
    rest = grammar()
    for word in rest["compounds"]:
        keys.setdefault(fold(word), set())
    entries = {word: Entry(frozenset(found)) for word, found in keys.items()}
    for kind, value, word in lexicon.words():
        spelt = fold(word)
        also = {"<arm>"} if kind == "device" else set()
        capitals = word.isascii() and word.isalpha() and word.isupper()
        entries[spelt] = Entry(frozenset({SLOT_KEYS[kind], *also}), (kind, value), capitals)
    return Vocabulary(entries, rest["not_typos"], typos())


def _made_of(word: str, free: frozenset[str]) -> bool:
    """A phrase's own word that is only free words in a row (了吗) stays as free as they are."""
    if word in free:
        return True
    return any(word[:at] in free and _made_of(word[at:], free) for at in range(1, len(word)))


def _latin(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")


def _typos(words: Iterable[str], not_typos: frozenset[str]) -> dict[str, str]:
    known = frozenset(words)
    found: dict[str, set[str]] = {}
    for word in known:
        if len(word) >= _MIN_TYPO_CHARS and word.isascii() and word.isalpha():
            for slip in _slips(word) - known - not_typos:
                found.setdefault(slip, set()).add(word)
    return {slip: min(rights) for slip, rights in found.items() if len(rights) == 1}


def _slips(word: str) -> set[str]:
    """Two neighbours swapped, one letter left out, one letter typed twice; never the first letter."""
    inside = range(1, len(word))
    swapped = {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in inside if i + 1 < len(word)}
    missing = {word[:i] + word[i + 1 :] for i in inside}
    doubled = {word[:i] + word[i] + word[i:] for i in inside}
    return swapped | missing | doubled
