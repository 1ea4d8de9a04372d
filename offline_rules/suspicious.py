"""Texts that may be explained and never acted on: hidden characters, look-alikes, claims, and code.

Looks at the original, because normalising hides exactly what counts here. A stop is still a stop.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from typing import Final

from offline_rules.lexicon import DATA
from offline_rules.mood import words_pattern
from offline_rules.normalise import Normal

_SCRIPTS: Final = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_CODE: Final = re.compile(
    r"</?[a-z!?][^<>]{0,200}>|[{}]|\[/?[a-z]+\]|```|`[^`]+`|\\[nux]|&[a-z]{2,6};|&#"
    r"|\b[a-z_][a-z0-9_.]{1,40}\([ -'*-~]{0,200}\)|;\s*(?:drop|delete|select)\b|\b(?:import|def|exec|eval|sudo|curl|rm) -?\w|==|:=|\$\w|://|^\s*#!|--\w",
    re.ASCII,
)


def suspicious(normal: Normal) -> str | None:
    """The first reason not to act on a text, as a stable word; None for a clean one."""
    original = normal.original
    if not original.isascii():
        if any(_hidden(char) for char in original):
            return "hidden_characters"
        if any(_mixed(word) for word in _WORD.findall(original)) or any(_styled(char) for char in original):
            return "look_alike"
    elif any(_hidden(char) for char in original):
        return "hidden_characters"
    if _CODE.search(normal.text):
        return "markup_or_code"
    claimed = _asked().sub(" ", normal.text)
    return next((reason for reason, words in _claims() if words.search(claimed)), None)


def _hidden(char: str) -> bool:
    category = unicodedata.category(char)
    return category in ("Cf", "Cs", "Co", "Mn", "Me") or (category == "Cc" and char not in "\t\n\r")


def _mixed(word: str) -> bool:
    """Letters of two alphabets that look alike in one word."""
    if word.isascii():
        return False
    names = [unicodedata.name(char, "") for char in unicodedata.normalize("NFKC", word)]
    return sum(any(name.startswith(script) for name in names) for script in _SCRIPTS) > 1


def _styled(char: str) -> bool:
    """A mathematical or enclosed Latin letter: reads as a letter, is none that a keyboard types."""
    if ord(char) < 0x2000:
        return False
    form = unicodedata.decomposition(char)
    return (char.isalpha() and form.startswith("<font>")) or 0x24B6 <= ord(char) <= 0x24E9


@cache
def _asked() -> re.Pattern[str]:
    """Questions about a mode or a confirmation: who asks claims nothing."""
    tables = tomllib.loads((DATA / "suspicious.toml").read_text(encoding="utf-8"))["asked"]
    return re.compile("|".join(tables["patterns"]))


@cache
def _claims() -> tuple[tuple[str, re.Pattern[str]], ...]:
    tables = tomllib.loads((DATA / "suspicious.toml").read_text(encoding="utf-8"))["claim"]
    return tuple((table["reason"], words_pattern(table["zh"], table["en"])) for table in tables)
