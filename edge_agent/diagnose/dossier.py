"""What this run has looked at: results by record, facts with the record that states them, and what was in the way.

Only `READY` records state facts. That a tool was called proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from edge_agent.messages.codes import EvidenceStatus, InvocationStatus
from edge_agent.release.policy import Basis
from edge_agent.tools.result import ToolResult
from edge_agent.tools.tool import Fact

MAX_RESULTS: Final = 256
"""Above every tool budget a site would set; further results are not kept, and the run is long out of budget."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact and the record that states it."""

    fact: Fact
    record: str


@dataclass(slots=True)
class Dossier:
    results: list[ToolResult] = field(default_factory=list)

    def put(self, result: ToolResult) -> None:
        if len(self.results) < MAX_RESULTS:
            self.results.append(result)

    @property
    def ready(self) -> Iterator[ToolResult]:
        return (r for r in self.results if r.invocation is InvocationStatus.READY and r.record is not None)

    @property
    def failed(self) -> Iterator[ToolResult]:
        return (r for r in self.results if r.invocation is InvocationStatus.ERROR)

    def record(self, record_id: str) -> ToolResult | None:
        """A `READY` record of this run."""
        return next((r for r in self.ready if r.record == record_id), None)

    def stated(self, records: Iterable[str] | None = None) -> tuple[Stated, ...]:
        """Facts, of these records or of all; each once, with the first record that states it."""
        wanted = None if records is None else frozenset(records)
        found: dict[Fact, Stated] = {}
        for result in self.ready:
            if result.record is not None and (wanted is None or result.record in wanted):
                for fact in result.facts:
                    found.setdefault(fact, Stated(fact, result.record))
        return tuple(found.values())

    @property
    def empty(self) -> tuple[ToolResult, ...]:
        """Scopes that were looked at and hold nothing: facts too, but thin ones."""
        return tuple(r for r in self.ready if r.evidence is EvidenceStatus.NO_EVIDENCE)

    @property
    def basis(self) -> Basis:
        """The only door to a fallback: is there anything verified to say?"""
        if any(r.evidence is EvidenceStatus.EVIDENCE_FOUND for r in self.ready):
            return Basis.FACTS
        return Basis.EMPTY_SCOPES if self.empty else Basis.NOTHING
