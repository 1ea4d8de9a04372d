"""The labelled sentences, read by the rules alone, and what the files as a whole must hold."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from offline_rules.packs import shipped
from tests.offline_rules.judged import disposition, intent, router, slots

FOLDER = Path(__file__).resolve().parents[2] / "labeled_cases" / "sentences"


def lines(pattern: str = "**/*.jsonl") -> Iterator[dict[str, Any]]:
    for path in sorted(FOLDER.glob(pattern)):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield {**json.loads(line), "file": f"{path.parent.name}/{path.stem}"}


@pytest.mark.parametrize("line", [pytest.param(line, id=line["id"]) for line in lines()])
def test_labelled_sentence(line: dict[str, Any]) -> None:
    reading = router().read(line["text"])
    found = disposition(reading)
    if "disposition" in line:
        assert found == line["disposition"]
    if "would_move" in line:
        assert (found == "PROPOSE_MOTION") is line["would_move"]
    if "intent" in line:
        assert intent(reading) == line["intent"]
    if "slots" in line:
        assert slots(reading) == line["slots"]
    if line["file"].endswith("/stop"):
        assert (found == "STOP") is (line.get("disposition") == "STOP")


def test_every_pack_has_a_twin() -> None:
    packs = {f"{path.parent.name}/{path.stem}" for folder in shipped() for path in folder.rglob("*.toml")}
    assert packs <= {line["file"] for line in lines()}


def test_ids_are_used_once() -> None:
    assert [text for text, count in Counter(line["id"] for line in lines()).items() if count > 1] == []


def pattern_of(text: str) -> str:
    """A sentence with its values and numbers blanked: two lines of one pattern differ in nouns and numbers alone."""
    words = (f"{{{token.slot.name}}}" if token.slot else token.text for token in router().tokens(text))
    return " ".join(re.sub(r"\d+", "0", word) for word in words)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_no_two_lines_differ_in_nouns_and_numbers_alone(lang: str) -> None:
    kept = list(lines(f"{lang}/*.jsonl"))
    label = ("intent", "disposition", "would_move")
    seen = Counter((line["file"], pattern_of(line["text"]), *(line.get(key) for key in label)) for line in kept)
    assert [found for found, count in seen.items() if count > 1] == []


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_there_are_enough_pairs(lang: str) -> None:
    assert len(list(lines(f"{lang}/pairs.jsonl"))) >= 150


def test_there_are_enough_kinds_of_what_must_not_move() -> None:
    kept = list(lines("*/must_not_move.jsonl"))
    assert len(kept) >= 300
    assert all(line["would_move"] is False for line in kept)
    assert len({line["why"] for line in kept}) >= 15


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_there_are_two_hundred_phrases_a_language_of_different_patterns(lang: str) -> None:
    says = [phrase.say for pack in router().packs if pack.lang == lang for phrase in pack.phrases]
    assert len(says) >= 200
    nouns = re.compile(r"\{(?:item|bin|station|device|task)\}|\d+")
    same = Counter(
        (phrase.intent, phrase.action, phrase.cover, phrase.unless, phrase.mood, nouns.sub("#", phrase.say))
        for pack in router().packs
        if pack.lang == lang
        for phrase in pack.phrases
        if phrase.vague is None
    )
    assert [found for found, count in same.items() if count > 1] == []
