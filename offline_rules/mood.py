"""Whether a sentence may be a command at all: everything that makes it a question, a negation, a report, and so on.

The table lists what rules a command out. It does not decide that a sentence *is* one: `IMPERATIVE` is given by the
router alone, to what its command phrases understand to the last word.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from offline_rules.lexicon import DATA
from offline_rules.reading import Mood

_QUOTE = re.compile(r"""["«»<>]|(?<![a-z0-9\u25a1])'|'(?![a-z0-9])""")
_ELLIPSIS = re.compile(r"\.{2,}")
_QUESTION_MARK = re.compile(r"[?¿⁇⁈‽]")


@dataclass(frozen=True, slots=True)
class _Marker:
    mood: Mood
    words: re.Pattern[str]


def spoken_mood(text: str) -> Mood | None:
    """The mood that words and marks of a normalised text show; None where none rules a command out.

    Slot values should be blanked out by the caller, so that 不锈钢 is no negation.
    """
    if _QUOTE.search(text):
        return Mood.QUOTATION
    if _ELLIPSIS.search(text):
        return Mood.SELF_CORRECTION
    talk = _talk()
    text = talk["thanks"].sub(" ", talk["purpose"].sub(" ", text))
    found = next((marker.mood for marker in _markers() if marker.words.search(text)), None)
    if found in (None, Mood.NEGATION, Mood.PAST, Mood.REPORT, Mood.DEFERRED) and _QUESTION_MARK.search(text):
        return Mood.QUESTION
    return found


def asked_outright(text: str) -> bool:
    """Whether a normalised text asks, by a mark or its last word, for more than a note of what it says."""
    talk = _talk()
    return talk["asks"].search(text) is not None and talk["to_be_noted"].search(text) is None


def trails_off(text: str) -> bool:
    """Whether a normalised text ends in search of words and takes nothing back: "arm...", "pick up uh"."""
    return _talk()["trailing"].search(text) is not None


@cache
def _talk() -> Mapping[str, re.Pattern[str]]:
    return {name: re.compile("|".join(patterns)) for name, patterns in _tables()["talk"].items()}


@cache
def _markers() -> tuple[_Marker, ...]:
    return tuple(_Marker(Mood(table["name"]), _pattern(table)) for table in _tables()["mood"])


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads((DATA / "mood.toml").read_text(encoding="utf-8"))


def _pattern(table: Mapping[str, list[str]]) -> re.Pattern[str]:
    words = words_pattern(table["zh"], table["en"]).pattern
    return re.compile("|".join([*table.get("patterns", []), words]))


def words_pattern(zh: Iterable[str], en: Iterable[str]) -> re.Pattern[str]:
    """One expression for all words: Chinese ones anywhere, Latin ones whole."""
    chinese = [re.escape(word) for word in sorted(zh, key=len, reverse=True)]
    latin = "|".join(re.escape(word) for word in sorted(en, key=len, reverse=True))
    return re.compile("|".join([*chinese, rf"(?<![a-z0-9_\-'])(?:{latin})(?![a-z0-9_\-])"]))
