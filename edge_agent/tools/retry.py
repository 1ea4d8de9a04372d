"""The names a class types: `RetryPolicy` and `call_tool_with_retry`, over the decision that the agent itself uses.

Blocking, for a lesson or a script; inside the agent the boundary drives the same `next_step` with its own sleep.

    def tool(payload: dict) -> dict:            # {"ok": True, "data": {...}, "hits": 1}
        ...                                     # {"ok": False, "error": {"code": "TIMEOUT", "message": "..."}}

    result = call_tool_with_retry("sorting_rules", tool, {"item_type": "glass"},
                                  policy=RetryPolicy(), trace_id_seed="lesson-1")

Keys of the result: ok, data, hits, error {code, message}, tool_name, trace_id, parse_trace_id, attempt, max_attempts,
meta {parse_trace_id, retry_decision, retry_sleep_s, attempts}, started_at, duration_ms. `extra` may name
`parse_trace_id` and `deadline_s`; whatever else stands in it is repeated in `meta`. Chance comes from the seed, so the
same lesson gives the same pauses.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from edge_agent.messages.codes import ErrorCode, RetryDecision
from edge_agent.messages.wire import utc_text
from edge_agent.run.ids import attempt_trace
from edge_agent.run.retry import Failure, RetryPolicy, next_step
from edge_agent.tools.result import FailedAttempt
from edge_agent.tools.tool import CONTROL_TOOLS

__all__ = ["RetryPolicy", "call_tool_with_retry"]

NO_DEADLINE_S: Final = 3600.0
"""A script that names no deadline may wait an hour; the policy's own `max_elapsed_s` ends it long before."""

ToolFn = Callable[[dict[str, Any]], Mapping[str, Any]]


def call_tool_with_retry(
    tool_name: str,
    tool_fn: ToolFn,
    payload: Mapping[str, Any],
    *,
    policy: RetryPolicy,
    trace_id_seed: str,
    extra: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A failure that the tool tells is a result with its code and the decision taken. What the tool raises counts as
    TIMEOUT (`TimeoutError`) or CONNECTION_ERROR (`ConnectionError`); anything else is the tool's mistake and leaves."""
    more = dict(extra or {})
    parse_trace_id = str(more.pop("parse_trace_id", ""))
    deadline_s = float(more.pop("deadline_s", NO_DEADLINE_S))
    begun_s, started = time.monotonic(), utc_text(datetime.now(UTC))
    answer, failed, ended = _tried(tool_name, tool_fn, payload, policy, trace_id_seed, deadline_s)
    attempt = len(failed) if ended is not None else len(failed) + 1
    return {
        "ok": ended is None,
        "data": dict(answer.get("data") or {}),
        "hits": None if ended else answer.get("hits", 1 if answer.get("data") else 0),
        "error": None if ended is None else {"code": str(ended.code), "message": _error(answer)[1]},
        "tool_name": tool_name,
        "trace_id": attempt_trace(trace_id_seed, attempt),
        "parse_trace_id": parse_trace_id,
        "attempt": attempt,
        "max_attempts": policy.max_attempts,
        "meta": {
            **more,
            "parse_trace_id": parse_trace_id,
            "retry_decision": None if ended is None else str(ended.decision),
            "retry_sleep_s": 0.0,
            "attempts": [each.as_dict() for each in failed],
        },
        "started_at": started,
        "duration_ms": round((time.monotonic() - begun_s) * 1000, 3),
    }


def _tried(
    tool_name: str, tool_fn: ToolFn, payload: Mapping[str, Any], policy: RetryPolicy, seed: str, deadline_s: float
) -> tuple[Mapping[str, Any], list[FailedAttempt], FailedAttempt | None]:
    """The last answer, the failed attempts, and the last of them where it ended the call."""
    chance, begun_s, failed = random.Random(seed), time.monotonic(), list[FailedAttempt]()
    while True:
        answer = _once(tool_fn, payload)
        if answer.get("ok"):
            return answer, failed, None
        code, attempt, elapsed_s = _error(answer)[0], len(failed) + 1, time.monotonic() - begun_s
        failure = Failure(str(code), attempt, elapsed_s, deadline_s - elapsed_s, tool_name in CONTROL_TOOLS)
        step = next_step(policy, failure, chance.uniform)
        decision = RetryDecision(step.decision)
        failed.append(FailedAttempt(attempt, attempt_trace(seed, attempt), code, decision, step.sleep_s))
        if decision is not RetryDecision.RETRY:
            return answer, failed, failed[-1]
        time.sleep(step.sleep_s)


def _once(tool_fn: ToolFn, payload: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        return tool_fn(dict(payload))
    except TimeoutError as late:
        return {"ok": False, "error": {"code": ErrorCode.TIMEOUT, "message": str(late)}}
    except ConnectionError as cut:
        return {"ok": False, "error": {"code": ErrorCode.CONNECTION_ERROR, "message": str(cut)}}


def _error(answer: Mapping[str, Any]) -> tuple[ErrorCode, str]:
    """A code that is none of the closed set is the tool's own mistake."""
    told = answer.get("error") or {}
    code, message = str(told.get("code", "")), str(told.get("message", ""))
    known = ErrorCode(code) if code in set(ErrorCode) else ErrorCode.TOOL_EXECUTION_ERROR
    return known, message if known == code else f"{code}: {message}"
