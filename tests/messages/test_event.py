"""The event stream: order, flat form and back, and sizes that the broker takes."""

from __future__ import annotations

import json
from itertools import product
from typing import Any, get_args

import jsonschema
import pytest

from edge_agent.messages.codes import ContentKind, ErrorCode, EvidenceStatus, InvocationStatus
from edge_agent.messages.content import Answer, Diagnosis, Fact, History
from edge_agent.messages.content_base import ErrorInfo, ToolEvidence
from edge_agent.messages.encode import EventTooLarge, encode_event
from edge_agent.messages.event import (
    EVENT_MODELS,
    Envelope,
    Event,
    EventType,
    NotAnEvent,
    Place,
    event_name,
    next_place,
    parse_event,
)
from edge_agent.messages.examples import EVENT_EXAMPLES
from edge_agent.messages.schemas_of import schemas
from edge_agent.messages.wire import MAX_EVENT_BYTES, utc_from_text

NOW = utc_from_text("2026-03-01T08:00:00Z")
ENVELOPE = Envelope(run="01JQ3XK5T8M4N6P7R9S0VWXYZ1", seq=2, at=NOW, epoch=1)
TRACES: dict[str, Any] = {"trace_id": "t", "parse_trace_id": "p"}
FOUND = ToolEvidence(
    tool_name="sorting_rules",
    trace_id="t-1",
    parse_trace_id="p",
    attempt=1,
    max_attempts=3,
    invocation_status=InvocationStatus.READY,
    evidence_status=EvidenceStatus.EVIDENCE_FOUND,
    error=ErrorInfo(code=ErrorCode.TIMEOUT, message="m" * 500),
    started_at=NOW,
    duration_ms=1.0,
    facts={f"fact{n}": "值" * 400 for n in range(40)},
)


@pytest.mark.parametrize("name", EVENT_MODELS)
def test_example_is_read_and_written_alike(name: str) -> None:
    wire = json.dumps(EVENT_EXAMPLES[name]).encode()
    event = parse_event(wire)
    assert event_name(event.body) == name
    again = json.loads(encode_event(event))
    jsonschema.validate(again, schemas()[f"event.{name}"])
    assert parse_event(json.dumps(again).encode()) == event
    assert EVENT_EXAMPLES[name].items() <= again.items() or _same(EVENT_EXAMPLES[name], again)


def _same(part: Any, whole: Any) -> bool:
    """Every value of `part` stands in `whole` (which also holds what was left to its default)."""
    match part, whole:
        case dict(), dict():
            return all(key in whole and _same(item, whole[key]) for key, item in part.items())
        case list(), list():
            return len(part) == len(whole) and all(map(_same, part, whole))
        case _:
            return bool(part == whole)


def test_every_kind_has_a_model_and_an_example() -> None:
    assert {f"content.{kind.value}" for kind in ContentKind} | {"metadata", "status", "failure", "done"} == set(
        EVENT_MODELS
    )
    assert set(EVENT_EXAMPLES) == set(EVENT_MODELS)


RIGHT = ["metadata", "status", "status", "content", "done"]


def _walk(events: list[EventType]) -> Place | None:
    place: Place | None = "start"
    for event in events:
        place = next_place(place, event) if place is not None else None
    return place


@pytest.mark.parametrize(
    ("events", "ends"),
    [
        (RIGHT, "ended"),
        (["metadata", "failure", "done"], "ended"),
        (["metadata", "content", "failure"], None),
        (["metadata", "content", "content"], None),
        (["metadata", "content", "status"], None),
        (["metadata", "done"], None),
        (["status"], None),
        (["metadata", "metadata"], None),
        ([*RIGHT, "done"], None),
        ([*RIGHT, "status"], None),
    ],
)
def test_order_of_a_stream(events: list[EventType], ends: Place | None) -> None:
    assert _walk(events) == ends


def test_nothing_comes_after_the_end() -> None:
    assert all(next_place("ended", event) is None for event in get_args(EventType))


def test_no_stream_of_five_has_content_and_failure() -> None:
    streams = [s for s in product(get_args(EventType), repeat=5) if _walk(list(s)) is not None]
    assert streams
    assert not [s for s in streams if "content" in s and "failure" in s]


def test_too_large_is_trimmed_and_says_so() -> None:
    event = Event(ENVELOPE, Answer(text="答" * 4000, evidence=(FOUND,) * 16, **TRACES))
    payload = encode_event(event)
    assert len(payload) <= MAX_EVENT_BYTES
    body = parse_event(payload).body
    assert isinstance(body, Answer)
    assert body.trimmed
    assert body.text


def test_lists_are_halved_before_text_is_cut() -> None:
    facts = tuple(Fact(text="事" * 500, record=f"r{n}") for n in range(24))
    body = parse_event(encode_event(Event(ENVELOPE, Diagnosis(text="短", facts=facts, **TRACES)))).body
    assert isinstance(body, Diagnosis)
    assert body.text == "短"
    assert 0 < len(body.facts) < len(facts)


def test_a_page_has_a_limit_of_its_own() -> None:
    rows: tuple[dict[str, Any], ...] = tuple({"item_type": "玻璃", "bin": n} for n in range(50))
    event = Event(ENVELOPE, History(text="x", what="items", window_s=1, page=0, pages=1, rows=rows, **TRACES))
    assert len(encode_event(event, 1000)) <= 1000


def test_what_can_not_fit_is_said() -> None:
    with pytest.raises(EventTooLarge, match="answer"):
        encode_event(Event(ENVELOPE, Answer(text="x", **TRACES)), 20)


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"[]",
        b"{}",
        b'{"type":"content"}',
        b'{"type":"content","kind":"x"}',
        b'{"type":[]}',
        b'{"type":"done","v":2}',
    ],
)
def test_what_is_no_event(payload: bytes) -> None:
    with pytest.raises(NotAnEvent):
        parse_event(payload)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_h29_no_nan_leaves(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        Answer(text="x", age_s=value, **TRACES)
