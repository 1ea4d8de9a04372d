"""What can be wrong with packs that can be read: doubles, dangling names, opposite words, overmatch.

All checks give `Problem`s with file and line; `Router.load` refuses at the first, the linter lists them all.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from offline_rules.lexicon import DATA, Lexicon
from offline_rules.normalise import fold
from offline_rules.packs import Pack, Phrase, Problem
from offline_rules.pattern import Elements
from offline_rules.vocabulary import opposites


def static_problems(packs: Sequence[Pack], classes: Mapping[str, Sequence[str]], lexicon: Lexicon) -> Iterator[Problem]:
    """Everything that can be seen without reading a sentence."""
    phrases = [phrase for pack in packs for phrase in pack.phrases]
    yield from _collisions(lexicon)
    for phrase in phrases:
        yield from _dangling(phrase, classes)
    yield from _doubles(phrases)
    yield from _opposite(packs, classes)


@cache
def guard_sentences() -> tuple[tuple[str, str], ...]:
    """Sentences with the intent that no phrase may take them away from, as (text, intent)."""
    tables = tomllib.loads((DATA / "guard.toml").read_text(encoding="utf-8"))
    return tuple((text, intent) for intent, texts in tables.items() for text in texts)


def _collisions(lexicon: Lexicon) -> Iterator[Problem]:
    for found in lexicon.collisions():
        first, second = " ".join(found.first), " ".join(found.second)
        yield Problem("cell", 0, found.word, f"one word means {first} and {second}; give it to one of them")


def _dangling(phrase: Phrase, classes: Mapping[str, Sequence[str]]) -> Iterator[Problem]:
    for key in sorted({key for key in phrase.asks() if key.startswith("<")} | phrase.unless):
        if key[1:-1] not in classes:
            yield _problem(phrase, f"no word class {key}; known are the classes of words/*.toml and of the packs")


def _doubles(phrases: Iterable[Phrase]) -> Iterator[Problem]:
    """A phrase all of whose sequences other phrases already have can never be the one that matches."""
    owners: dict[tuple[Elements, str, frozenset[str], str | None], Phrase] = {}
    for phrase in phrases:
        keys = [(elements, phrase.lang, phrase.unless, phrase.mood) for elements in phrase.variants]
        first = [owners.get(key) for key in keys]
        if all(owner is not None for owner in first) and first[0] is not None:
            yield _problem(phrase, f"says nothing that {first[0].rule_id} ({first[0].file}) does not say")
        for key in keys:
            owners.setdefault(key, phrase)


def _opposite(packs: Sequence[Pack], classes: Mapping[str, Sequence[str]]) -> Iterator[Problem]:
    for one, other in opposites():
        shared = {fold(w) for w in classes.get(one, ())} & {fold(w) for w in classes.get(other, ())}
        for word in sorted(shared):
            file, line = _where(word, packs)
            yield Problem(file, line, word, f"stands in the opposite classes <{one}> and <{other}>")


def _where(word: str, packs: Sequence[Pack]) -> tuple[str, int]:
    """The pack that says the word last, or the shipped words."""
    for pack in reversed(packs):
        for name, words in pack.classes.items():
            if word in map(fold, words):
                return pack.file, pack.class_lines[name]
    return str(DATA / "words"), 0


def _problem(phrase: Phrase, message: str) -> Problem:
    return Problem(phrase.file, phrase.line, phrase.rule_id.rpartition(":")[2], message)
