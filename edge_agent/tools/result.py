"""What a call came to, with everything that explains it: two statuses, attempts, decisions, times, the record.

The keys of `as_dict` are those that cases, the journal and the published evidence name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from edge_agent.messages.codes import ErrorCode, EvidenceStatus, InvocationStatus, RetryDecision
from edge_agent.tools.tool import Fact


@dataclass(frozen=True, slots=True)
class ToolError:
    code: ErrorCode
    message: str


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    attempt: int
    trace_id: str
    code: ErrorCode
    decision: RetryDecision
    sleep_s: float

    def as_dict(self) -> dict[str, Any]:
        return {
            "attempt": self.attempt,
            "trace_id": self.trace_id,
            "error.code": str(self.code),
            "retry_decision": str(self.decision),
            "retry_sleep_s": self.sleep_s,
        }


@dataclass(frozen=True, slots=True)
class Projection:
    """What a model or an operator may see of the data: bounded JSON text. `truncated`: some of it was left out."""

    text: str
    truncated: bool = False


NO_PROJECTION = Projection("")


@dataclass(frozen=True, slots=True)
class ToolResult:
    """`attempt` counts from 1; 0 means that the tool was not entered. `started_at` is UTC, ISO 8601."""

    tool_name: str
    invocation: InvocationStatus
    evidence: EvidenceStatus
    trace_id: str
    parse_trace_id: str
    attempt: int
    max_attempts: int
    started_at: str
    duration_ms: float
    data: Mapping[str, Any] = field(default_factory=dict)
    hits: int | None = None
    error: ToolError | None = None
    decision: RetryDecision | None = None
    attempts: tuple[FailedAttempt, ...] = ()
    record: str | None = None
    scope: str = ""
    facts: tuple[Fact, ...] = ()
    projection: Projection = NO_PROJECTION

    @property
    def ok(self) -> bool:
        return self.error is None

    @property
    def code(self) -> ErrorCode | None:
        return None if self.error is None else self.error.code

    def as_dict(self) -> dict[str, Any]:
        error = None if self.error is None else {"code": str(self.error.code), "message": self.error.message}
        return {
            "ok": self.ok,
            "data": dict(self.data),
            "hits": self.hits,
            "error": error,
            "tool_name": self.tool_name,
            "trace_id": self.trace_id,
            "parse_trace_id": self.parse_trace_id,
            "attempt": self.attempt,
            "max_attempts": self.max_attempts,
            "invocation_status": str(self.invocation),
            "evidence_status": str(self.evidence),
            "meta": {
                "parse_trace_id": self.parse_trace_id,
                "retry_decision": None if self.decision is None else str(self.decision),
                "retry_sleep_s": 0.0,
                "attempts": [each.as_dict() for each in self.attempts],
            },
            "started_at": self.started_at,
            "duration_ms": self.duration_ms,
        }
