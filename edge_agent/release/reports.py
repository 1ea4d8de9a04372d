"""A diagnosis as it is published: a released cause with the clauses that passed, or verified facts alone. Pure.

No model's sentence is in it but clauses that passed both guards; causes and steps are the site's own table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from edge_agent.messages.codes import FallbackType
from edge_agent.messages.content import Clause, Diagnosis, Fact
from edge_agent.messages.content_base import NextStep
from edge_agent.messages.states import StopReasonWord
from edge_agent.release.page import Page, Traces, line, lines
from edge_agent.release.steps import MAX_STEPS, step_lines

MAX_CLAUSES: Final = 8
MAX_FACTS: Final = 24
MAX_LINES: Final = 16


def diagnosis(
    page: Page,
    traces: Traces,
    *,
    fallback: FallbackType | None,
    cause: str | None = None,
    cause_text: str | None = None,
    clauses: Sequence[Clause] = (),
    facts: Sequence[Fact] = (),
    checked: Sequence[str] = (),
    limits: Sequence[str] = (),
    steps: Sequence[tuple[str, str | None]] = (),
    suggested: str | None = None,
    stop_reason: StopReasonWord | None = None,
    timed_out: bool = False,
    missing: str | None = None,
    reason: str | None = None,
) -> Diagnosis:
    """`fallback` None: `cause` (an id of the cause table) with its own wording, and the clauses. Otherwise the
    cause and the clauses are dropped here, whatever was given. `missing` (`target`, `window`, `target_or_window`)
    goes with MISSING_REQUIRED_CONTEXT; `steps` are (text, example) from the cause table."""
    ways_on = tuple(
        NextStep(n=n, text=line(text), example=None if example is None else line(example))
        for n, (text, example) in enumerate(steps[:MAX_STEPS], start=1)
    )
    proved = tuple(clauses[:MAX_CLAUSES]) if fallback is None else ()
    body = _conclusion(page, cause_text, proved) if fallback is None else _why_not(page, fallback, missing)
    why_ended = "RUN_TIMED_OUT" if timed_out else stop_reason
    snapshot = _snapshot(page, facts, checked, limits) if fallback is not None else []
    return Diagnosis(
        text=lines(
            *body,
            page.say(f"stop_reason.{why_ended}") if why_ended else "",
            *snapshot,
            page.say("diagnosis.suggested", {"text": suggested}) if suggested else "",
            *([page.say("diagnosis.next"), *step_lines(page.texts, ways_on)] if ways_on else []),
        ),
        trace_id=traces.trace_id,
        parse_trace_id=traces.parse_trace_id,
        evidence=traces.shown,
        cause=cause if fallback is None else None,
        clauses=proved,
        facts=tuple(facts[:MAX_FACTS]),
        checked=tuple(line(each) for each in checked[:MAX_LINES]),
        limits=tuple(line(each) for each in limits[:MAX_LINES]),
        next_steps=ways_on,
        stop_reason=stop_reason,
        missing=missing,
        reason=reason,
    )


def _conclusion(page: Page, cause_text: str | None, clauses: Sequence[Clause]) -> list[str]:
    head = page.say("diagnosis.cause", {"cause": cause_text}) if cause_text else page.say("diagnosis.no_cause")
    return [head, *page.bullets("diagnosis.because", (clause.text for clause in clauses))]


def _why_not(page: Page, fallback: FallbackType, missing: str | None) -> list[str]:
    return [page.say(f"diagnosis_fallback.{fallback.value}", page.facts({"missing": missing or "target_or_window"}))]


def _snapshot(page: Page, facts: Sequence[Fact], checked: Sequence[str], limits: Sequence[str]) -> list[str]:
    return [
        *page.bullets("diagnosis.checked", checked[:MAX_LINES]),
        *page.bullets("diagnosis.facts", (fact.text for fact in facts[:MAX_FACTS])),
        *page.bullets("diagnosis.limits", limits[:MAX_LINES]),
    ]
