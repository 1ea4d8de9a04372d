"""One line of a case file, read once, strictly: an unknown field or expectation is an error that names its place.

Two kinds are told apart by a key: `expected` makes a pipeline case; `disposition` or `would_move` a sentence, which is
only read, never run. A line with both is an error.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from edge_agent.cases import labels
from edge_agent.cases.faults import Fault, UnknownFault, parse_fault
from edge_agent.cases.mechanisms import Mechanism
from edge_agent.messages.codes import ErrorCode, Lang, Phase, Role
from edge_agent.safety.cell import CellState
from offline_rules.reading import Intent, Mood

MAX_TEXT_CHARS: Final = 20_000
"""Longer than any text the agent accepts, so that too long a text can be a case."""
MAX_ITEMS: Final = 64

Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=80)]
Value: TypeAlias = Annotated[str, Field(max_length=4000)] | int | float | bool | None


class BadLine(Exception):
    """A line that cannot be used. `str()` names file, line and field, and what was expected."""

    def __init__(self, file: str, line: int, field: str, why: str) -> None:
        super().__init__(f"{file}:{line}: {field}: {why}")
        self.file, self.line, self.field, self.why = file, line, field, why


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class ScriptedError(_Model):
    code: ErrorCode
    message: Annotated[str, Field(max_length=500)] = ""

    @field_validator("code", mode="before")
    @classmethod
    def _code(cls, value: Any) -> Any:
        return _word(value, ErrorCode)


class ScriptedResult(_Model):
    """What a tool answers instead of running: its data, nothing found (`hits` 0), or an error."""

    ok: bool
    data: Annotated[dict[str, Any], Field(max_length=MAX_ITEMS)] | None = None
    hits: Annotated[int, Field(ge=0, le=10_000)] | None = None
    error: ScriptedError | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> ScriptedResult:
        if self.ok == (self.error is not None):
            raise ValueError("ok true goes without error, ok false with one")
        return self


class ConfirmReply(_Model):
    confirm: bool


Reply: TypeAlias = Annotated[str, Field(max_length=MAX_TEXT_CHARS)] | ConfirmReply | None
Results: TypeAlias = Annotated[list[ScriptedResult], Field(min_length=1, max_length=MAX_ITEMS)]
Scores: TypeAlias = Annotated[list[tuple[str, float]], Field(max_length=16)]
ModelItem: TypeAlias = dict[Literal["choose", "draft", "raw", "verdict", "fail"], Any]

MODEL_ITEMS: Final[Mapping[str, tuple[type, tuple[str, ...]]]] = {
    "choose": (str, ()),
    "draft": (dict, ()),
    "raw": (str, ()),
    "verdict": (str, ("SUPPORTED", "UNSUPPORTED")),
    "fail": (str, ("timeout", "crash", "illegal")),
}


class Budget(_Model):
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


class Spoken(_Model):
    """What is said, and what tools and model answer meanwhile: a turn, and the greater part of a line."""

    text: Annotated[str, Field(max_length=MAX_TEXT_CHARS)]
    lang: Lang | None = None
    intent_scores: Scores | None = None
    tool_result: ScriptedResult | None = None
    tool_results: Results | Annotated[dict[Name, Results], Field(min_length=1, max_length=16)] | None = None
    model_script: Annotated[list[ModelItem], Field(max_length=MAX_ITEMS)] = []
    replies: Annotated[list[Reply], Field(max_length=8)] | None = None

    @field_validator("intent_scores", mode="before")
    @classmethod
    def _scores(cls, value: Any) -> Any:
        """JSON has no tuples; names are checked here because an unknown intent would silently score nothing."""
        if not isinstance(value, list):
            return value
        known = [intent.value for intent in Intent]
        for pair in value:
            if isinstance(pair, list) and pair and pair[0] not in known:
                raise ValueError(_not_among(pair[0], known))
        return [(p[0], float(p[1])) if isinstance(p, list) and len(p) == 2 and _number(p[1]) else p for p in value]

    @field_validator("model_script")
    @classmethod
    def _script(cls, items: list[ModelItem]) -> list[ModelItem]:
        for number, item in enumerate(items, start=1):
            _check_item(number, item)
        return items

    @model_validator(mode="after")
    def _one_way_to_script_tools(self) -> Spoken:
        if self.tool_result is not None and self.tool_results is not None:
            raise ValueError("give tool_result or tool_results, not both")
        return self

    @property
    def scripts_tools(self) -> bool:
        return self.tool_result is not None or self.tool_results is not None

    @property
    def scripted_codes(self) -> tuple[ErrorCode, ...]:
        """The error codes that tools are made to answer, in order."""
        return tuple(r.error.code for r in self.all_results() if r.error is not None)

    def own_results(self) -> tuple[ScriptedResult, ...]:
        """Results for the intent's own tool."""
        if self.tool_result is not None:
            return (self.tool_result,)
        return tuple(self.tool_results) if isinstance(self.tool_results, list) else ()

    def named_results(self) -> Mapping[str, tuple[ScriptedResult, ...]]:
        if not isinstance(self.tool_results, dict):
            return {}
        return {tool: tuple(results) for tool, results in self.tool_results.items()}

    def all_results(self) -> tuple[ScriptedResult, ...]:
        return (*self.own_results(), *(r for results in self.named_results().values() for r in results))


