"""One thing that must be so, by name; failed, it shows the evidence that differs. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from edge_agent.cases.record import CaseRecord


@dataclass(frozen=True, slots=True)
class Difference:
    """A failed assertion: its name, what was expected, what was seen."""

    name: str
    expected: str
    seen: str

    def __str__(self) -> str:
        return f"{self.name}: expected {self.expected}, seen {self.seen}"


@dataclass(frozen=True, slots=True)
class Assertion:
    """`look` gives what was seen where it is not as expected, and None where it is."""

    name: str
    expected: str
    look: Callable[[CaseRecord], str | None]

    def check(self, record: CaseRecord) -> Difference | None:
        seen = self.look(record)
        return None if seen is None else Difference(self.name, self.expected, seen)


def shown(value: object, limit: int = 160) -> str:
    text = "nothing" if value in (None, "", {}, ()) else str(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def equal(name: str, expected: object, find: Callable[[CaseRecord], object]) -> Assertion:
    """`find` gives exactly `expected`."""

    def look(record: CaseRecord) -> str | None:
        found = find(record)
        return None if found == expected else shown(found)

    return Assertion(name, shown(expected), look)


def holds(name: str, expected: str, find: Callable[[CaseRecord], tuple[bool, object]]) -> Assertion:
    """`find` says whether it is so, and what it saw."""

    def look(record: CaseRecord) -> str | None:
        good, found = find(record)
        return None if good else shown(found)

    return Assertion(name, expected, look)
