"""Does the runner tell expectations apart? Every record is judged by every other line's expectation too. Pure.

A record of one line, given any other line's differing `expected`, must fail; only `REJECT_…` and
`SAFE_REJECT_OR_DEGRADE` may hold together. `RELEASE_SUCCESS` and `FALLBACK_…` name an outcome that many records share:
they are told apart from one another alone. What comes back is where an expectation is too weak.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from edge_agent.cases.expect import satisfies
from edge_agent.cases.labels import ALSO_SAFE_REJECT, FALLBACKS, RELEASE_SUCCESS, SAFE_REJECT_OR_DEGRADE
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
        if satisfies(record, record.line.expected)
        for other in occurring
        if not _may_both_hold(record.line.expected, other) and satisfies(record, other)
    )


OUTCOMES: Final = frozenset({*FALLBACKS, RELEASE_SUCCESS})


def _may_both_hold(own: str, other: str) -> bool:
    pair = {own, other}
    rejections = SAFE_REJECT_OR_DEGRADE in pair and bool(pair & ALSO_SAFE_REJECT)
    return own == other or rejections or (own in OUTCOMES) != (other in OUTCOMES)
