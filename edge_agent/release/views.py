"""What a page asks for to show where it stands: session, history, the timeline of a run. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from edge_agent.messages.codes import Role
from edge_agent.messages.content import History, RunSummary, Session, Timeline, TimelineEntry
from edge_agent.messages.prompt import Clarification, Confirmation
from edge_agent.messages.wire import Scalar
from edge_agent.release.facts import age_words
from edge_agent.release.page import Page, Traces, fit

MAX_PROMPTS = 3
MAX_RUNS = 8


def session(
    page: Page,
    traces: Traces,
    *,
    user: str,
    role: Role | None,
    lab: bool,
    cell_state: str,
    open_prompts: Sequence[Clarification | Confirmation] = (),
    runs: Sequence[RunSummary] = (),
) -> Session:
    """The newest three prompts and eight runs."""
    known = page.facts({"state": cell_state, "prompts": len(open_prompts)})
    return Session(
        text=page.say("session.text", known),
        trace_id=traces.trace_id,
        parse_trace_id=traces.parse_trace_id,
        evidence=traces.shown,
        user=user,
        role=role,
        lang=page.texts.lang,
        lab=lab,
        open_prompts=tuple(open_prompts[-MAX_PROMPTS:]),
        runs=tuple(runs[-MAX_RUNS:]),
    )


def history(
    page: Page,
    traces: Traces,
    *,
    what: Literal["runs", "commands", "items", "latencies"],
    window_s: int,
    page_no: int,
    pages: int,
    rows: Sequence[Mapping[str, Scalar]],
    counts: Mapping[str, int],
) -> History:
    known = page.facts({"window": age_words(page.texts, window_s), "rows": len(rows), "what": what})
    return History(
        text=fit(page.say("history.text", known)),
        trace_id=traces.trace_id,
        parse_trace_id=traces.parse_trace_id,
        evidence=traces.shown,
        what=what,
        window_s=window_s,
        page=page_no,
        pages=pages,
        rows=tuple(dict(row) for row in rows),
        counts=dict(counts),
    )


def timeline(
    page: Page, traces: Traces, *, of_run: str, page_no: int, pages: int, entries: Sequence[TimelineEntry]
) -> Timeline:
    known = page.facts({"run": of_run, "count": len(entries)})
    return Timeline(
        text=fit(page.say("timeline.text", known)),
        trace_id=traces.trace_id,
        parse_trace_id=traces.parse_trace_id,
        evidence=traces.shown,
        of_run=of_run,
        page=page_no,
        pages=pages,
        entries=tuple(entries),
    )
