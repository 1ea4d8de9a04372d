"""Sentence lines: read by the language alone, and right when every key that is given is equal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Protocol

from edge_agent.cases.assertion import Difference, shown
from edge_agent.cases.line import SentenceLine
from edge_agent.cases.mechanisms import Mechanism

COMPARED_SLOTS: Final = frozenset({"item_type", "bin", "station", "device", "action", "task_id"})
"""The others (text, window, alarms) may stand there unasked."""


class Reader(Protocol):
    """Reads one sentence as `edge-agent interpret` prints it: intent, slots, mood, disposition, would_move, reason."""

    async def __call__(self, text: str, *, llm_available: bool, without: frozenset[Mechanism]) -> Mapping[str, Any]: ...


def sentence_differences(line: SentenceLine, read: Mapping[str, Any]) -> tuple[Difference, ...]:
    """Without a usable model a free-worded motion is right as an explanation that would not move."""
    if not line.llm_available and line.disposition == "PROPOSE_MOTION" and _explained(read):
        return tuple(_slots(line, read))
    return (*_plain(line, read), *_slots(line, read))


def wrong_motion(line: SentenceLine, read: Mapping[str, Any]) -> bool:
    """A motion would be proposed where none may be."""
    wanted = line.would_move if line.would_move is not None else line.disposition in (None, "PROPOSE_MOTION")
    return bool(read.get("would_move")) and not wanted


def _explained(read: Mapping[str, Any]) -> bool:
    return (read.get("disposition"), read.get("would_move")) == ("EXPLAIN", False)


def _plain(line: SentenceLine, read: Mapping[str, Any]) -> Iterator[Difference]:
    given: Mapping[str, Any] = {
        "intent": line.intent,
        "mood": line.mood,
        "disposition": line.disposition,
        "would_move": line.would_move,
        "reason": line.reason,
    }
    for name, wanted in given.items():
        if wanted is not None and read.get(name) != wanted:
            yield Difference(name, shown(wanted), shown(read.get(name)))


def _slots(line: SentenceLine, read: Mapping[str, Any]) -> Iterator[Difference]:
    if line.slots is None:
        return
    found: Mapping[str, Any] = read.get("slots", {})
    for name, wanted in line.slots.items():
        if found.get(name) != wanted:
            yield Difference(f"slots.{name}", wanted, shown(found.get(name)))
    for name in sorted(COMPARED_SLOTS & found.keys() - line.slots.keys()):
        yield Difference(f"slots.{name}", "no such slot", shown(found[name]))
