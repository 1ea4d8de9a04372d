"""What a cell has to talk about: its items, bins, stations and devices, each with the words people use for it.

A value is spelt as the agent's output spells it (`glass`, `2`, `A`, `arm_01`); synonyms may be any words in either
language. Two things called by one word is an error (`collisions`), because no sentence could then be grounded.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["item_type", "bin", "station", "device"]
Words: TypeAlias = Mapping[str, tuple[str, ...]]

DATA: Final = Path(__file__).resolve().parent / "data"


@dataclass(frozen=True, slots=True)
class Collision:
    """One word that means two values."""

    word: str
    first: tuple[Kind, str]
    second: tuple[Kind, str]


@dataclass(frozen=True, slots=True)
class Lexicon:
    items: Words
    bins: Words
    stations: Words
    devices: Words

    @staticmethod
    def of(
        items: Mapping[str, Sequence[str]],
        bins: Mapping[str, Sequence[str]],
        stations: Mapping[str, Sequence[str]],
        devices: Mapping[str, Sequence[str]],
    ) -> Lexicon:
        """The words of one cell; what is given is copied and can not be changed afterwards."""
        return Lexicon(_frozen(items), _frozen(bins), _frozen(stations), _frozen(devices))

    def words(self) -> Iterator[tuple[Kind, str, str]]:
        """Every (kind, value, word). Items and devices are called by their own value too; numbers and single
        letters are left to the slot shapes, where a bare `2` or `a` can not be mistaken for a bin or a station."""
        for kind, table in self._tables():
            for value, synonyms in table.items():
                for word in (*synonyms, *_own_name(kind, value)):
                    yield kind, value, word

    def value(self, kind: Kind, said: str) -> str | None:
        """The cell's spelling of a value, or None where this cell does not have it."""
        table = dict(self._tables())[kind]
        folded = said.casefold()
        return next((value for value in table if value.casefold() == folded), None)

    def collisions(self) -> tuple[Collision, ...]:
        seen: dict[str, tuple[Kind, str]] = {}
        found = []
        for kind, value, word in self.words():
            key = word.casefold()
            owner = seen.setdefault(key, (kind, value))
            if owner != (kind, value):
                found.append(Collision(word, owner, (kind, value)))
        return tuple(found)

    def _tables(self) -> tuple[tuple[Kind, Words], ...]:
        return ("item_type", self.items), ("bin", self.bins), ("station", self.stations), ("device", self.devices)


@cache
def default_lexicon() -> Lexicon:
    """The default cell, as shipped in `data/cell.toml`."""
    tables = tomllib.loads((DATA / "cell.toml").read_text(encoding="utf-8"))
    return Lexicon.of(tables["items"], tables["bins"], tables["stations"], tables["devices"])


def _frozen(table: Mapping[str, Sequence[str]]) -> Words:
    return MappingProxyType({str(value): tuple(words) for value, words in table.items()})


def _own_name(kind: Kind, value: str) -> tuple[str, ...]:
    """A name of one character or digits alone says nothing without its noun."""
    spoken = len(value) > 1 and not value.isdigit()
    return (value,) if spoken and kind != "device" else ()
