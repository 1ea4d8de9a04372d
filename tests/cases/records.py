"""Records as a run leaves them, for tests: a good one of each kind, and a way to change one field of it."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any

from edge_agent.cases.line import CaseLine, parse_line
from edge_agent.cases.record import CaseRecord, RunSeen
from edge_agent.run.journal import Kind, Row
from edge_agent.safety.cell import CellState

DOWN = "（当前大模型不可用，这是按规则离线处理的；查询、状态、反馈和停止仍然可用。）"
RUN = "01J00000000000000000000000"


def line(**fields: Any) -> CaseLine:
    given = {"text": "查一下 glass 的分拣规则", "case": "TEST", "expected": "ANSWER", **fields}
    parsed = parse_line("test.jsonl", 1, json.dumps(given))
    assert isinstance(parsed, CaseLine)
    return parsed


def attempt(number: int, decision: str, code: str = "TIMEOUT") -> dict[str, Any]:
    sleep = 0.2 if decision == "retry" else 0.0
    return {"attempt": number, "error_code": code, "retry_decision": decision, "retry_sleep_s": sleep}


def tool(
    name: str = "sorting_rules", at: int = 1, most: int = 3, code: str | None = None, **more: Any
) -> dict[str, Any]:
    return {
        "tool_name": name,
        "attempt": at,
        "max_attempts": most,
        "invocation_status": "READY" if code is None else "ERROR",
        "error": None if code is None else {"code": code},
        "meta": {"retry_decision": None, "attempts": []},
        **more,
    }


def run(content: dict[str, Any] | None, outcome: str, fallback: str | None = None, **more: Any) -> RunSeen:
    """`more`: request, failure, usage, events instead of the usual ones."""
    usage = {"model_calls": 1, "tool_calls": 1, "tool_calls_by_name": {"sorting_rules": 1}, **more.get("usage", {})}
    events: list[dict[str, Any]] = [{"type": "metadata", "lang": "zh", "run": RUN}]
    if content is not None:
        head = {"type": "content", "run": RUN, "trace_id": "trace-1", "parse_trace_id": "p-1", "evidence": []}
        events.append({**head, **content})
    if "failure" in more:
        events.append({"type": "failure", **more["failure"]})
    events.append({"type": "done", "outcome": outcome, "fallback_type": fallback, "usage": usage})
    request = {"id": RUN, "type": "ask", **more.get("request", {})}
    return RunSeen(request, tuple(more.get("events", events)), 0.0, 1.0)


def row(seq: int, kind: Kind, body: dict[str, Any], at_ms: int = 0) -> Row:
    return Row(seq, at_ms, 1, kind, RUN, None, body, "", "")


TOLD = {"event": {"run": RUN, "type": "content"}}


def record(wanted: CaseLine, runs: Sequence[RunSeen], **more: Any) -> CaseRecord:
    fields: dict[str, Any] = {
        "turns": (),
        "frames": 0,
        "stop_words": 0,
        "cell_state": CellState.READY,
        "rows": (),
        "took_ms": 1.0,
    }
    return CaseRecord(line=wanted, runs=tuple(runs), **{**fields, **more})


def _rejection(reason: str, code: str, **more: Any) -> dict[str, Any]:
    text = "你的角色是操作员，不能使用“回零”；物品类型(item_type)不对。没有发送。请问技术员。"
    steps = [{"n": 1, "text": "查询", "example": "查一下 glass 的分拣规则"}]
    head = {"kind": "rejection", "reason": reason, "error": {"code": code}, "not_done": "没有发送。", "text": text}
    return {**head, "next_steps": steps, "retry_decision": "no_retry_non_retryable", **more}


FIGURES = {"reason": "top_score_low", "top_score": 0.4, "second_score": 0.39, "margin": 0.01}
CANDIDATES = [{"intent": "QUERY_RULE", "score": 0.4, "example": "x"}, {"intent": "STOP", "score": 0.3, "example": "y"}]
ANSWER = {"kind": "answer", "text": "glass 放 2 号箱。", "evidence": [tool()]}
TRIED_OUT = tool(
    at=2,
    most=2,
    code="TIMEOUT",
    meta={"retry_decision": "x", "attempts": [attempt(1, "retry"), attempt(2, "no_retry_reach_max_attempts")]},
)
RECOVERED = tool(at=2, meta={"retry_decision": None, "attempts": [attempt(1, "retry")]})
ARM_FAILED = tool("arm_control", most=1, code="TIMEOUT", meta={"retry_decision": "no_retry_control", "attempts": []})
LOCK_ROWS = (row(1, Kind.REQUEST, {}), row(2, Kind.LOCKOUT, {"reason": "receipt_wrong"}), row(3, Kind.EVENT, TOLD))


def good(expected: str) -> CaseRecord:
    """A record that this expectation holds for."""
    return copy.deepcopy(_GOOD[expected])


def _probe() -> RunSeen:
    return run(_rejection("locked_out", "LOCKED_OUT"), "FALLBACK", "SAFE_REJECTION")


NO_CALLS = {"model_calls": 0, "tool_calls": 0, "tool_calls_by_name": {}}
ONE_ARM_CALL = {"tool_calls_by_name": {"arm_control": 1}}
_ASKED = {"need_clarify": True, "text": "?", **FIGURES}

_GOOD: dict[str, CaseRecord] = {
    "SAFE_REJECT_OR_DEGRADE": record(
        line(
            expected="SAFE_REJECT_OR_DEGRADE",
            tool_result={"ok": False, "error": {"code": "TIMEOUT", "message": "m"}},
        ),
        [
            run(
                _rejection("arm_tool_failed", "TIMEOUT", evidence=[ARM_FAILED], retry_decision="no_retry_control"),
                "FALLBACK",
                "SAFE_REJECTION",
                usage=ONE_ARM_CALL,
            )
        ],
    ),
    "RETRY_THEN_DEGRADE": record(
        line(expected="RETRY_THEN_DEGRADE"),
        [
            run(
                {**ANSWER, "evidence": [TRIED_OUT], "degraded": True, "age_s": 60.0},
                "FALLBACK",
                "DEGRADED_ANSWER",
            )
        ],
    ),
    "RETRY_THEN_ANSWER": record(
        line(expected="RETRY_THEN_ANSWER"), [run({**ANSWER, "evidence": [RECOVERED]}, "SUCCESS")]
    ),
    "CLARIFY_WITH_CANDIDATES": record(
        line(expected="CLARIFY_WITH_CANDIDATES"),
        [
            run(
                {"kind": "clarification", "candidates": CANDIDATES, "missing": None, **_ASKED},
                "FALLBACK",
                "CLARIFICATION",
                usage=NO_CALLS,
            )
        ],
    ),
    "CLARIFY_MISSING_SLOT": record(
        line(expected="CLARIFY_MISSING_SLOT"),
        [
            run(
                {"kind": "clarification", "candidates": [], "missing": "task_id", **_ASKED},
                "FALLBACK",
                "CLARIFICATION",
                usage=NO_CALLS,
            )
        ],
    ),
    "OFFLINE_ROUTE": record(
        line(expected="OFFLINE_ROUTE", llm_available=False),
        [
            run(
                {**ANSWER, "source": "rules", "reason": "keyword_rule+item_type", "text": DOWN},
                "SUCCESS",
                usage={"model_calls": 0},
            )
        ],
    ),
    "ANSWER": record(line(), [run(ANSWER, "SUCCESS")]),
    "RECORD": record(
        line(expected="RECORD"),
        [run({"kind": "record", "text": "反馈已保存。", "evidence": [tool("feedback")]}, "SUCCESS")],
        rows=(row(1, Kind.FEEDBACK, {}),),
        feedback_rows_after_again=1,
    ),
    "EXPLAIN": record(
        line(expected="EXPLAIN"),
        [run({"kind": "explanation", "reason": "mood_question", "next_steps": [{"n": 1, "text": "x"}]}, "SUCCESS")],
    ),
    "ASK_CONFIRMATION": record(
        line(expected="ASK_CONFIRMATION"),
        [run({"kind": "confirmation", "digest": "ab", "expires_in_s": 30.0}, "FALLBACK", "CONFIRMATION_REQUIRED")],
    ),
    "EXECUTE_VERIFIED": record(
        line(expected="EXECUTE_VERIFIED"),
        [run({"kind": "motion", "command_state": "VERIFIED"}, "SUCCESS")],
        frames=1,
    ),
    "STOP_NOW": record(
        line(expected="STOP_NOW"),
        [run({"kind": "stop", "proved": True}, "SUCCESS", usage=NO_CALLS)],
        stop_words=1,
    ),
    "LOCKOUT": record(
        line(expected="LOCKOUT"),
        [run({"kind": "motion", "command_state": "UNKNOWN"}, "FALLBACK", "COMMAND_NOT_VERIFIED")],
        frames=1,
        cell_state=CellState.LOCKED_OUT,
        rows=LOCK_ROWS,
        probe=_probe(),
    ),
    "REJECT_PERMISSION": record(
        line(expected="REJECT_PERMISSION"),
        [run(_rejection("permission_denied", "PERMISSION_DENIED"), "FALLBACK", "SAFE_REJECTION")],
    ),
    "REJECT_INPUT": record(
        line(expected="REJECT_INPUT"),
        [run(_rejection("input_invalid", "INPUT_INVALID"), "FALLBACK", "SAFE_REJECTION")],
    ),
    "REJECT_STALE": record(
        line(expected="REJECT_STALE"),
        [run(_rejection("expired", "STALE_REQUEST"), "FALLBACK", "SAFE_REJECTION")],
    ),
    "REJECT_DUPLICATE": record(
        line(expected="REJECT_DUPLICATE"),
        [
            run(
                _rejection("duplicate", "DUPLICATE_REQUEST", first_state="SUCCESS"),
                "FALLBACK",
                "SAFE_REJECTION",
            )
        ],
    ),
    "FALLBACK_DEGRADED_ANSWER": record(
        line(expected="FALLBACK_DEGRADED_ANSWER"), [run(ANSWER, "FALLBACK", "DEGRADED_ANSWER")]
    ),
    "RELEASE_SUCCESS": record(line(expected="RELEASE_SUCCESS"), [run({"kind": "session"}, "SUCCESS")]),
    "RELEASE_FAILED": record(
        line(expected="RELEASE_FAILED"), [run(None, "FAILED", failure={"code": "BUDGET_EXHAUSTED"})]
    ),
    "RELEASE_CANCELLED": record(
        line(expected="RELEASE_CANCELLED"), [run(None, "CANCELLED", failure={"code": "RUN_CANCELLED"})]
    ),
}
EXPECTATIONS = tuple(_GOOD)
