"""Coverage, mis-actuation, confusion: the figures of a set of verdicts. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from edge_agent.cases.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Score:
    """Of one category, or of all. `misfired` is the number that matters: motion where none was expected."""

    name: str
    lines: int
    as_expected: int
    misfired: int
    took_ms: float

    @property
    def coverage(self) -> float:
        """As expected over all; 1 for no line at all."""
        return self.as_expected / self.lines if self.lines else 1.0


def total(verdicts: Iterable[Verdict], name: str = "total") -> Score:
    found = list(verdicts)
    return Score(
        name=name,
        lines=len(found),
        as_expected=sum(v.passed for v in found),
        misfired=sum(v.misfired for v in found),
        took_ms=sum(v.took_ms for v in found),
    )


def by_category(verdicts: Sequence[Verdict]) -> tuple[Score, ...]:
    """A score for each `case` label, in order of their names."""
    groups: dict[str, list[Verdict]] = {}
    for verdict in sorted(verdicts, key=attrgetter("case")):
        groups.setdefault(verdict.case, []).append(verdict)
    return tuple(total(group, name) for name, group in groups.items())


def confusion(verdicts: Iterable[Verdict]) -> dict[tuple[str, str], int]:
    """(expected, observed) -> how often, in order of the expected."""
    return dict(sorted(Counter((v.expected, v.observed) for v in verdicts).items()))
