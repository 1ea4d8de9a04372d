"""The story of one run, from the journal alone, in the order in which one finds causes. Pure.

What the person was sent → how it was released → why the run ended → how it was read → guards → tools and model →
records → the arm → what it used. A run cut short by a crash has no end row: that is then what is said, with what the
arm may have done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from edge_agent.messages.content import TimelineEntry
from edge_agent.messages.wire import MAX_PAGE_BYTES, Scalar
from edge_agent.release.page import fit
from edge_agent.release.stories import told
from edge_agent.release.texts import Texts
from edge_agent.run.journal import Kind, Row
from edge_agent.safety.command import FINAL
from edge_agent.stages.story_rows import ended, record_bytes, said, sentence

MAX_ENTRIES: Final = 400
VALUE_CHARS: Final = 200
PAGE_ENTRIES: Final = 20
PAGE_BYTES: Final = MAX_PAGE_BYTES - 1_024
"""Of the entries; the rest is for the event around them."""
LAST_CHARS: Final = 60
USED: Final = "used"
ENDED: Final = "ended"
CUT_SHORT: Final = "cut_short"


@dataclass(frozen=True, slots=True)
class Chapter:
    """One kind of row in the story: its place, its word, and which of the row's values are told."""

    kind: Kind
    what: str
    tells: tuple[str, ...]


CHAPTERS: tuple[Chapter, ...] = (
    Chapter(Kind.EVENT, "sent", ("type", "kind", "phase", "code", "text")),
    Chapter(Kind.TERMINAL, "released", ("outcome", "fallback_type", "run_state", "stop_reason")),
    Chapter(Kind.TERMINATION, ENDED, ("state", "reason", "first_error", "late")),
    Chapter(Kind.REQUEST, "request", ("user", "channel", "type", "text", "confirm")),
    Chapter(Kind.REJECTION, "rejected", ("name", "detail", "user")),
    Chapter(Kind.READING, "reading", ("intent", "disposition", "reason", "source", "mood", "no_model", "missing")),
    Chapter(Kind.GUARD, "guard", ("guard", "draft", "passed", "verdict", "by", "why", "wrong")),
    Chapter(Kind.DRAFT, "draft", ("cause", "invalid", "sha256")),
    Chapter(Kind.PROGRESS, "progress", ("ending", "basis", "missing", "stop_reason", "cause")),
    Chapter(Kind.ATTEMPT, "tool", ("tool", "attempt", "error.code", "retry_decision", "retry_sleep_s", "detail")),
    Chapter(Kind.MODEL_CALL, "model", ("call", "attempt", "purpose", "end", "ms", "input_tokens", "output_tokens")),
    Chapter(
        Kind.RECORD,
        "record",
        ("tool_name", "record", "scope", "invocation_status", "evidence_status", "hits", "attempt", "max_attempts"),
    ),
    Chapter(Kind.FEEDBACK, "feedback", ("task_id", "text")),
    Chapter(Kind.PROMPT, "prompt", ("kind", "prompt_id", "digest")),
    Chapter(Kind.PROMPT_CLOSED, "prompt_closed", ("prompt_id", "why")),
    Chapter(Kind.COMMAND, "command", ("command_id", "state", "why", "reason", "code", "frames")),
)
_OF: dict[Kind, Chapter] = {chapter.kind: chapter for chapter in CHAPTERS}

SECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "sent": ("sent",),
    "released": ("released",),
    "ended": (ENDED,),
    "asked": ("request", "rejected", "reading", "prompt", "prompt_closed"),
    "guards": ("guard", "draft", "progress"),
    "tools": ("tool", "model"),
    "records": ("record", "feedback"),
    "arm": ("command",),
    "used": (USED,),
}
"""The story's headings, and which chapters stand below each."""


def story(rows: Iterable[Row], texts: Texts, *, going_on: bool = False) -> list[TimelineEntry]:
    """At most `MAX_ENTRIES` entries, chapter by chapter, each in the order of the journal, in the reader's words.
    `going_on`: the life that began the run is still there, so that an end which is not stored may yet come."""
    known = [row for row in rows if row.kind in _OF]
    if not known:
        return []
    ordered = sorted(known, key=lambda row: (CHAPTERS.index(_OF[row.kind]), row.seq))
    entries = [_entry(texts, row) for row in ordered[: MAX_ENTRIES - 2]]
    end = [] if Kind.TERMINATION in {row.kind for row in known} else _how_it_ended(known, texts, going_on)
    first_after = next((n for n, e in enumerate(entries) if e.what not in ("sent", "released")), len(entries))
    return [*entries[:first_after], *end, *entries[first_after:], _used(known, texts)]


def paged(entries: Sequence[TimelineEntry]) -> list[list[TimelineEntry]]:
    """The entries in pages that fit an event: at most `PAGE_ENTRIES` and `PAGE_BYTES` each, and at least one page."""
    pages: list[list[TimelineEntry]] = [[]]
    room = PAGE_BYTES
    for entry in entries:
        size = len(entry.model_dump_json().encode()) + 1
        if pages[-1] and (size > room or len(pages[-1]) == PAGE_ENTRIES):
            pages.append([])
            room = PAGE_BYTES
        pages[-1].append(entry)
        room -= size
    return pages


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


