"""A result as the published evidence has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from edge_agent.messages.content_base import Attempt, ErrorInfo, Meta, ToolEvidence
from edge_agent.messages.wire import utc_from_text
from edge_agent.tools.projection import plain_text
from edge_agent.tools.result import ToolResult

MESSAGE_CHARS: Final = 500
VALUES: Final = 24
KEY_CHARS: Final = 64


def evidence_of(result: ToolResult) -> ToolEvidence:
    error = result.error
    return ToolEvidence(
        tool_name=result.tool_name,
        trace_id=result.trace_id,
        parse_trace_id=result.parse_trace_id,
        attempt=result.attempt,
        max_attempts=result.max_attempts,
        invocation_status=result.invocation,
        evidence_status=result.evidence,
        hits=result.hits,
        error=None if error is None else ErrorInfo(code=error.code, message=plain_text(error.message)[:MESSAGE_CHARS]),
        meta=Meta(
            parse_trace_id=result.parse_trace_id,
            retry_decision=result.decision,
            attempts=tuple(
                Attempt(
                    attempt=max(1, each.attempt),
                    trace_id=each.trace_id,
                    error_code=each.code,
                    retry_decision=each.decision,
                    retry_sleep_s=each.sleep_s,
                )
                for each in result.attempts
            ),
        ),
        started_at=utc_from_text(result.started_at),
        duration_ms=result.duration_ms,
        record=result.record,
        facts=scalars(result.data),
    )


def scalars(data: Mapping[str, Any]) -> dict[str, str | int | float | bool | None]:
    """The plain values of a record's data, bounded; what is nested stays in the record."""
    plain = {k: v for k, v in data.items() if v is None or isinstance(v, str | int | float | bool)}
    bounded = ((k[:KEY_CHARS], plain_text(v)[:MESSAGE_CHARS] if isinstance(v, str) else v) for k, v in plain.items())
    return dict(list(bounded)[:VALUES])