class CaseLine(Spoken):
    """A pipeline case. Defaults: an operator, a usable model, the shipped cell, READY."""

    case: Name
    expected: Name
    id: Name | None = None
    role: Role = "operator"
    llm_available: bool = True
    request: Annotated[dict[Name, Value], Field(max_length=16)] = {}
    """Fields in place of the message's own. Another `type` than ask goes without the text: a line may acknowledge an
    alarm, call a run off, or send what no sender should."""
    faults: Annotated[list[str], Field(max_length=8)] = []
    turns: Annotated[list[Spoken], Field(max_length=8)] = []
    budget: Budget | None = None
    cell_state: CellState = CellState.READY
    deadline_ms: Annotated[int, Field(ge=1, le=120_000)] | None = None
    cancel_at: Phase | None = None
    client_gone_at: Phase | None = None
    evidence: Annotated[dict[Name, Value], Field(max_length=MAX_ITEMS)] = {}
    frames_on_wire: Annotated[int, Field(ge=0, le=100)] | None = None
    mechanisms: Annotated[list[Mechanism], Field(max_length=8)] = []
    why: Annotated[str, Field(max_length=1000)] = ""
    since: Annotated[str, Field(max_length=40)] = ""

    @field_validator("expected")
    @classmethod
    def _expected(cls, value: str) -> str:
        if value not in labels.ALL:
            raise ValueError(_not_among(value, labels.ALL))
        return value

    @field_validator("cell_state", mode="before")
    @classmethod
    def _cell_state(cls, value: Any) -> Any:
        return _word(value, CellState)

    @field_validator("cancel_at", "client_gone_at", mode="before")
    @classmethod
    def _phase(cls, value: Any) -> Any:
        return _word(value, Phase)

    @field_validator("mechanisms", mode="before")
    @classmethod
    def _mechanisms(cls, value: Any) -> Any:
        return [_word(each, Mechanism) for each in value] if isinstance(value, list) else value

    @field_validator("turns", mode="before")
    @classmethod
    def _turns(cls, value: Any) -> Any:
        """A turn may be written as its text alone."""
        return [{"text": t} if isinstance(t, str) else t for t in value] if isinstance(value, list) else value

    @field_validator("faults")
    @classmethod
    def _faults(cls, value: list[str]) -> list[str]:
        for text in value:
            _ = _fault(text)
        return value

    def put_in(self) -> tuple[Fault, ...]:
        return tuple(parse_fault(text) for text in self.faults)


class SentenceLine(_Model):
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
        return _word(value, Intent)

    @field_validator("mood", mode="before")
    @classmethod
    def _mood(cls, value: Any) -> Any:
        return _word(value, Mood)


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
        return f"unknown field{_did_you_mean(str(error['loc'][-1]), list(kind.model_fields))}"
    return str(error["msg"]).removeprefix("Value error, ")


def _field(location: tuple[int | str, ...]) -> str:
    parts = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in location]
    return "".join(parts).removeprefix(".") or "line"


def _word(value: Any, kind: type[Any]) -> Any:
    """JSON has only strings; a strict model wants the member."""
    if not isinstance(value, str):
        return value
    known = [member.value for member in kind]
    if value not in known:
        raise ValueError(_not_among(value, known))
    return kind(value)


def _fault(text: str) -> Fault:
    try:
        return parse_fault(text)
    except UnknownFault as error:
        raise ValueError(str(error)) from error


def _check_item(number: int, item: ModelItem) -> None:
    if len(item) != 1:
        raise ValueError(f"item {number}: one of {', '.join(MODEL_ITEMS)} was expected")
    key, value = next(iter(item.items()))
    kind, among = MODEL_ITEMS[key]
    if not isinstance(value, kind) or (among and value not in among):
        raise ValueError(f"item {number}: {key}: {' or '.join(among) or kind.__name__} was expected")


def _not_among(value: object, known: Any) -> str:
    return f"{value!r} is none of the known ones{_did_you_mean(str(value), known)}"


def _did_you_mean(value: str, known: Any) -> str:
    near = get_close_matches(value, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; there are: {', '.join(known)}"


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands there twice")
    return found
