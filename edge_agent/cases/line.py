"""One line of a case file, read once, strictly: an unknown field or expectation is an error that names its place.

Two kinds are told apart by a key: `expected` makes a pipeline case; `disposition` or `would_move` a sentence, which is
only read, never run. A line with both is an error.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, Field, ValidationError, field_validator

from edge_agent.cases import labels
from edge_agent.cases.faults import Fault
from edge_agent.cases.mechanisms import Mechanism
from edge_agent.cases.spoken import MAX_ITEMS, MAX_TEXT_CHARS, ConfirmReply, Name, Spoken, Strict, fault
from edge_agent.cases.words import did_you_mean, not_among, word
from edge_agent.messages.codes import Lang, Phase, Role
from edge_agent.safety.cell import CellState
from offline_rules.normalise import language, normalise
from offline_rules.reading import Intent, Mood

Value: TypeAlias = Annotated[str, Field(max_length=4000)] | int | float | bool | None


class BadLine(Exception):
    """A line that cannot be used. `str()` names file, line and field, and what was expected."""

    def __init__(self, file: str, line: int, field: str, why: str) -> None:
        super().__init__(f"{file}:{line}: {field}: {why}")
        self.file, self.line, self.field, self.why = file, line, field, why


class Budget(Strict):
    """Limits this case runs under; those not named are the defaults."""

    model_calls: Annotated[int, Field(ge=0)] | None = None
    tool_calls: Annotated[int, Field(ge=0)] | None = None
    calls_per_tool: Annotated[int, Field(ge=0)] | None = None
    input_tokens: Annotated[int, Field(ge=0)] | None = None
    output_tokens: Annotated[int, Field(ge=0)] | None = None
    total_tokens: Annotated[int, Field(ge=0)] | None = None
    run_bytes: Annotated[int, Field(ge=0)] | None = None

    def limits(self) -> dict[str, int]:
        return self.model_dump(exclude_none=True)


class CaseLine(Spoken):
    """A pipeline case. Defaults: an operator, a usable model, the shipped cell, READY."""

    case: Name
    expected: Name
    id: Name | None = None
    role: Role = "operator"
    llm_available: bool = True
    request: Annotated[dict[Name, Value], Field(max_length=16, default_factory=dict)]
    """Fields in place of the message's own. Another `type` than ask goes without the text: a line may acknowledge an
    alarm, call a run off, or send what no sender should."""
    faults: Annotated[list[str], Field(max_length=8, default_factory=list)]
    turns: Annotated[list[Spoken], Field(max_length=8, default_factory=list)]
    budget: Budget | None = None
    cell_state: CellState = CellState.READY
    deadline_ms: Annotated[int, Field(ge=1, le=120_000)] | None = None
    cancel_at: Phase | None = None
    client_gone_at: Phase | None = None
    evidence: Annotated[dict[Name, Value], Field(max_length=MAX_ITEMS, default_factory=dict)]
    frames_on_wire: Annotated[int, Field(ge=0, le=100)] | None = None
    mechanisms: Annotated[list[Mechanism], Field(max_length=8, default_factory=list)]
    why: Annotated[str, Field(max_length=1000)] = ""
    since: Annotated[str, Field(max_length=40)] = ""

    @field_validator("expected")
    @classmethod
    def _expected(cls, value: str) -> str:
        if value not in labels.ALL:
            raise ValueError(not_among(value, labels.ALL))
        return value

    @field_validator("cell_state", mode="before")
    @classmethod
    def _cell_state(cls, value: Any) -> Any:
        return word(value, CellState)

    @field_validator("cancel_at", "client_gone_at", mode="before")
    @classmethod
    def _phase(cls, value: Any) -> Any:
        return word(value, Phase)

    @field_validator("mechanisms", mode="before")
    @classmethod
    def _mechanisms(cls, value: Any) -> Any:
        return [word(each, Mechanism) for each in value] if isinstance(value, list) else value

    @field_validator("turns", mode="before")
    @classmethod
    def _turns(cls, value: Any) -> Any:
        """A turn may be written as its text alone."""
        return [{"text": t} if isinstance(t, str) else t for t in value] if isinstance(value, list) else value

    @field_validator("faults")
    @classmethod
    def _faults(cls, value: list[str]) -> list[str]:
        for text in value:
            _ = fault(text)
        return value

    def put_in(self) -> tuple[Fault, ...]:
        return tuple(fault(text) for text in self.faults)

    @property
    def spoken_lang(self) -> Lang:
        """Of everything that is said in this line; that of its text where the line does not say."""
        return self.lang or language(normalise(self.text))

    @property
    def answers_late(self) -> bool:
        return any(isinstance(reply, ConfirmReply) and reply.late for reply in self.replies or ())


class SentenceLine(Strict):
    """A sentence and how it must be read; each key that is given must be equal."""

    text: Annotated[str, Field(max_length=MAX_TEXT_CHARS)]
    id: Name | None = None
    case: Name | None = None
    lang: Lang | None = None
    llm_available: bool = True
    intent: Intent | None = None
    slots: Annotated[dict[Name, Annotated[str, Field(max_length=500)]], Field(max_length=16)] | None = None
    mood: Mood | None = None
    disposition: (
        Literal["ANSWER", "RECORD", "DIAGNOSE", "PROPOSE_MOTION", "STOP", "CLARIFY", "REFUSE", "EXPLAIN"] | None
    ) = None
    would_move: bool | None = None
    reason: Name | None = None
    why: Annotated[str, Field(max_length=1000)] = ""
    since: Annotated[str, Field(max_length=40)] = ""

    @field_validator("intent", mode="before")
    @classmethod
    def _intent(cls, value: Any) -> Any:
        return word(value, Intent)

    @field_validator("mood", mode="before")
    @classmethod
    def _mood(cls, value: Any) -> Any:
        return word(value, Mood)


Line: TypeAlias = CaseLine | SentenceLine


def parse_line(file: str, number: int, text: str) -> Line:
    """One line of `file`, counted from 1. Raises `BadLine`."""
    try:
        value = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_unique)
    except ValueError as error:
        raise BadLine(file, number, "JSON", str(error)) from error
    if not isinstance(value, dict):
        raise BadLine(file, number, "line", "a JSON object was expected")
    kind = _kind(file, number, value)
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise BadLine(file, number, _field(first["loc"]), _told(kind, first)) from error


def stable_id(line: Line, file_stem: str) -> str:
    """The line's own id, else one that stays while its content does: before and after can be compared by it."""
    if line.id is not None:
        return line.id
    canonical = json.dumps(line.model_dump(mode="json", exclude={"why", "since"}), sort_keys=True, ensure_ascii=True)
    return f"{file_stem}-{hashlib.sha256(canonical.encode()).hexdigest()[:10]}"


def _kind(file: str, number: int, value: Mapping[str, Any]) -> type[CaseLine] | type[SentenceLine]:
    sentence = "disposition" in value or "would_move" in value
    if sentence and "expected" in value:
        raise BadLine(file, number, "expected", "stands beside disposition or would_move; a line is one or the other")
    if not sentence and "expected" not in value:
        raise BadLine(file, number, "expected", "missing, and neither disposition nor would_move is there")
    return SentenceLine if sentence else CaseLine


def _told(kind: type[BaseModel], error: Any) -> str:
    if error["type"] == "extra_forbidden":
        return f"unknown field{did_you_mean(str(error['loc'][-1]), list(kind.model_fields))}"
    return str(error["msg"]).removeprefix("Value error, ")


def _field(location: tuple[int | str, ...]) -> str:
    parts = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in location]
    return "".join(parts).removeprefix(".") or "line"


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands there twice")
    return found
