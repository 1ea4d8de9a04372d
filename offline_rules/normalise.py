"""One spelling for what people type, with the way back to where they typed it.

NFKC and case-fold, full-width to ASCII, spaces folded and dropped between Chinese and anything, invisible characters
dropped, traditional characters and common slips of the input method to the spelling of the phrase files, Chinese
numerals to digits before a counter or slot noun only. Nothing is guessed here: what a fold hides is kept for the
`suspicious` stage, which looks at the original.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

from offline_rules.lexicon import DATA
from offline_rules.reading import Lang

MAX_CHARS: Final = 500
"""Longest text that is read at all; an operator's sentence is shorter, and every later stage is linear in it."""

_NUMERAL: Final = re.compile(
    r"[〇零一二两三四五六七八九十]{1,3}(?=号|(?:料|垃圾|回收)?[箱桶筐仓框格槽]|工位|区|站)"
    r"|(?<=第)[〇零一二两三四五六七八九十]{1,3}(?=个)"
)
_DIGIT: Final = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_CJK: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_LATIN_WORD: Final = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class Normal:
    """`text[i]` came from `original[starts[i]:ends[i]]`."""

    original: str
    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The part of the original that `text[start:end]` stands on; `start < end`."""
        return self.starts[start], self.ends[end - 1]


@dataclass(frozen=True, slots=True)
class _Char:
    text: str
    start: int
    end: int


def normalise(original: str) -> Normal:
    """The normal spelling of a text of any content; its length is the caller's to limit."""
    chars = _joined(_folded(original))
    text = "".join(c.text for c in chars)
    return _numerals(_respelt(Normal(original, text, tuple(c.start for c in chars), tuple(c.end for c in chars))))


def spaced(original: str) -> Normal:
    """The normal spelling with every gap kept as one space, for the form whose pairs are parted by spaces."""
    folded = _folded(original)
    chars = [c for i, c in enumerate(folded) if c.text != " " or (i and folded[i - 1].text != " ")]
    text = "".join(c.text for c in chars)
    return Normal(original, text, tuple(c.start for c in chars), tuple(c.end for c in chars))


def language(normal: Normal) -> Lang:
    """Chinese unless the English words outnumber the Chinese characters."""
    cjk = len(_CJK.findall(normal.text))
    return "zh" if cjk and cjk >= len(_LATIN_WORD.findall(normal.text)) else "en"


def is_cjk(char: str) -> bool:
    return "\u4e00" <= char <= "\u9fff" or "\u3400" <= char <= "\u4dbf"


def fold(word: str) -> str:
    """A word of a data file in the spelling that sentences get."""
    return normalise(word).text


def _folded(original: str) -> list[_Char]:
    """Compatibility forms and case folded, one cluster of base and marks at a time, so that offsets hold."""
    chars: list[_Char] = []
    start = 0
    while start < len(original):
        end = start + 1
        while end < len(original) and unicodedata.combining(original[end]):
            end += 1
        for char in unicodedata.normalize("NFKC", original[start:end]).casefold():
            chars.extend(_kept(char, start, end))
        start = end
    return chars


def _kept(char: str, start: int, end: int) -> Iterable[_Char]:
    if char.isspace():
        yield _Char(" ", start, end)
    elif unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Mn", "Me"):
        yield _Char(_one_for_one().get(char, char), start, end)


def _joined(chars: list[_Char]) -> list[_Char]:
    """One space between words, none beside a Chinese character, none at the ends."""
    out: list[_Char] = []
    for index, char in enumerate(chars):
        if char.text != " ":
            out.append(char)
            continue
        following = next((c.text for c in chars[index + 1 :] if c.text != " "), "")
        if out and following and out[-1].text != " " and not (is_cjk(out[-1].text) or is_cjk(following)):
            out.append(char)
    return out


def _respelt(normal: Normal) -> Normal:
    """Slips of the input method, each as long as the word it stands for, so that offsets hold."""
    text = normal.text
    for wrong, right in _slips():
        text = text.replace(wrong, right)
    return Normal(normal.original, text, normal.starts, normal.ends)


def _numerals(normal: Normal) -> Normal:
    text, starts, ends = "", [], []
    done = 0
    for found in _NUMERAL.finditer(normal.text):
        number = _number(found.group())
        if number is None:
            continue
        first, last = normal.starts[found.start()], normal.ends[found.end() - 1]
        text += normal.text[done : found.start()] + number
        starts += [*normal.starts[done : found.start()], *(first for _ in number)]
        ends += [*normal.ends[done : found.start()], *(last for _ in number)]
        done = found.end()
    return Normal(
        normal.original,
        text + normal.text[done:],
        (*starts, *normal.starts[done:]),
        (*ends, *normal.ends[done:]),
    )


def _number(numeral: str) -> str | None:
    """0 to 99 as people count (十二, 二十, 二一 read digit by digit); None for what is no number (十十)."""
    if "十" not in numeral:
        return "".join(str(_DIGIT[c]) for c in numeral)
    tens, _, ones = numeral.partition("十")
    if "十" in ones or len(tens) > 1 or len(ones) > 1:
        return None
    return str((_DIGIT[tens] if tens else 1) * 10 + (_DIGIT[ones] if ones else 0))


@cache
def _one_for_one() -> dict[str, str]:
    tables = tomllib.loads((DATA / "spelling.toml").read_text(encoding="utf-8"))
    marks: dict[str, str] = tables["marks"]
    return dict(zip(tables["traditional"], tables["simplified"], strict=True)) | marks


@cache
def _slips() -> tuple[tuple[str, str], ...]:
    tables = tomllib.loads((DATA / "spelling.toml").read_text(encoding="utf-8"))
    return tuple(tables["slips"].items())


def typos() -> dict[str, str]:
    """Short English words as fingers trip over them, with the word that was meant."""
    table: dict[str, str] = tomllib.loads((DATA / "spelling.toml").read_text(encoding="utf-8"))["typos"]
    return table
