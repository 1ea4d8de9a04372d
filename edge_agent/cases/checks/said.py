"""What was released: kind, outcome, code, reason, and that nothing was called or written on the way. Pure."""

from __future__ import annotations

from typing import Final

from edge_agent.cases.assertion import Assertion, equal, holds
from edge_agent.cases.looking import (
    ending,
    error_of,
    sends,
    words,
)
from edge_agent.cases.record import CaseRecord
from edge_agent.run.journal import Kind

WRITING_TOOLS: Final = frozenset({"feedback", "arm_control"})


def kind(*names: str) -> Assertion:
    return holds("content.kind", " or ".join(names), lambda r: (r.judged.kind in names, r.judged.kind or ending(r)))


def outcome(name: str, fallback: str | None = None) -> Assertion:
    def found(record: CaseRecord) -> tuple[object, object]:
        return record.judged.outcome, record.judged.done.get("fallback_type")

    wanted = (name, fallback)
    return holds(
        "done.outcome", f"{name} {fallback or ''}".strip(), lambda r: (found(r) == wanted, " ".join(map(str, found(r))))
    )


def frames(count: int) -> Assertion:
    """The expectation's own number; a line that gives `frames_on_wire` says it itself."""

    def wanted(record: CaseRecord) -> int:
        return count if record.line.frames_on_wire is None else record.line.frames_on_wire

    return holds("frames_on_wire", f"{count}, or as the line says", lambda r: (r.frames == wanted(r), r.frames))


def content(field: str, expected: object) -> Assertion:
    return equal(f"content.{field}", expected, lambda r: r.judged.content.get(field))


def _advice(record: CaseRecord) -> tuple[bool, object]:
    content = record.judged.content
    if content.get("reason") != "arm_unavailable":
        return True, None
    steps, text = content.get("advice") or [], str(content.get("text", ""))
    heading = words(record).say("advice.heading")
    return bool(steps) and heading in text and all(step in text for step in steps), (heading in text, len(steps))


ADVISED: Final = holds("advice", "headed as advice alone, 1 step or more, where the arm did not answer", _advice)


def error_code(*codes: str) -> Assertion:
    def found(record: CaseRecord) -> object:
        return error_of(record.judged.content).get("code")

    return holds("error.code", " or ".join(codes), lambda r: (found(r) in codes, found(r)))


def reason(*names: str) -> Assertion:
    return holds(
        "content.reason",
        " or ".join(names),
        lambda r: (r.judged.content.get("reason") in names, r.judged.content.get("reason")),
    )


def next_steps(least: int, most: int = 3) -> Assertion:
    def count(record: CaseRecord) -> int:
        return len(record.judged.content.get("next_steps", ()))

    return holds("content.next_steps", f"{least} to {most}", lambda r: (least <= count(r) <= most, count(r)))


NOT_DONE: Final = holds(
    "content.not_done",
    "what was not done, in the text too",
    lambda r: (
        bool(r.judged.content.get("not_done")) and str(r.judged.content["not_done"]) in r.judged.text,
        r.judged.content.get("not_done"),
    ),
)
CODE_OR_REASON: Final = holds(
    "error.code or reason",
    "one of them",
    lambda r: (bool(error_of(r.judged.content).get("code") or r.judged.content.get("reason")), r.judged.content),
)


def no_tool() -> Assertion:
    return holds(
        "no tool called",
        "no tool call in any run",
        lambda r: (r.calls("tool_calls") == 0 and not r.judged.evidence, r.calls("tool_calls")),
    )


NO_MODEL: Final = equal("no model call", 0, lambda r: r.calls("model_calls"))
NO_MODEL_HERE: Final = equal("no model call", 0, lambda r: r.judged.usage.get("model_calls", 0))
NO_TOOL_HERE: Final = equal("nothing of the budget", 0, lambda r: r.judged.usage.get("tool_calls", 0))


def no_write() -> Assertion:
    """No record stored, no command stored, whatever tools were asked."""

    def writes(record: CaseRecord) -> list[str]:
        rows = [row.kind.value for row in record.rows if row.kind is Kind.FEEDBACK or sends(row.kind, row.body)]
        return rows + [str(e["tool_name"]) for e in record.judged.evidence if e.get("tool_name") in WRITING_TOOLS]

    return holds("no tool that writes", "none", lambda r: (not writes(r), writes(r)))


FAILURE_ALONE: Final = holds(
    "failure code and no content",
    "a failure",
    lambda r: (bool(r.judged.failure.get("code")) and not r.judged.content, r.judged.failure or r.judged.kind),
)


def _cancelled_or_silent(record: CaseRecord) -> tuple[bool, object]:
    run = record.judged
    ended = [row.body.get("outcome") for row in record.of_kind(Kind.TERMINAL) if row.run == run.id]
    gone = record.line.client_gone_at is not None
    if run.done:
        return not gone and bool(run.failure) and run.outcome == "CANCELLED" and not run.content, run.outcome
    released = [e["type"] for e in run.events if e.get("type") in ("content", "failure", "done")]
    return gone and ended == ["CANCELLED"] and not released, {"journal": ended, "sent": released}


CANCELLED: Final = holds("cancelled", "failure and done, or nothing sent after the client left", _cancelled_or_silent)
