"""A refusal that helps: what happened, what was not done, and ways on that work for this reader. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from edge_agent.messages.codes import ErrorCode, RetryDecision
from edge_agent.messages.content import RejectionContent
from edge_agent.messages.content_base import ErrorInfo
from edge_agent.messages.states import CommandStateWord
from edge_agent.release.page import Page, Traces, line, lines
from edge_agent.release.refusals import BY_CODE, REFUSALS, Refusal
from edge_agent.release.texts import Fact

MAX_ADVICE = 8


def refusal_of(reason: str, code: ErrorCode | None) -> Refusal:
    """The table's row; a code that was given wins over the row's own."""
    row = REFUSALS.get(reason) or BY_CODE[code or ErrorCode.INTERNAL]
    return row if code is None else replace(row, code=code)


def rejection(
    page: Page,
    traces: Traces,
    *,
    reason: str,
    code: ErrorCode | None = None,
    facts: Mapping[str, Fact | None] | None = None,
    not_done: str | None = None,
    retry_decision: RetryDecision | None = None,
    command_id: int | None = None,
    command_state: CommandStateWord | None = None,
    first_run: str | None = None,
    first_state: str | None = None,
    advice: Sequence[str] = (),
) -> RejectionContent:
    """`reason` is a row of `refusals.REFUSALS`, or any word where `code` is given (then told by the code).
    `not_done` overrides the row's name under `not_done` in the wording. `advice`: what a person would do, from the
    site's SOP page, for a failing arm command; nothing is sent by it."""
    row = refusal_of(reason, code)
    given = {"code": row.code.value, "trace_id": traces.trace_id, "first_state": first_state, **(facts or {})}
    known = page.facts(given)
    happened = page.say(_key(page, reason, row.code), known)
    undone = page.say(f"not_done.{not_done or row.not_done}")
    ways_on = page.steps(row.steps, known)
    told = tuple(line(each) for each in advice[:MAX_ADVICE])
    return RejectionContent(
        text=lines(
            page.with_steps((happened, undone), ways_on),
            *page.bullets("advice.heading", told),
            page.say("layout.trace", known),
        ),
        trace_id=traces.trace_id,
        parse_trace_id=traces.parse_trace_id,
        evidence=traces.shown,
        reason=reason,
        error=ErrorInfo(code=row.code, message=line(happened)),
        not_done=undone,
        retry_decision=retry_decision,
        next_steps=ways_on,
        command_id=command_id,
        command_state=command_state,
        first_run=first_run,
        first_state=first_state,
        advice=told,
    )


def _key(page: Page, reason: str, code: ErrorCode) -> str:
    own = f"rejection.{reason}"
    return own if page.texts.has(own) else f"error.{code.value}"
