"""The event stream of a run. Pure.

`metadata` → `status`* → (`content` | `failure`) → `done`; `content` at most once and never beside `failure`;
nothing after `done`; `seq` from 0 without a gap. `next_place` is that rule as a table.
On the wire an event is flat: the envelope's fields and the body's in one object.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError, create_model

from edge_agent.messages.codes import FailureCode, FallbackType, Lang, Phase, ReleaseOutcome
from edge_agent.messages.content import CONTENT_MODELS, Content
from edge_agent.messages.states import RunStateWord, StopReasonWord
from edge_agent.messages.strict_json import NotStrictJson, check_texts, loads
from edge_agent.messages.wire import (
    WIRE_VERSION,
    Count,
    Epoch,
    Line,
    Name,
    RunId,
    Text,
    Ulid,
    UtcTime,
    Version,
    WireModel,
    Word,
)


class Metadata(WireModel):
    """First of a run: how it was read and by what. `model` None: none usable."""

    type: Literal["metadata"] = "metadata"
    request_id: Ulid | RunId
    parse_trace_id: Word
    intent: Word | None = None
    lang: Lang
    agent: Word
    model: Word | None = None
    rules_version: Word


class Status(WireModel):
    type: Literal["status"] = "status"
    phase: Phase
    attempt: Count | None = None
    max_attempts: Count | None = None
    note: Line | None = None


class Failure(WireModel):
    """Nothing could be released. `text` is a template; what was thrown is in the journal."""

    type: Literal["failure"] = "failure"
    code: FailureCode
    text: Text
    trace_id: Word


class Termination(WireModel):
    """When and why execution stopped: the first terminal state, and those that came too late. The first error
    met is in the journal alone."""

    state: RunStateWord
    reason: Word
    at: UtcTime
    late: Annotated[tuple[RunStateWord, ...], Field(max_length=16)] = ()


class Usage(WireModel):
    model_calls: Count = 0
    tool_calls: Count = 0
    tool_calls_by_name: Annotated[dict[Name, Count], Field(max_length=32)] = Field(default_factory=dict)
    input_tokens: Count = 0
    output_tokens: Count = 0
    total_tokens: Count = 0
    run_bytes: Count = 0


class Done(WireModel):
    """Last of a run."""

    type: Literal["done"] = "done"
    outcome: ReleaseOutcome
    fallback_type: FallbackType | None = None
    run_state: RunStateWord
    stop_reason: StopReasonWord | None = None
    termination: Termination
    usage: Usage


Body: TypeAlias = Metadata | Status | Content | Failure | Done
EventType: TypeAlias = Literal["metadata", "status", "content", "failure", "done"]


class Envelope(WireModel):
    v: Version = WIRE_VERSION
    run: RunId
    seq: Count
    at: UtcTime
    epoch: Epoch


@dataclass(frozen=True, slots=True)
class Event:
    envelope: Envelope
    body: Body


class NotAnEvent(ValueError):
    """A message that is no event of this version; the text names the field."""


_BODY: Final[TypeAdapter[Body]] = TypeAdapter(
    Annotated[
        Metadata | Status | Annotated[Content, Field(discriminator="kind")] | Failure | Done,
        Field(discriminator="type"),
    ]
)
_BODIES: Final[dict[str, type[WireModel]]] = {
    "metadata": Metadata,
    "status": Status,
    **{f"content.{kind.value}": model for kind, model in CONTENT_MODELS.items()},
    "failure": Failure,
    "done": Done,
}
EVENT_MODELS: Final[dict[str, type[WireModel]]] = {
    name: create_model(f"{body.__name__}Event", __base__=(body, Envelope), __doc__=body.__doc__)
    for name, body in _BODIES.items()
}
"""The flat form of each event, by `type` or `content.kind`: for the schemas and for reading."""

Place: TypeAlias = Literal["start", "open", "released", "ended"]
_PLACES: Final[dict[tuple[Place, EventType], Place]] = {
    ("start", "metadata"): "open",
    ("open", "status"): "open",
    ("open", "content"): "released",
    ("open", "failure"): "released",
    ("released", "done"): "ended",
}


def next_place(place: Place, event: EventType) -> Place | None:
    """Where a stream stands after `event`; None: it is out of order and must not be published."""
    return _PLACES.get((place, event))


def event_name(body: Body) -> str:
    """Key of `EVENT_MODELS`."""
    return f"content.{body.kind.value}" if body.type == "content" else body.type


def flat(event: Event) -> dict[str, Any]:
    """JSON-ready fields of the event, envelope first."""
    return event.envelope.model_dump(mode="json") | event.body.model_dump(mode="json")


def parse_event(payload: bytes) -> Event:
    """Read one event of a stream. Raises NotAnEvent."""
    try:
        value = loads(payload)
        check_texts(value)
    except NotStrictJson as error:
        raise NotAnEvent(str(error)) from error
    if not isinstance(value, dict):
        raise NotAnEvent("an object was expected")
    return _split(value)


def _split(value: dict[str, Any]) -> Event:
    outer = {key: item for key, item in value.items() if key in Envelope.model_fields}
    inner = {key: item for key, item in value.items() if key not in Envelope.model_fields}
    try:
        return Event(Envelope.model_validate(outer), _BODY.validate_python(inner, strict=False))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise NotAnEvent(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
