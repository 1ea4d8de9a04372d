"""One example of every message, as it stands on the wire. For the documentation and for whoever writes a client."""

from __future__ import annotations

from typing import Any, Final

_ID: Final = "01JQ3XK5T8M4N6P7R9S0VWXYZ1"
_AT: Final = "2026-03-01T08:00:00.123Z"
_PROMPT: Final = "p1f0c2d4e6a8b0c2"
_DIGEST: Final = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
_COMMON: Final = {"v": 1, "id": _ID, "issued_at": _AT, "ttl_ms": 5000}

REQUEST_EXAMPLES: Final[dict[str, dict[str, Any]]] = {
    "ask": _COMMON | {"type": "ask", "lang": "zh", "text": "查一下 glass 的分拣规则"},
    "reply": _COMMON | {"type": "reply", "prompt_id": _PROMPT, "text": "1"},
    "confirm": _COMMON
    | {
        "type": "confirm",
        "epoch": 1742,
        "attached": "say-8f2c",
        "prompt_id": _PROMPT,
        "digest": _DIGEST,
        "confirm": True,
    },
    "cancel": _COMMON | {"type": "cancel", "run": _ID},
    "ack_alarm": _COMMON | {"type": "ack_alarm", "alarm": "arm.link_lost", "event_id": "42"},
    "resync": _COMMON | {"type": "resync"},
    "explain": _COMMON | {"type": "explain", "run": _ID, "page": 0},
    "lab": _COMMON | {"type": "lab", "epoch": 1742, "op": "put", "fault": "query.timeout", "count": 2, "seed": 7},
    "history": _COMMON | {"type": "history", "what": "items", "window_s": 3600, "page": 0},
    "release_stop": _COMMON | {"type": "release_stop", "epoch": 1742},
}
STOP_EXAMPLE: Final[dict[str, Any]] = {"v": 1, "type": "stop", "id": _ID, "issued_at": _AT}

_ENVELOPE: Final = {"v": 1, "run": _ID, "at": _AT, "epoch": 1742}
_CONTENT: Final = _ENVELOPE | {"seq": 2, "type": "content", "trace_id": "t-5d1f", "parse_trace_id": "p-77aa"}
_EVIDENCE: Final = {
    "tool_name": "sorting_rules",
    "trace_id": "t-5d1f-3",
    "parse_trace_id": "p-77aa",
    "attempt": 3,
    "max_attempts": 3,
    "invocation_status": "READY",
    "evidence_status": "EVIDENCE_FOUND",
    "hits": 1,
    "error": None,
    "meta": {
        "parse_trace_id": "p-77aa",
        "attempts": [
            {
                "attempt": 1,
                "trace_id": "t-5d1f-1",
                "error_code": "TIMEOUT",
                "retry_decision": "retry",
                "retry_sleep_s": 0.231,
            }
        ],
    },
    "started_at": _AT,
    "duration_ms": 2.4,
    "record": "r-1",
    "facts": {"item_type": "glass", "bin": 2, "rule": "R-GLASS-01"},
}
_NEXT: Final = [{"n": 1, "text": "查询分拣规则", "example": "查一下 glass 的分拣规则"}]
_SLOTS: Final = {"item_type": "glass", "bin": 2}
_RECEIPT: Final = {"state": "DONE", "code": 0, "fingerprint": 41153, "duration_ms": 1830}
_END: Final = {"at_target": True, "holding": False, "released": True}
_CLARIFICATION: Final = {
    "kind": "clarification",
    "text": "我不确定你要做哪一种操作（为避免误执行，需要你确认一下）：",
    "need_clarify": True,
    "reason": "margin_low",
    "top_intent": "QUERY_RULE",
    "top_score": 0.41,
    "second_score": 0.39,
    "margin": 0.02,
    "candidates": [
        {"n": 1, "intent": "QUERY_RULE", "label": "查询分拣规则", "example": "查一下 glass 的分拣规则", "score": 0.41},
        {
            "n": 2,
            "intent": "SUBMIT_FEEDBACK",
            "label": "提交异常反馈",
            "example": "提交反馈 t001 玻璃破损",
            "score": 0.39,
        },
    ],
    "missing": None,
    "round": 1,
    "prompt_id": _PROMPT,
    "expires_in_s": 120.0,
}
_CONFIRMATION: Final = {
    "kind": "confirmation",
    "text": "将要移动机械臂：夹取 glass，放到 2 号箱。请确认。",
    "prompt_id": _PROMPT,
    "digest": _DIGEST,
    "action": "pick_place",
    "device": "arm_01",
    "slots": _SLOTS,
    "warnings": [{"code": "bin_against_rule", "text": "分拣规则把 glass 放到 2 号箱以外时会在这里提示"}],
    "checks": [{"name": "guard_closed", "ok": True, "text": "防护门已关闭"}],
    "default": "no",
    "expires_in_s": 30.0,
}
_TRACES: Final = {"type": "content", "trace_id": "t-5d1f", "parse_trace_id": "p-77aa"}

