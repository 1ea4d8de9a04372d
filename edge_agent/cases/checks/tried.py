"""What tools did: attempts, decisions, codes, and what became of a query that failed. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from edge_agent.cases.assertion import holds
from edge_agent.cases.cell import Flat
from edge_agent.cases.looking import (
    decision_of,
    decisions,
    error_of,
    failed_tool,
    from_copy,
    names_whom_to_ask,
)
from edge_agent.cases.record import CaseRecord


def _scripted(look: Callable[[CaseRecord, Flat], tuple[bool, object]]) -> Callable[[CaseRecord], tuple[bool, object]]:
    """Asked only where the line gives a tool result that is an error."""

    def found(record: CaseRecord) -> tuple[bool, object]:
        if not record.line.scripted_codes:
            return True, None
        failed = failed_tool(record)
        return look(record, failed) if failed else (False, "no failed tool in the evidence")

    return found


ENTERED_ONCE: Final = holds(
    "boundary entered once",
    "one call of the failing tool",
    _scripted(lambda r, e: (r.calls_of(str(e["tool_name"])) == 1, r.calls_of(str(e["tool_name"])))),
)
FIRST_ATTEMPT: Final = holds("attempt", "1", _scripted(lambda _, e: (e["attempt"] == 1, e["attempt"])))
SCRIPTED_CODE: Final = holds(
    "the scripted code",
    "the code the line gives",
    _scripted(lambda r, e: (error_of(e).get("code") == r.line.scripted_codes[-1], error_of(e).get("code"))),
)
NEVER_RETRIED: Final = holds(
    "meta.retry_decision",
    "no_retry_control",
    _scripted(lambda _, e: (decision_of(e) == "no_retry_control", decision_of(e))),
)
CANCELLED_WHEN_DECLINED: Final = holds(
    "command state after a no",
    "CANCELLED",
    lambda r: (
        not r.control_declined or r.judged.content.get("command_state") == "CANCELLED",
        r.judged.content.get("command_state"),
    ),
)


def _retried(record: CaseRecord) -> Sequence[Flat]:
    """The failed attempts of the first tool call that failed at least once."""
    tried = [e for e in record.judged.evidence if e.get("meta", {}).get("attempts")]
    found: Sequence[Flat] = tried[0]["meta"]["attempts"] if tried else ()
    return found


def _exhausted(record: CaseRecord) -> tuple[bool, object]:
    failed = failed_tool(record)
    if failed is None:
        return False, "no failed tool in the evidence"
    tried, allowed = failed["attempt"], failed["max_attempts"]
    return tried == allowed == len(_retried(record)) and tried >= 2, (tried, allowed, len(_retried(record)))


ALL_ATTEMPTS: Final = holds("attempts", "as many as the policy allows, at least 2", _exhausted)
EARLIER_RETRIED: Final = holds(
    "earlier attempts",
    "retry, each with a sleep",
    lambda r: (
        bool(_retried(r)) and all(a["retry_decision"] == "retry" and a["retry_sleep_s"] > 0 for a in _retried(r)[:-1]),
        [(a["retry_decision"], a["retry_sleep_s"]) for a in _retried(r)[:-1]],
    ),
)
LAST_GAVE_UP: Final = holds(
    "last attempt",
    "no_retry_reach_max_attempts",
    lambda r: (
        bool(_retried(r)) and _retried(r)[-1]["retry_decision"] == "no_retry_reach_max_attempts",
        [a["retry_decision"] for a in _retried(r)][-1:],
    ),
)
DEGRADED_HELP: Final = holds(
    "degraded answer",
    "the offline copy with its age, or whom to ask with the trace",
    lambda r: (from_copy(r.judged.content) or names_whom_to_ask(r), r.judged.text),
)
SUCCEEDED_LATER: Final = holds(
    "attempt",
    "2 or more, and ready",
    lambda r: (
        any(e["attempt"] >= 2 and e["invocation_status"] == "READY" for e in r.judged.evidence),
        [(e["attempt"], e["invocation_status"]) for e in r.judged.evidence],
    ),
)
FAILED_ONES_RETRIED: Final = holds(
    "earlier attempts",
    "retry",
    lambda r: (
        bool(_retried(r)) and all(a["retry_decision"] == "retry" for a in _retried(r)),
        [a["retry_decision"] for a in _retried(r)],
    ),
)
READY_AT_ONCE: Final = holds(
    "tool",
    "READY at its first attempt",
    lambda r: (
        bool(r.judged.evidence)
        and all(e["invocation_status"] == "READY" and e["attempt"] <= 1 for e in r.judged.evidence),
        [(e["tool_name"], e["invocation_status"], e["attempt"]) for e in r.judged.evidence],
    ),
)
NOT_RETRIED: Final = holds(
    "not retried",
    "attempt 1 at most, and no retry among the decisions",
    lambda r: (
        all(e["attempt"] <= 1 and decision_of(e) != "retry" for e in r.judged.evidence),
        [(e["attempt"], decision_of(e)) for e in r.judged.evidence],
    ),
)
NON_RETRYABLE: Final = holds(
    "retry decision",
    "no_retry_non_retryable",
    lambda r: ("no_retry_non_retryable" in decisions(r), decisions(r)),
)
