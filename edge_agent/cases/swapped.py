"""Does the runner tell expectations apart? Every record is judged by every other line's expectation too. Pure.

A record of one line, given any other line's differing `expected`, must fail; only `REJECT_…` records may also satisfy
`SAFE_REJECT_OR_DEGRADE`. What comes back is where an expectation is too weak.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from edge_agent.cases.expect import satisfies
from edge_agent.cases.labels import ALSO_SAFE_REJECT, SAFE_REJECT_OR_DEGRADE
from edge_agent.cases.record import CaseRecord


@dataclass(frozen=True, slots=True)
class TooWeak:
    """`record`, of a line that expects `own`, would also have passed as `other`."""

    record: str
    own: str
    other: str


def too_weak(records: Sequence[tuple[str, CaseRecord]]) -> tuple[TooWeak, ...]:
    """`records` with their ids. Empty when every expectation tells itself from all others that occur."""
    occurring = dict.fromkeys(record.line.expected for _, record in records)
    return tuple(
        TooWeak(id_, record.line.expected, other)
        for id_, record in records
        for other in _others(record.line.expected, occurring)
        if satisfies(record, other)
    )


def _others(own: str, occurring: Iterable[str]) -> Iterable[str]:
    allowed = {own} | ({SAFE_REJECT_OR_DEGRADE} if own in ALSO_SAFE_REJECT else set())
    return (label for label in occurring if label not in allowed)
