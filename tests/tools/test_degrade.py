"""What becomes of a query, and what an arm tool's end looks like beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from edge_agent.messages.codes import ErrorCode, EvidenceStatus, InvocationStatus, RetryDecision
from edge_agent.tools.arm_result import arm_result
from edge_agent.tools.degrade import AskPerson, Broken, Empty, FromCopy, Live, Refused, query_end
from edge_agent.tools.evidence import evidence_of, scalars
from edge_agent.tools.ports import CopiedRule, Rule
from edge_agent.tools.result import FailedAttempt, ToolError, ToolResult
from tests.tools.desk import NOW, Desk


class Copy:
    def rule(self, item_type: str) -> CopiedRule | None:
        return CopiedRule(Rule("R-GLASS-01", "glass", "2"), 90.0) if item_type == "glass" else None


GOOD = ToolResult(
    tool_name="sorting_rules",
    invocation=InvocationStatus.READY,
    evidence=EvidenceStatus.EVIDENCE_FOUND,
    trace_id="t-1",
    parse_trace_id="p",
    attempt=1,
    max_attempts=3,
    started_at="2026-03-01T08:00:00.000Z",
    duration_ms=1.0,
    data={"bin": "2"},
    hits=1,
    record="t.1",
)
EMPTY = replace(GOOD, hits=0, evidence=EvidenceStatus.NO_EVIDENCE)


def failed(code: ErrorCode) -> ToolResult:
    return replace(GOOD, hits=None, data={}, error=ToolError(code, "m"), decision=RetryDecision.REACH_MAX_ATTEMPTS)


TASK = replace(EMPTY, tool_name="task_status")
ENDS: list[tuple[ToolResult, str, type]] = [
    (GOOD, "glass", Live),
    (EMPTY, "glass", FromCopy),
    (EMPTY, "wood", Empty),
    (failed(ErrorCode.TIMEOUT), "glass", FromCopy),
    (failed(ErrorCode.TIMEOUT), "wood", AskPerson),
    (failed(ErrorCode.NOT_FOUND), "wood", AskPerson),
    (failed(ErrorCode.PERMISSION_DENIED), "glass", Refused),
    (failed(ErrorCode.INPUT_INVALID), "glass", Refused),
    (failed(ErrorCode.BUDGET_EXHAUSTED), "glass", Broken),
    (failed(ErrorCode.STORE_FAILED), "glass", Broken),
    (failed(ErrorCode.RUN_INACTIVE), "glass", Broken),
    (TASK, "glass", Empty),
]


@pytest.mark.parametrize(("result", "item", "end"), ENDS)
def test_query_end(result: ToolResult, item: str, end: type) -> None:
    got = query_end(result, {"item_type": item}, Copy())
    assert type(got) is end
    assert got.result is result
    if isinstance(got, FromCopy):
        assert (got.data["bin"], got.age_s) == ("2", 90.0)


ARM: list[tuple[ErrorCode, RetryDecision]] = [
    (ErrorCode.SERVICE_UNAVAILABLE, RetryDecision.CONTROL),
    (ErrorCode.TIMEOUT, RetryDecision.CONTROL),
    (ErrorCode.RECEIPT_MISMATCH, RetryDecision.CONTROL),
    (ErrorCode.PERMISSION_DENIED, RetryDecision.NON_RETRYABLE),
    (ErrorCode.INPUT_INVALID, RetryDecision.NON_RETRYABLE),
]


@pytest.mark.parametrize(("code", "decision"), ARM)
def test_an_arm_tool_is_never_tried_again(code: ErrorCode, decision: RetryDecision) -> None:
    result = arm_result(Desk().run, started=NOW, duration_ms=5.0, data={"command_id": 7}, code=code, message="m")
    assert (result.attempt, result.max_attempts, result.decision, result.ok) == (1, 1, decision, False)
    assert result.as_dict()["meta"]["attempts"][0]["retry_decision"] == decision


def test_an_arm_tool_that_did_it() -> None:
    result = arm_result(Desk().run, started=NOW, duration_ms=5.0, data={"command_id": 7})
    assert (result.ok, result.decision, result.attempts, result.evidence) == (
        True,
        None,
        (),
        EvidenceStatus.EVIDENCE_FOUND,
    )
    refused = arm_result(
        Desk().run, started=NOW, duration_ms=0, data={}, code=ErrorCode.PERMISSION_DENIED, entered=False
    )
    assert refused.attempt == 0


def test_published_evidence() -> None:
    attempt = FailedAttempt(1, "t-1", ErrorCode.TIMEOUT, RetryDecision.RETRY, 0.2)
    shown = evidence_of(replace(GOOD, attempts=(attempt,)))
    assert (shown.hits, shown.record, shown.facts) == (1, "t.1", {"bin": "2"})
    assert shown.meta.attempts[0].error_code is ErrorCode.TIMEOUT
    error = evidence_of(failed(ErrorCode.TIMEOUT)).error
    assert error is not None
    assert error.code is ErrorCode.TIMEOUT


def test_published_values_are_plain_and_bounded() -> None:
    data: dict[str, Any] = {f"k{n}": n for n in range(40)}
    assert len(scalars(data)) == 24
    assert scalars({"a": [1], "b": {"c": 1}, "d": "x" * 900, "e": "\x1b[2J"}) == {"d": "x" * 500, "e": " [2J"}
