"""A journalled incident as a case line: what was said, what went wrong, and what came of it. Pure.

The line expects what was observed: whoever keeps it says first whether that was right. Tools answer as they did where
one failed or found nothing; the model scores, chooses and writes as it did; a fault of arm or wire is the one that was
put in, else the one that leaves such an end behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final

from edge_agent.cases import labels
from edge_agent.cases.anonymous import anonymous
from edge_agent.cases.expect import observed_as
from edge_agent.cases.incident import Incident, incident
from edge_agent.cases.line import CaseLine
from edge_agent.cases.record import CaseRecord, RunSeen
from edge_agent.messages.codes import Role
from edge_agent.run.journal import Kind, Row
from edge_agent.safety.cell import CellState

NOT_RUN_AGAIN: Final = frozenset({"feedback", "arm_control"})
"""Tools whose result is no script: one stores, the other is the wire."""
LEFT_BEHIND: Final[Mapping[tuple[str, str], str]] = {
    ("receipt_missing", "accept"): "command_swallowed",
    ("receipt_missing", "complete"): "never_finishes",
    ("receipt_wrong", "command_id"): "receipt_wrong_id",
    ("receipt_wrong", "device_id"): "receipt_wrong_device",
    ("receipt_wrong", ""): "receipt_wrong_parameter",
    ("send_unanswered", ""): "reply_lost_after_execution",
    ("controller_rebooted", ""): "controller_reboot(executing)",
    ("integrity_lost", "heartbeat_frozen"): "heartbeat_frozen(executing)",
    ("link_lost", ""): "cut",
    ("arm_unavailable", ""): "arm.unavailable",
    ("controller_refused", ""): "no_part",
}
"""(reason of a command's end, first detail; empty: any) and the fault that brings it about."""


def case_of(rows: Sequence[Row], run_id: str, roles: Mapping[str, Role] | None = None) -> dict[str, Any]:
    """The line as an object, ready for a file. Raises `NoIncident`."""
    found = incident(rows, run_id)
    line = CaseLine.model_validate(_said(found, (roles or {}).get(found.user, "operator")))
    observed = observed_as(_record(found, line, rows))
    expected = observed if observed in labels.ALL else "RELEASE_SUCCESS"
    told = line.model_dump(mode="json", exclude_defaults=True)
    return {**told, "expected": expected, "why": f"It happened on a site, and came out as {expected}."}


def _said(found: Incident, role: Role) -> dict[str, Any]:
    reading = next((row.body for row in found.of(Kind.READING)), {})
    said: dict[str, Any] = {
        "id": f"from-run-{found.first.id.lower()}",
        "text": _text(found, reading),
        "case": "FROM_RUN",
        "expected": "RELEASE_SUCCESS",
        "role": role,
        "llm_available": reading.get("no_model") is None,
    }
    replies = [_reply(run) for run in found.runs[1:]]
    optional = {"replies": replies, "faults": _faults(found), "tool_results": _results(found)}
    optional["model_script"] = list(_model_script(found))
    if reading.get("scores"):
        optional["intent_scores"] = reading["scores"]
    return said | {name: value for name, value in optional.items() if value}


def _text(found: Incident, reading: Mapping[str, Any]) -> str:
    report = str((reading.get("slots", {}).get("text") or {}).get("value", ""))
    lang = str(found.first.metadata.get("lang", "zh"))
    return anonymous(str(found.first.request.get("text", "")), [found.user], report, lang)


def _reply(run: RunSeen) -> Any:
    if run.request.get("type") == "confirm":
        return {"confirm": bool(run.request.get("confirm"))}
    return anonymous(str(run.request.get("text", "")))


def _faults(found: Incident) -> list[str]:
    """Those that were in when it began; else what the command's end points to."""
    began = min((row.seq for row in found.of(Kind.REQUEST)), default=0)
    active: dict[str, str] = {}
    for row in found.of(Kind.FAULT):
        if row.seq > began:
            break
        name = str(row.body.get("fault") or "")
        if row.body.get("op") == "put":
            active[name] = name
        else:
            active = {n: f for n, f in active.items() if name and n != name}
    return list(active.values())[:8] or list(_pointed_to(found))


def _pointed_to(found: Incident) -> Iterator[str]:
    end = next((row.body for row in found.of(Kind.COMMAND) if str(row.key).endswith("/end")), None)
    if end is None or end.get("state") == "VERIFIED":
        return
    reason, detail = str(end.get("reason", "")), str((end.get("detail") or [""])[0])
    fault = LEFT_BEHIND.get((reason, detail)) or LEFT_BEHIND.get((reason, ""))
    if fault is not None:
        yield fault


def _results(found: Incident) -> dict[str, list[dict[str, Any]]]:
    """By tool, in order, where a call of it failed or found nothing. A retried call gives one a try."""
    told: dict[str, list[dict[str, Any]]] = {}
    wanted: set[str] = set()
    for row in sorted((*found.of(Kind.ATTEMPT), *found.of(Kind.RECORD)), key=attrgetter("seq")):
        tool = str(row.body.get("tool") or row.body.get("tool_name") or "")
        if tool in NOT_RUN_AGAIN or not tool:
            continue
        told.setdefault(tool, []).append(_result(row))
        if row.kind is Kind.ATTEMPT or row.body.get("hits") == 0:
            wanted.add(tool)
    return {tool: [r for r in results if r] for tool, results in told.items() if tool in wanted}


def _result(row: Row) -> dict[str, Any]:
    if row.kind is Kind.ATTEMPT:
        return {"ok": False, "error": {"code": row.body.get("error.code"), "message": "as it happened"}}
    if row.body.get("error"):
        return {}  # its attempts are there
    return {"ok": True, "data": row.body.get("data") or {}, "hits": row.body.get("hits") or 0}


def _model_script(found: Incident) -> Iterator[dict[str, Any]]:
    """Failed calls fail again; a diagnosis looks where it looked, and writes what it wrote."""
    ends = {"MODEL_TIMEOUT": "timeout", "MODEL_OUTPUT_ILLEGAL": "illegal"}
    for row in found.of(Kind.MODEL_CALL):
        if row.body.get("end") != "ok" and row.body.get("purpose") == "intent":
            yield {"fail": ends.get(str(row.body["end"]), "crash")}
    if not any(True for _ in found.of(Kind.PROGRESS)):
        return
    yield from ({"choose": str(row.body["tool_name"])} for row in found.of(Kind.RECORD) if row.body.get("tool_name"))
    for row in found.of(Kind.DRAFT):
        yield {"raw": "{"} if "invalid" in row.body else {"draft": dict(row.body)}
    for row in found.of(Kind.GUARD):
        if row.body.get("guard") == "semantic" and row.body.get("by") == "model":
            yield _verdict(str(row.body["verdict"]))


def _verdict(verdict: str) -> dict[str, Any]:
    return {"fail": "timeout"} if verdict == "UNAVAILABLE" else {"verdict": verdict}


def _record(found: Incident, line: CaseLine, rows: Sequence[Row]) -> CaseRecord:
    """The incident as the runner would have seen it."""
    ends = [row.body for row in found.of(Kind.COMMAND) if str(row.key).endswith("/end")]
    locked = [row.seq for row in rows if row.kind is Kind.LOCKOUT]
    reset = [row.seq for row in rows if row.kind is Kind.RESET]
    began = min(row.seq for row in found.of(Kind.REQUEST))
    latched = any(seq > began for seq in locked) and max(locked, default=0) > max(reset, default=0)
    return CaseRecord(
        line=line,
        turns=(),
        runs=found.runs,
        frames=sum(int(end.get("frames", 0)) for end in ends),
        stop_words=sum(1 for row in found.of(Kind.STOP) if row.seq > began),
        cell_state=CellState.LOCKED_OUT if latched else CellState.READY,
        rows=found.rows,
        took_ms=0.0,
        probe=REFUSED if latched else None,
        feedback_rows_after_again=1,
    )


REFUSED: Final = RunSeen(
    request={}, events=({"type": "content", "error": {"code": "LOCKED_OUT"}},), at_ms=0.0, took_ms=0.0
)
"""A journal has no next control line; that one would have been refused is the lockout's meaning."""
