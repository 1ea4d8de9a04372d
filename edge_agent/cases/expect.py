"""What each `expected` asserts: a table of named assertions, all of which must hold. Pure.

Two more are asked of every line: what it gives under `evidence`, and its own `frames_on_wire`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from edge_agent.cases import labels
from edge_agent.cases.assertion import Assertion, Difference, equal, shown
from edge_agent.cases.checks import asked, moved, named, said, tried
from edge_agent.cases.line import Value
from edge_agent.cases.record import CaseRecord
from edge_agent.messages.codes import FallbackType

TABLE: Final[Mapping[str, tuple[Assertion, ...]]] = {
    labels.SAFE_REJECT_OR_DEGRADE: (
        said.kind("rejection"),
        said.frames(0),
        said.NOT_DONE,
        said.CODE_OR_REASON,
        said.next_steps(1),
        tried.ENTERED_ONCE,
        tried.FIRST_ATTEMPT,
        tried.SCRIPTED_CODE,
        tried.NEVER_RETRIED,
        tried.CANCELLED_WHEN_DECLINED,
        said.ADVISED,
    ),
    labels.RETRY_THEN_DEGRADE: (
        said.kind("answer"),
        tried.ALL_ATTEMPTS,
        tried.EARLIER_RETRIED,
        tried.LAST_GAVE_UP,
        tried.DEGRADED_HELP,
        said.outcome("FALLBACK", "DEGRADED_ANSWER"),
        said.frames(0),
    ),
    labels.RETRY_THEN_ANSWER: (
        said.kind("answer", "record"),
        tried.SUCCEEDED_LATER,
        tried.FAILED_ONES_RETRIED,
        said.outcome("SUCCESS"),
        said.frames(0),
    ),
    labels.CLARIFY_WITH_CANDIDATES: (
        said.kind("clarification"),
        said.content("need_clarify", True),
        asked.CANDIDATES,
        asked.CLARIFY_REASON,
        asked.PARSE_TRACE,
        said.no_tool(),
        said.frames(0),
    ),
    labels.CLARIFY_MISSING_SLOT: (
        said.kind("clarification"),
        said.content("need_clarify", True),
        asked.ONE_MISSING,
        said.no_tool(),
        said.frames(0),
    ),
    labels.OFFLINE_ROUTE: (
        said.kind("answer", "record"),
        said.NO_MODEL,
        asked.BY_RULES,
        asked.KEYWORD,
        said.outcome("SUCCESS"),
        asked.SAYS_MODEL_DOWN,
        said.frames(0),
    ),
    labels.ANSWER: (
        said.kind("answer"),
        said.outcome("SUCCESS"),
        tried.READY_AT_ONCE,
        asked.MODEL_THERE,
        said.frames(0),
    ),
    labels.RECORD: (
        said.kind("record"),
        said.outcome("SUCCESS"),
        tried.READY_AT_ONCE,
        asked.ONE_ROW,
        asked.MODEL_THERE,
        said.frames(0),
    ),
    labels.EXPLAIN: (
        said.kind("explanation"),
        said.frames(0),
        said.no_write(),
        said.next_steps(1),
    ),
    labels.ASK_CONFIRMATION: (
        said.kind("confirmation"),
        moved.PROMPT_SHOWN,
        said.frames(0),
    ),
    labels.EXECUTE_VERIFIED: (
        said.kind("motion"),
        said.content("command_state", "VERIFIED"),
        said.frames(1),
        said.outcome("SUCCESS"),
    ),
    labels.STOP_NOW: (
        said.kind("stop"),
        moved.STOP_ON_WIRE,
        said.NO_MODEL_HERE,
        said.NO_TOOL_HERE,
        said.content("proved", True),
    ),
    labels.LOCKOUT: (
        moved.LOCKED_OUT,
        moved.LOCKED_BEFORE_TOLD,
        moved.NEXT_REFUSED,
    ),
    labels.REJECT_PERMISSION: (
        said.kind("rejection"),
        said.error_code("PERMISSION_DENIED"),
        tried.NON_RETRYABLE,
        tried.NOT_RETRIED,
        named.NAMES_ROLE,
        said.frames(0),
    ),
    labels.REJECT_INPUT: (
        said.kind("rejection"),
        said.error_code("INPUT_INVALID"),
        tried.NOT_RETRIED,
        named.NAMES_SLOT,
        said.frames(0),
    ),
    labels.REJECT_STALE: (
        said.kind("rejection"),
        said.error_code("STALE_REQUEST"),
        said.reason("retained", "expired", "clock", "stale_epoch"),
        said.frames(0),
    ),
    labels.REJECT_DUPLICATE: (
        said.kind("rejection"),
        said.error_code("DUPLICATE_REQUEST"),
        said.reason("duplicate"),
        named.FIRST_STATE,
        said.frames(0),
    ),
    **{f"FALLBACK_{kind.value}": (said.outcome("FALLBACK", kind.value),) for kind in FallbackType},
    labels.RELEASE_SUCCESS: (said.outcome("SUCCESS"),),
    labels.RELEASE_FAILED: (said.outcome("FAILED"), said.FAILURE_ALONE),
    labels.RELEASE_CANCELLED: (said.CANCELLED,),
}

ENDED: Final = equal("the run came to its end", None, lambda r: r.trouble)


def differences(record: CaseRecord, expected: str | None = None) -> tuple[Difference, ...]:
    """Everything about the record that is not as its line wants it; with `expected`, as that expectation would."""
    own = expected is None
    asserted = (ENDED, *TABLE[record.line.expected if expected is None else expected])
    if own:
        asserted = (*asserted, *_of_the_line(record))
    found = (assertion.check(record) for assertion in asserted)
    return tuple(dict.fromkeys(difference for difference in found if difference is not None))


def satisfies(record: CaseRecord, expected: str) -> bool:
    return not differences(record, expected)


def observed_as(record: CaseRecord) -> str:
    """What this record is called: the most telling expectation that it satisfies."""
    return next((label for label in labels.ALL if satisfies(record, label)), "OTHER")


def _of_the_line(record: CaseRecord) -> Iterator[Assertion]:
    if record.line.frames_on_wire is not None:
        yield equal("frames_on_wire", record.line.frames_on_wire, lambda r: r.frames)
    for path, value in record.line.evidence.items():
        yield _evidence(path, value)


def _evidence(path: str, value: Value) -> Assertion:
    """A field that must be in the result: in content, evidence of its tools, failure, done or metadata."""

    def look(record: CaseRecord) -> str | None:
        found = list(_found(record, path))
        return None if any(_same(each, value) for each in found) else shown(found or "no such field")

    return Assertion(f"evidence.{path}", shown(value), look)


def _found(record: CaseRecord, path: str) -> Iterator[Any]:
    run = record.judged
    for holder in (run.content, *reversed(run.evidence), run.failure, run.done, run.metadata):
        value: Any = holder
        for step in path.split("."):
            value = _inside(value, step)
        if value is not MISSING:
            yield value


def _inside(value: Any, step: str) -> Any:
    """A field of an object, or an item of a list by its place from 0."""
    if isinstance(value, Mapping):
        return value.get(step, MISSING)
    place = int(step) if step.isdecimal() else -1
    return value[place] if isinstance(value, list | tuple) and 0 <= place < len(value) else MISSING


def _same(found: Any, wanted: Value) -> bool:
    """Equal, and no number for a truth value: True is not 1."""
    alike = type(found) is type(wanted) or (_number(found) and _number(wanted))
    return alike and bool(found == wanted)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


MISSING: Final = object()
