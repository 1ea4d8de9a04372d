"""Which lines say the same thing with other nouns and numbers? Such a line covers nothing that its twin does not. Pure.

Two lines are alike when their texts are equal once every thing, place, task and number is put out of sight, and all
else that decides them (expectation, faults, codes, scripts, mood, who speaks, what the cell does not have) is equal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from edge_agent.cases.files import Placed
from edge_agent.cases.line import Line
from offline_rules.reading import Reading

NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
FREE: Final = frozenset({"text", "window", "alarms", "action"})
"""Slots whose words are the sentence itself."""
SAID_OTHERWISE: Final = frozenset({"id", "text", "why", "since", "case", "slots", "evidence", "mechanisms"})
"""Fields that are no part of what is tried: names, reasons, and what is expected in detail."""


def alike(lines: Iterable[Placed], read: Callable[[str], Reading]) -> tuple[tuple[str, ...], ...]:
    """The ids of lines that are alike, group by group; empty where every line stands alone."""
    groups: dict[str, list[str]] = {}
    for placed in lines:
        groups.setdefault(_key(placed.line, read(placed.line.text)), []).append(placed.id)
    return tuple(tuple(ids) for ids in groups.values() if len(ids) > 1)


def pattern(reading: Reading) -> str:
    """The text with its slots named in place of their words, and its other numbers as N."""
    text, end = reading.original, len(reading.original)
    parts: list[str] = []
    for slot in sorted(_hidden(reading), key=lambda s: -s[0]):
        start, stop, name = slot
        parts += [NUMBER.sub("N", text[stop:end]), name]
        end = start
    return "".join(reversed([*parts, NUMBER.sub("N", text[:end])])).casefold()


def _hidden(reading: Reading) -> Iterator[tuple[int, int, str]]:
    """What lies outside the cell is another case than what lies in it."""
    end = 0
    for slot in sorted(reading.slots, key=lambda s: s.span):
        if slot.name not in FREE and slot.span[0] >= end:
            end = slot.span[1]
            yield *slot.span, f"<{slot.name}>" if slot.known else f"<no {slot.name}>"


def _key(line: Line, reading: Reading) -> str:
    rest = line.model_dump(mode="json", exclude=set(SAID_OTHERWISE))
    codes = [code.value for code in getattr(line, "scripted_codes", ())]
    kind = type(reading.outcome).__name__
    return json.dumps([pattern(reading), reading.mood.value, kind, codes, rest], sort_keys=True)
