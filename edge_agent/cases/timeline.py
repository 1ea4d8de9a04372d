"""What happened while a line ran, as a picture can show it: moments on lanes, from journal rows alone. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from edge_agent.run.journal import Kind, Row

Lane: TypeAlias = Literal["said", "understood", "tools", "arm", "told"]
LANES: Final[tuple[Lane, ...]] = ("said", "understood", "tools", "arm", "told")
MAX_MOMENTS: Final = 40
MAX_WORDS: Final = 90


@dataclass(frozen=True, slots=True)
class Moment:
    """`at_ms` since the first row of the line."""

    at_ms: int
    lane: Lane
    what: str


def _event(body: Mapping[str, Any]) -> str:
    event = body.get("event", {})
    detail = event.get("phase") or event.get("kind") or event.get("code") or event.get("outcome") or ""
    return f"{event.get('type', 'late')} {detail}".strip()


def _request(body: Mapping[str, Any]) -> str:
    request = body.get("request", {})
    return f"{request.get('type', '')} {request.get('text', '')}".strip()


def _attempt(body: Mapping[str, Any]) -> str:
    """A failed try, and what was decided about the next."""
    pause = f" {body['retry_sleep_s']} s" if body.get("retry_sleep_s") else ""
    told = f"{body.get('tool', '')} attempt {body.get('attempt', '?')} {body.get('error.code', '')}"
    return f"{told} {body.get('retry_decision', '')}{pause}"


WORDS: Final[Mapping[Kind, tuple[Lane, Callable[[Mapping[str, Any]], str]]]] = {
    Kind.REQUEST: ("said", _request),
    Kind.REJECTION: ("said", lambda b: f"refused {b.get('name', '')}"),
    Kind.READING: ("understood", lambda b: f"{b.get('disposition', '')} {b.get('reason', '')}"),
    Kind.MODEL_CALL: ("understood", lambda b: f"model {b.get('purpose', '')} {b.get('end', '')}"),
    Kind.GUARD: ("understood", lambda b: f"guard {b.get('guard', '')} {b.get('verdict', '')}"),
    Kind.ATTEMPT: ("tools", _attempt),
    Kind.FEEDBACK: ("tools", lambda _: "feedback stored"),
    Kind.COMMAND: ("arm", lambda b: f"{b.get('state', '')} {b.get('command_id', '')}"),
    Kind.LOCKOUT: ("arm", lambda b: f"locked out: {b.get('reason', '')}"),
    Kind.STOP: ("arm", lambda _: "stop asked"),
    Kind.PROMPT: ("told", lambda b: f"prompt {b.get('kind', '')}"),
    Kind.EVENT: ("told", _event),
}


def timeline(rows: Iterable[Row]) -> tuple[Moment, ...]:
    """The first forty moments."""
    shown = [row for row in rows if row.kind in WORDS][:MAX_MOMENTS]
    start_ms = shown[0].at_ms if shown else 0
    return tuple(_moment(row, start_ms) for row in shown)


def _moment(row: Row, start_ms: int) -> Moment:
    lane, words = WORDS[row.kind]
    return Moment(row.at_ms - start_ms, lane, words(row.body)[:MAX_WORDS])
