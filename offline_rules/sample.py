"""A sentence that a phrase stands for, made from the first words of its classes; what the linter reads back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from offline_rules.packs import Phrase
from offline_rules.pattern import Element, Elements
from offline_rules.reading import Lang

_VALUES: Final[Mapping[str, Mapping[str, str]]] = {
    "zh": {"{item}": "玻璃", "{bin}": "2号箱", "{station}": "A工位", "{device}": "arm_01", "{task}": "t014",
           "{window}": "昨天", "{text}": "瓶口裂开", "{object}": "鹅卵"},
    "en": {"{item}": "glass", "{bin}": "bin 2", "{station}": "station B", "{device}": "arm_01", "{task}": "t014",
           "{window}": "yesterday", "{text}": "the lid rattles", "{object}": "pebble"},
}  # fmt: skip
_MAX_SAMPLES: Final = 64
"""Sequences of one phrase that are tried; the rest differ from these in optional words alone."""


def samples(phrase: Phrase, classes: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Sentences of a phrase, one a sequence."""
    for elements in phrase.variants[:_MAX_SAMPLES]:
        yield sentence(elements, phrase.lang, classes)


def sentence(elements: Elements, lang: Lang, classes: Mapping[str, tuple[str, ...]]) -> str:
    return (" " if lang == "en" else "").join(_word(element, lang, classes) for element in elements)


def _word(element: Element, lang: Lang, classes: Mapping[str, tuple[str, ...]]) -> str:
    key = element[0]
    if key.startswith("{"):
        return _VALUES[lang][key]
    if not key.startswith("<"):
        return key
    words = classes[key[1:-1]]
    own = (word for word in words if word.isascii() == (lang == "en"))
    return next(own, words[0])
