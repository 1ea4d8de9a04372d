"""What every kind of content has: words for a person, the traces, and the evidence it stands on. Pure."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from edge_agent.messages.codes import ErrorCode, EvidenceStatus, InvocationStatus, RetryDecision
from edge_agent.messages.wire import Count, Line, Scalars, Text, UtcTime, WireModel, Word


class ErrorInfo(WireModel):
    code: ErrorCode
    message: Line


class Attempt(WireModel):
    """One failed attempt, also when a later one succeeded."""

    attempt: Annotated[int, Field(ge=1)]
    trace_id: Word
    error_code: ErrorCode
    retry_decision: RetryDecision
    retry_sleep_s: Annotated[float, Field(ge=0)]


class Meta(WireModel):
    """`retry_decision` is None on success."""

    parse_trace_id: Word | None = None
    retry_decision: RetryDecision | None = None
    retry_sleep_s: Annotated[float, Field(ge=0)] = 0.0
    attempts: Annotated[tuple[Attempt, ...], Field(max_length=10)] = ()


class ToolEvidence(WireModel):
    """One call of a tool as its record says it. `facts` are the values shown, `record` the row they stand in."""

    tool_name: Word
    trace_id: Word
    parse_trace_id: Word
    attempt: Count
    max_attempts: Annotated[int, Field(ge=1)]
    invocation_status: InvocationStatus
    evidence_status: EvidenceStatus
    hits: Count | None = None
    error: ErrorInfo | None = None
    meta: Meta = Meta()
    started_at: UtcTime
    duration_ms: Annotated[float, Field(ge=0)]
    record: Word | None = None
    facts: Scalars = Field(default_factory=dict)


class ContentBase(WireModel):
    """`trimmed`: something was left out to fit the broker's maximum; the journal holds the whole."""

    type: Literal["content"] = "content"
    text: Text
    trace_id: Word
    parse_trace_id: Word
    evidence: Annotated[tuple[ToolEvidence, ...], Field(max_length=16)] = ()
    trimmed: bool = False


class NextStep(WireModel):
    """Something that works now, with a sentence that does it."""

    n: Annotated[int, Field(ge=1, le=3)]
    text: Line
    example: Line | None = None