def printed(run: str, rows: Sequence[Row], texts: Texts, *, going_on: bool = False) -> Iterator[str]:
    """The story as lines for a terminal, under its headings, times in the machine's own zone. A heading without a row
    says so: that no guard ran is part of the story."""
    entries = story(rows, texts, going_on=going_on)
    zone = f"{_local(rows[0].at_ms):%Y-%m-%d UTC%z}"
    yield texts.say("story.head", {"run": run, "count": len(rows), "zone": zone})
    if cut_short(rows) and not going_on:
        yield f"!! {_cut_short(rows, texts)}"
        yield f"!! {texts.say('story.cut_short_next')}"
    for section, whats in SECTIONS.items():
        below = [entry for entry in entries if entry.what in whats and not entry.detail.get(CUT_SHORT)]
        if not below and section == "arm":
            continue
        yield ""
        yield texts.say(f"story_section.{section}")
        for entry in below:
            first, *more = entry.text.split("\n")
            yield f"  {entry.at.astimezone():%H:%M:%S.%f}"[:-3] + f"  {first}"
            yield from (f"{'':16}{line}" for line in more)
        if not below:
            yield f"  {texts.say('story.nothing')}"


def _entry(texts: Texts, row: Row) -> TimelineEntry:
    chapter = _OF[row.kind]
    values = said(row)
    detail: dict[str, Scalar] = {name: _plain(values[name]) for name in chapter.tells if values.get(name) is not None}
    return TimelineEntry(at=_utc(row.at_ms), what=chapter.what, text=sentence(texts, chapter.what, row), detail=detail)


def _how_it_ended(rows: Sequence[Row], texts: Texts, going_on: bool) -> list[TimelineEntry]:
    """Where no row of its own says it: what the end's own row says, or that there is none."""
    last, terminal = rows[-1], next((row for row in rows if row.kind is Kind.TERMINAL), None)
    if terminal is not None:
        end = terminal.body.get("termination") or {}
        detail: dict[str, Scalar] = {name: str(end.get(name, "")) for name in ("state", "reason")}
        text = ended(texts, ENDED, {}, end)
        return [TimelineEntry(at=_utc(terminal.at_ms), what=ENDED, text=text, detail=detail)]
    if not cut_short(rows):
        return []
    text = texts.say("story.going_on") if going_on else _cut_short(rows, texts)
    return [TimelineEntry(at=_utc(last.at_ms), what=ENDED, text=text, detail={CUT_SHORT: not going_on})]


def _cut_short(rows: Sequence[Row], texts: Texts) -> str:
    known = [row for row in rows if row.kind in _OF]
    last = known[-1]
    where = fit(_entry(texts, last).text, LAST_CHARS)
    at = f"{_local(last.at_ms):%H:%M:%S.%f}"[:-3]
    return told(texts, ENDED, "cut_short", {"last": where, "at": at, "arm": _arm(known, texts)})


def _arm(rows: Sequence[Row], texts: Texts) -> str:
    """What the arm may have done, which comes before everything else."""
    command = next((row.body for row in reversed(rows) if row.kind is Kind.COMMAND), None)
    if command is None:
        return texts.say("story.cut_short_still")
    over = command.get("state") in {state.value for state in FINAL}
    key = "cut_short_ended" if over else "cut_short_moved"
    return told(texts, "command", key, {**command, "stands": command.get("state")})


def _used(rows: Sequence[Row], texts: Texts) -> TimelineEntry:
    """The run's own count; of a run without an end, what its rows add up to."""
    terminal = next((row for row in rows if row.kind is Kind.TERMINAL), None)
    usage = dict((terminal.body.get("usage") or {}) if terminal else {})
    usage.pop("tool_calls_by_name", None)
    key = USED
    if not usage:
        calls = [row.body for row in rows if row.kind is Kind.MODEL_CALL]
        records = [row.body for row in rows if row.kind is Kind.RECORD]
        usage = {
            "model_calls": len(calls),
            "records": len(records),
            "input_tokens": sum(each["input_tokens"] for each in calls),
            "output_tokens": sum(each["output_tokens"] for each in calls),
            "run_bytes": sum(map(record_bytes, records)),
        }
        key = "used_at_least"
    return TimelineEntry(at=_utc(rows[-1].at_ms), what=USED, text=told(texts, USED, key, usage), detail=usage)


def _plain(value: Any) -> Scalar:
    if isinstance(value, str):
        return value[:VALUE_CHARS]
    return value if isinstance(value, int | float | bool) else str(value)[:VALUE_CHARS]


def _utc(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000, UTC)


def _local(at_ms: int) -> datetime:
    return _utc(at_ms).astimezone()
