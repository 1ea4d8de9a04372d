"""What is said in a case, what tools and model answer meanwhile, and what is replied. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from edge_agent.cases.faults import Fault, UnknownFault, parse_fault
from edge_agent.cases.words import not_among, word
from edge_agent.messages.codes import ErrorCode, Lang, Role
from offline_rules.reading import Intent

MAX_TEXT_CHARS: Final = 20_000
"""Longer than any text the agent accepts, so that too long a text can be a case."""
MAX_ITEMS: Final = 64

Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=80)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class ScriptedError(Strict):
    code: ErrorCode
    message: Annotated[str, Field(max_length=500)] = ""

    @field_validator("code", mode="before")
    @classmethod
    def _code(cls, value: Any) -> Any:
        return word(value, ErrorCode)


class ScriptedResult(Strict):
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


class ConfirmReply(Strict):
    """The answer to a confirmation. `by`: another login gives it; `again`: it is given once more, as a request of its
    own; `late`: when the prompt has expired; `meanwhile`: faults that come in between question and answer."""

    confirm: bool
    by: Role | None = None
    again: bool = False
    late: bool = False
    meanwhile: Annotated[list[str], Field(max_length=8)] = []

    @field_validator("meanwhile")
    @classmethod
    def _faults(cls, value: list[str]) -> list[str]:
        return [str(fault(text)) for text in value]

    def put_in(self) -> tuple[Fault, ...]:
        return tuple(parse_fault(text) for text in self.meanwhile)


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


class Spoken(Strict):
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
                raise ValueError(not_among(pair[0], known))
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


def fault(text: str) -> Fault:
    """Raises `ValueError` with what was expected."""
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


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
