"""What stands beside a command and changes nothing of it: kind words, and why it is given.

A reason is a whole clause (or the end of one) of a listed form whose free words show no mood and name nothing of the
cell. So "home the arm, I need to sweep" is a command, and "home the arm, I need to know how" is none. Who asks here
has found no command in the whole sentence; what is left without the asides must be one to the last word.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from offline_rules.lexicon import DATA
from offline_rules.mood import spoken_mood
from offline_rules.reading import Mood

BLANK: Final = "\u25a1"
"""Stands for a slot's value in the text that is looked at here and for moods."""
_CLAUSE: Final = re.compile(r"[^,.;!~]+")
_TOLD: Final = frozenset({None, Mood.PAST, Mood.REPORT})
"""What a reason may be by its free words; a question, a condition, a negation in it is none of these."""


@dataclass(frozen=True, slots=True)
class Aside:
    """`text[start:end]` of the normalised sentence. `after`: only behind what it belongs to."""

    start: int
    end: int
    after: bool = False


@dataclass(frozen=True, slots=True)
class _Table:
    anywhere: tuple[re.Pattern[str], ...]
    clauses: tuple[tuple[re.Pattern[str], bool], ...]
    tails: tuple[tuple[re.Pattern[str], bool], ...]
    goes_on: re.Pattern[str]
    never: re.Pattern[str]


def asides(text: str) -> tuple[Aside, ...]:
    """All of a normalised text whose values are blanked; none where the rest goes on from one, in time."""
    table = _table()
    kind = [Aside(*found.span()) for pattern in table.anywhere for found in pattern.finditer(text)]
    bare = without(text, kind)
    found = sorted([*kind, *_reasons(bare, table)], key=lambda aside: aside.start)
    return () if any(_in_time(bare, aside, found, table) for aside in found) else tuple(found)


def without(text: str, left_out: tuple[Aside, ...] | list[Aside]) -> str:
    """The text with the asides as commas, so that offsets hold."""
    for aside in left_out:
        text = text[: aside.start] + "," * (aside.end - aside.start) + text[aside.end :]
    return text


def _reasons(text: str, table: _Table) -> Iterator[Aside]:
    for clause in _CLAUSE.finditer(text):
        said = clause.group()
        start = clause.start() + len(said) - len(said.lstrip())
        whole = next((after for form, after in table.clauses if _holds(form.fullmatch(said.strip()), table)), None)
        if whole is not None:
            yield Aside(start, clause.end(), whole)
            continue
        for form, after in table.tails:
            tail = form.search(said)
            if tail is not None and tail.end() == len(said.rstrip()) and _holds(tail, table):
                yield Aside(clause.start() + tail.start(), clause.end(), after)
                break


def _holds(found: re.Match[str] | None, table: _Table) -> bool:
    if found is None or BLANK in found.group():
        return False
    free = (found.group(1) or "") if found.re.groups else ""
    return spoken_mood(free) in _TOLD and table.never.search(free) is None


def _in_time(text: str, aside: Aside, all_of_them: list[Aside], table: _Table) -> bool:
    """An aside that would be first and may not, or that what follows goes on from."""
    others = without(text, all_of_them)
    if aside.after and not re.search(r"\w|\u25a1", others[: aside.start]):
        return True
    return table.goes_on.match(others, aside.end) is not None


@cache
def _table() -> _Table:
    raw = tomllib.loads((DATA / "asides.toml").read_text(encoding="utf-8"))
    parts = {name: said if isinstance(said, str) else f"(?:{'|'.join(said)})" for name, said in raw["parts"].items()}
    forms: dict[str, list[tuple[re.Pattern[str], bool]]] = {"anywhere": [], "clause": [], "tail": []}
    for entry in raw["aside"]:
        forms[entry["where"]] += [(re.compile(_whole(p, parts)), entry.get("after", False)) for p in entry["patterns"]]
    goes_on = re.compile(rf"[,.;!~ ]*{raw['goes_on']['words']}")
    anywhere = tuple(form for form, _ in forms["anywhere"])
    return _Table(anywhere, tuple(forms["clause"]), tuple(forms["tail"]), goes_on, re.compile(raw["never"]["words"]))


def _whole(pattern: str, parts: dict[str, str]) -> str:
    while (named := re.search(r"@([a-z_]+)@", pattern)) is not None:
        pattern = pattern.replace(named.group(), parts[named.group(1)])
    return pattern