EVENT_EXAMPLES: Final[dict[str, dict[str, Any]]] = {
    "metadata": _ENVELOPE
    | {
        "seq": 0,
        "type": "metadata",
        "request_id": _ID,
        "parse_trace_id": "p-77aa",
        "intent": "QUERY_RULE",
        "lang": "zh",
        "agent": "0.1.0",
        "model": "gemma3-270m-q4_k_m",
        "rules_version": "3f2a",
    },
    "status": _ENVELOPE | {"seq": 1, "type": "status", "phase": "RETRYING", "attempt": 2, "max_attempts": 3},
    "content.answer": _CONTENT
    | {"kind": "answer", "text": "glass 放到 2 号箱（R-GLASS-01）。", "hits": 1, "evidence": [_EVIDENCE]},
    "content.record": _CONTENT
    | {"kind": "record", "text": "已记录 t001 的反馈。", "record_id": "fb-17", "data": {"task_id": "t001"}},
    "content.diagnosis": _CONTENT
    | {
        "kind": "diagnosis",
        "text": "t014 中断：夹爪未检测到工件。",
        "cause": "no_part_at_pick",
        "clauses": [{"text": "t014 在 10:02 以 0601 结束", "evidence": ["r-1"]}],
        "facts": [{"text": "arm_01 在 10:00 至 10:10 没有报警", "record": "r-2"}],
        "checked": ["arm_01 10:00-10:10"],
        "next_steps": _NEXT,
    },
    "content.explanation": _CONTENT
    | {
        "kind": "explanation",
        "text": "当前大模型不可用/不稳定，为保证安全我不会直接下发设备控制指令。",
        "reason": "control_requires_llm_or_confirmation",
        "next_steps": _NEXT,
    },
    "content.clarification": _CONTENT | _CLARIFICATION,
    "content.confirmation": _CONTENT | _CONFIRMATION,
    "content.rejection": _CONTENT
    | {
        "kind": "rejection",
        "text": "工作单元已锁定。没有执行，也没有向机械臂发送任何指令。",
        "reason": "locked_out",
        "error": {"code": "LOCKED_OUT", "message": "the cell is LOCKED_OUT"},
        "not_done": "没有执行，也没有向机械臂发送任何指令。",
        "retry_decision": "no_retry_control",
        "next_steps": _NEXT,
    },
    "content.motion": _CONTENT
    | {
        "kind": "motion",
        "text": "已完成并核对：glass 放到 2 号箱。",
        "command_id": 118,
        "command_state": "VERIFIED",
        "receipt": _RECEIPT,
        "end_state": _END,
        "frames_on_wire": 1,
    },
    "content.stop": _CONTENT
    | {
        "kind": "stop",
        "text": "已停止，控制器状态与静止位姿已核对。",
        "command_id": 119,
        "command_state": "ABORTED",
        "end_state": {"state": "STOPPED", "still": True},
        "frames_on_wire": 1,
        "proved": True,
    },
    "content.session": _CONTENT
    | {
        "kind": "session",
        "text": "当前会话。",
        "user": "op1",
        "role": "operator",
        "lab": False,
        "open_prompts": [_TRACES | _CONFIRMATION],
        "runs": [{"id": _ID, "last": {"seq": 3, "type": "done", "at": _AT, "outcome": "SUCCESS"}}],
    },
    "content.history": _CONTENT
    | {
        "kind": "history",
        "text": "最近一小时的分拣数量。",
        "what": "items",
        "window_s": 3600,
        "page": 0,
        "pages": 1,
        "rows": [{"item_type": "glass", "bin": 2, "count": 12}],
        "counts": {"glass": 12},
    },
    "content.timeline": _CONTENT
    | {
        "kind": "timeline",
        "text": "这次运行的经过。",
        "of_run": _ID,
        "page": 0,
        "pages": 1,
        "entries": [{"at": _AT, "what": "tool", "text": "sorting_rules 第 3 次成功", "detail": {"attempt": 3}}],
    },
    "content.done_ack": _CONTENT
    | {"kind": "done_ack", "text": "报警已确认。", "what": "ack_alarm", "data": {"alarm": "arm.link_lost"}},
    "failure": _ENVELOPE
    | {
        "seq": 2,
        "type": "failure",
        "code": "RUN_CANCELLED",
        "text": "已取消，没有向机械臂发送任何指令。",
        "trace_id": "t-5d1f",
    },
    "done": _ENVELOPE
    | {
        "seq": 3,
        "type": "done",
        "outcome": "SUCCESS",
        "run_state": "SUCCESS",
        "termination": {"state": "SUCCESS", "reason": "released", "at": _AT},
        "usage": {"tool_calls": 3, "tool_calls_by_name": {"sorting_rules": 3}, "run_bytes": 912},
    },
}
RETAINED_EXAMPLES: Final[dict[str, dict[str, Any]]] = {
    "status": {
        "v": 1,
        "status": "ONLINE",
        "epoch": 1742,
        "at": _AT,
        "beat": 31,
        "instance": "5a9f782232ac9c847405e1e022cb5829",
        "versions": {"agent": "0.1.0", "messages": "1"},
    },
    "cell_state": {
        "v": 1,
        "at": _AT,
        "epoch": 1742,
        "state": "LOCKED_OUT",
        "mode": "AUTO_REMOTE",
        "simulated": True,
        "unknown_outcomes": 1,
        "lockout_reason": "RECEIPT_MISMATCH",
        "faults_injected": [{"name": "arm.receipt_wrong_id", "left": 1, "seed": 7, "by": "tech1"}],
        "arm": {"x": 1200, "y": 0, "z": 3000, "holds_part": False},
    },
    "capabilities": {
        "v": 1,
        "at": _AT,
        "cell": "cell01",
        "devices": [
            {"id": "arm_01", "kind": "arm", "driver": "cell_modbus", "receipt_level": 3, "is_real": False},
        ],
        "actions": ["home", "pick", "place", "pick_place", "move", "open_gripper", "close_gripper", "park"],
        "items": ["glass", "metal", "plastic", "paper"],
        "bins": [1, 2, 3, 4, 5, 6],
        "stations": ["A", "B", "C"],
        "limits": {"speed_pct_max": 100},
        "roles": ["viewer", "student", "operator", "technician"],
        "request_types": ["ask", "reply", "confirm", "cancel"],
        "lab": False,
        "model": {"name": "gemma3-270m-q4_k_m", "usable": True, "qualified": True, "accuracy": 0.98},
        "schema_hash": _DIGEST,
    },
    "alarm": {
        "v": 1,
        "id": "arm.receipt_mismatch-3",
        "type": "arm.receipt_mismatch",
        "source": "arm_01",
        "severity": "urgent",
        "active": True,
        "acked": False,
        "event_id": "42",
        "raised_at": _AT,
        "message": "回执与指令不一致，工作单元已锁定。",
        "cause": "控制器返回的指令编号不同。",
        "consequence": "机械臂可能已经移动；不再接受控制指令。",
        "response": "请技术员到现场查看，核对后在本地控制台复位。",
    },
}
