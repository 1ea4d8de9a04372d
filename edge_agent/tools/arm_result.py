"""The result of an arm tool, in the same words as every other result. One attempt; nothing here tries again.

The command path reserves its one tool call itself and runs under its own supervision; this only tells its end.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from edge_agent.messages.codes import ErrorCode, RetryDecision
from edge_agent.messages.wire import utc_text
from edge_agent.run.context import Run
from edge_agent.run.ids import attempt_trace
from edge_agent.run.retry import NO_RETRY, Failure, next_step
from edge_agent.tools.canon import statuses
from edge_agent.tools.result import FailedAttempt, ToolError, ToolResult
from edge_agent.tools.tool import ToolName


def arm_result(
    run: Run,
    *,
    started: datetime,
    duration_ms: float,
    data: Mapping[str, Any],
    code: ErrorCode | None = None,
    message: str = "",
    entered: bool = True,
) -> ToolResult:
    """`code` None: carried out and proved. `entered` False: refused before the tool was entered (attempt 0)."""
    attempt = 1 if entered else 0
    trace_id = attempt_trace(run.ids.trace, 1)
    failed: tuple[FailedAttempt, ...] = ()
    decision = None
    if code is not None:
        decision = control_decision(code)
        failed = (FailedAttempt(attempt, trace_id, code, decision, 0.0),)
    invocation, evidence = statuses(1, failed=code is not None)
    return ToolResult(
        tool_name=ToolName.ARM_CONTROL,
        invocation=invocation,
        evidence=evidence,
        trace_id=trace_id,
        parse_trace_id=run.ids.parse_trace,
        attempt=attempt,
        max_attempts=1,
        started_at=utc_text(started),
        duration_ms=round(duration_ms, 3),
        data=data,
        hits=None if code else 1,
        error=None if code is None else ToolError(code, message),
        decision=decision,
        attempts=failed,
    )


def control_decision(code: ErrorCode) -> RetryDecision:
    """Why an arm tool that failed with `code` is not tried again."""
    step = next_step(NO_RETRY, Failure(str(code), 1, 0.0, 1.0, control=True), lambda low, _high: low)
    return RetryDecision(step.decision)
