"""The story of one run, from the journal alone, in the order in which one finds causes. Pure.

What the operator was sent → how it was released → why the run ended → how it was read → guards → tools and model →
the arm → budget. A run cut short by a crash has no end row: that is then what is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from edge_agent.messages.content import TimelineEntry
from edge_agent.messages.wire import Scalar
from edge_agent.run.journal import Kind, Row

MAX_ENTRIES = 400


@dataclass(frozen=True, slots=True)
class Chapter:
    """One kind of row in the story: its place, its word, and which of the row's values are told."""

    kind: Kind
    what: str
    tells: tuple[str, ...]


CHAPTERS: tuple[Chapter, ...] = (
    Chapter(Kind.EVENT, "sent", ("type", "kind", "phase", "text")),
    Chapter(Kind.TERMINAL, "released", ("outcome", "fallback_type", "run_state", "stop_reason")),
    Chapter(Kind.TERMINATION, "ended", ("state", "reason", "first_error")),
    Chapter(Kind.REQUEST, "request", ("user", "channel", "type", "text")),
    Chapter(Kind.REJECTION, "rejected", ("name", "detail", "user")),
    Chapter(Kind.READING, "reading", ("intent", "disposition", "reason", "source", "mood", "no_model")),
    Chapter(Kind.GUARD, "guard", ("guard", "draft", "passed", "verdict", "cause", "why", "wrong")),
    Chapter(Kind.DRAFT, "draft", ("cause", "invalid", "sha256")),
    Chapter(Kind.PROGRESS, "progress", ("ending", "basis", "missing", "stop_reason", "cause")),
    Chapter(Kind.ATTEMPT, "tool", ("tool", "attempt", "error.code", "retry_decision", "retry_sleep_s", "detail")),
    Chapter(
        Kind.RECORD,
        "record",
        ("tool_name", "record", "scope", "invocation_status", "evidence_status", "hits", "attempt"),
    ),
    Chapter(Kind.MODEL_CALL, "model", ("call", "attempt", "purpose", "end", "ms", "input_tokens", "output_tokens")),
    Chapter(Kind.FEEDBACK, "feedback", ("task_id", "text")),
    Chapter(Kind.PROMPT, "prompt", ("kind", "prompt_id", "digest")),
    Chapter(Kind.PROMPT_CLOSED, "prompt_closed", ("prompt_id", "why")),
    Chapter(Kind.COMMAND, "command", ("command_id", "state", "why", "reason", "code", "frames")),
)
_OF: dict[Kind, Chapter] = {chapter.kind: chapter for chapter in CHAPTERS}


def story(rows: Iterable[Row]) -> list[TimelineEntry]:
    """At most `MAX_ENTRIES` entries, chapter by chapter, each in the order of the journal."""
    known = [row for row in rows if row.kind in _OF]
    ordered = sorted(known, key=lambda row: (CHAPTERS.index(_OF[row.kind]), row.seq))
    return [_entry(row) for row in ordered[:MAX_ENTRIES]]


def of_reader(rows: Sequence[Row], reader: str) -> list[Row]:
    """What of an id's rows is the reader's: a sender picks the id, so two people may have used the same one. A row that
    names nobody is of the request that was taken, and where two were, of neither for certain."""
    takers = {row.body.get("user") for row in rows if row.kind is Kind.REQUEST}
    unnamed = reader if takers == {reader} else None
    return [row for row in rows if row.body.get("user", unnamed) == reader]


def cut_short(rows: Sequence[Row]) -> bool:
    """The run began and no end was stored: the agent's life ended before it did."""
    kinds = {row.kind for row in rows}
    return Kind.REQUEST in kinds and Kind.TERMINAL not in kinds


def _entry(row: Row) -> TimelineEntry:
    chapter = _OF[row.kind]
    said = _said(row)
    detail: dict[str, Scalar] = {name: _plain(said[name]) for name in chapter.tells if said.get(name) is not None}
    words = ", ".join(f"{name}={value}" for name, value in detail.items())
    at = datetime.fromtimestamp(row.at_ms / 1000, UTC)
    return TimelineEntry(at=at, what=chapter.what, text=words[:500] or chapter.what, detail=detail)


def _said(row: Row) -> dict[str, Any]:
    """Events and requests hold their message one level down."""
    inner = row.body.get("event") or row.body.get("request") or {}
    return {**row.body, **inner} if isinstance(inner, dict) else row.body


def _plain(value: Any) -> Scalar:
    if isinstance(value, str):
        return value[:500]
    return value if isinstance(value, int | float | bool) else str(value)[:500]
