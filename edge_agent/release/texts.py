"""The texts of one language, read from TOML and checked at load. Pure apart from reading its own packaged file.

A text has variants, richest first; `say` uses the first one whose `{facts}` are all known. A text that is asked for
and not there, a language that lacks a key of the other, a placeholder that is no plain name: each is a load error, so
that no run meets it. A fact is a number or a word that something verified; a text holds no expression.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Formatter
from types import MappingProxyType
from typing import Final, TypeAlias

from edge_agent.messages.codes import Lang

LANGS: Final[tuple[Lang, ...]] = ("zh", "en")
FILES: Final = ("{lang}.toml", "story.{lang}.toml")
"""A language's files: what is said to an operator, and how the story of a run is told."""
MAX_FACT_CHARS: Final = 300
"""A fact longer than this is cut: an operator's own words or a device's text must not flood a message."""

Fact: TypeAlias = str | int | float
Facts: TypeAlias = Mapping[str, Fact]


class WordingError(Exception):
    """A wording file is broken; nothing is started with it. Says file, key and what is wrong."""

    def __init__(self, file: str, key: str, why: str) -> None:
        super().__init__(f"{file}: {key}: {why}")
        self.file, self.key = file, key


@dataclass(frozen=True, slots=True)
class Variant:
    template: str
    needs: frozenset[str]


@dataclass(frozen=True, slots=True)
class Texts:
    """`table` maps dotted keys (`rejection.expired`) to variants."""

    lang: Lang
    table: Mapping[str, tuple[Variant, ...]]

    def has(self, key: str) -> bool:
        return key in self.table

    def say(self, key: str, facts: Facts | None = None) -> str:
        """The richest variant that the facts fill. Raises `KeyError` for a key that is not there, `ValueError`
        where even the plainest variant lacks a fact."""
        said = self.try_say(key, facts or {})
        if said is None:
            raise ValueError(f"{self.lang}: {key}: no variant for the facts {sorted(facts or {})}")
        return said

    def try_say(self, key: str, facts: Facts) -> str | None:
        """The same; None where no variant can be filled."""
        fitting = next((v for v in self.table[key] if v.needs <= facts.keys()), None)
        if fitting is None:
            return None
        return fitting.template.format(**{name: _cut(facts[name]) for name in fitting.needs})

    def word(self, group: str, name: str) -> str:
        """The word for a tag (`role`, `operator`); the tag itself where the language has none."""
        key = f"{group}.{name}"
        return self.say(key) if self.has(key) else name

    def under(self, group: str) -> tuple[str, ...]:
        """The names below a group, in the file's order."""
        return tuple(key.removeprefix(group + ".") for key in self.table if key.startswith(group + "."))


@cache
def texts(lang: Lang) -> Texts:
    """The packaged texts of a language, checked against the other one. Raises `WordingError`."""
    tables = {each: _read(each) for each in LANGS}
    for one, other in ((lang, next(x for x in LANGS if x != lang)),):
        check_twins(tables[one], tables[other])
    return tables[lang]


def check_twins(one: Texts, other: Texts) -> None:
    """Both languages have the same keys, and the same facts in each variant."""
    for key in [*one.table, *other.table]:
        for present, absent in ((one, other), (other, one)):
            if key in present.table and key not in absent.table:
                raise WordingError(f"{absent.lang}.toml", key, f"missing; {present.lang}.toml has it")
        if [v.needs for v in one.table[key]] != [v.needs for v in other.table[key]]:
            raise WordingError(f"{other.lang}.toml", key, f"other facts than in {one.lang}.toml")


def require(given: Texts, keys: Iterable[str], *, bare: bool = False) -> None:
    """Every key is there; with `bare`, its last variant needs no fact and so can always be said."""
    for key in keys:
        if not given.has(key):
            raise WordingError(f"{given.lang}.toml", key, "missing; the program has a use for it")
        if bare and given.table[key][-1].needs:
            raise WordingError(f"{given.lang}.toml", key, "its last variant must hold no fact")


def parse(lang: Lang, text: str, file: str | None = None) -> Texts:
    """TOML text to texts. Raises `WordingError`."""
    file = file or f"{lang}.toml"
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise WordingError(file, "TOML", str(error)) from error
    return Texts(lang, MappingProxyType(dict(_flat(file, "", document))))


def _read(lang: Lang) -> Texts:
    table: dict[str, tuple[Variant, ...]] = {}
    for name in (each.format(lang=lang) for each in FILES):
        text = files("edge_agent.release").joinpath("wording", name).read_text("utf-8")
        own = parse(lang, text, name).table
        for key in sorted(table.keys() & own.keys()):
            raise WordingError(name, key, "stands in another file of this language already")
        table |= own
    return Texts(lang, MappingProxyType(table))


def _flat(file: str, prefix: str, tree: Mapping[str, object]) -> Iterator[tuple[str, tuple[Variant, ...]]]:
    for name, value in tree.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict):
            yield from _flat(file, key + ".", value)
        elif isinstance(value, str):
            yield key, (_variant(file, key, value),)
        elif isinstance(value, list) and value and all(isinstance(each, str) for each in value):
            yield key, tuple(_variant(file, key, each) for each in value)
        else:
            raise WordingError(file, key, "a text or a list of texts was expected")


def _variant(file: str, key: str, template: str) -> Variant:
    try:
        parts = list(Formatter().parse(template))
    except ValueError as error:
        raise WordingError(file, key, str(error)) from error
    names = [name for _, name, _, _ in parts if name is not None]
    dressed = any(spec or conversion for _, name, spec, conversion in parts if name is not None)
    if dressed or not all(name.isidentifier() for name in names):
        raise WordingError(file, key, "a fact is written {name}, nothing more")
    return Variant(template, frozenset(names))


def _cut(value: Fact) -> Fact:
    if isinstance(value, str) and len(value) > MAX_FACT_CHARS:
        return value[: MAX_FACT_CHARS - 1] + "…"
    return value
