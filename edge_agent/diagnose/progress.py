"""Is there still something to be learned? Gain is computed from facts, never believed. Pure.

COLLECTING -> SATURATED when `no_gain_limit` calls in a row gave nothing new, or the protocol was violated
`protocol_violation_limit` times in a row. Saturation ends the gathering, not the run: the model is told once
(`STOP_REQUIRED`) and may still write its draft.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from edge_agent.messages.codes import EvidenceStatus
from edge_agent.run.collection import CollectionState, StopReason
from edge_agent.tools.result import ToolResult
from edge_agent.tools.tool import Fact

Gain: TypeAlias = Literal["GAINED", "NO_GAIN"]


@dataclass(frozen=True, slots=True)
class ProgressLimits:
    """A call without gain may be bad luck, three in a row are not; a protocol slip may be mended once."""

    no_gain: int = 3
    protocol_violations: int = 2


@dataclass(frozen=True, slots=True)
class Looked:
    """The last observation, as the next call must quote it."""

    record: str
    gain: Gain


@dataclass(slots=True)
class Progress:
    limits: ProgressLimits = field(default_factory=ProgressLimits)
    state: CollectionState = CollectionState.COLLECTING
    stop_reason: StopReason | None = None
    stop_delivered: bool = False
    last: Looked | None = None
    _seen: set[Fact] = field(default_factory=set)
    _scopes: dict[tuple[str, str], str] = field(default_factory=dict)
    _no_gain: int = 0
    _violations: int = 0

    def looked_at(self, tool: str, scope: str) -> str | None:
        """The record of this very scope, when it was looked at before."""
        return self._scopes.get((tool, scope))

    def observe(self, result: ToolResult) -> Gain:
        """Takes a result in: what it gives, and whether that was one call too many without anything new."""
        new = set(result.facts) - self._seen if result.evidence is EvidenceStatus.EVIDENCE_FOUND else set()
        self._seen |= new
        if result.record is not None and result.ok:
            self._scopes.setdefault((result.tool_name, result.scope), result.record)
        return self._count("GAINED" if new else "NO_GAIN", result.record)

    def repeated(self, record: str) -> None:
        """A scope that was looked at already: no gain, by its first record."""
        self._count("NO_GAIN", record)

    def violated(self) -> None:
        """An envelope that was missing, foreign, or claimed another gain than the computed one."""
        self._violations += 1
        if self._violations >= self.limits.protocol_violations:
            self._saturate(StopReason.PROGRESS_PROTOCOL_VIOLATED)

    def out_of_budget(self) -> None:
        """A limit was met inside the boundary; the gathering is over, and the next model call says so."""
        self.stop_reason = StopReason.BUDGET_LIMIT_REACHED

    def _count(self, gain: Gain, record: str | None) -> Gain:
        self._violations = 0
        if record is not None:
            self.last = Looked(record, gain)
        self._no_gain = 0 if gain == "GAINED" else self._no_gain + 1
        if self._no_gain >= self.limits.no_gain:
            self._saturate(StopReason.INFORMATION_SATURATED)
        return gain

    def _saturate(self, reason: StopReason) -> None:
        if self.state is CollectionState.COLLECTING:
            self.state = CollectionState.SATURATED
            self.stop_reason = self.stop_reason or reason
