"""The lines between the agent and the model process: what comes back is checked, what goes out is ours.

One request, one reply, in turn; a line is at most `MAX_LINE_BYTES` (a fitted map of 400 tokens is about 60 kB).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

MAX_LINE_BYTES = 1_048_576
MAX_OPTIONS = 32

Probability = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


class Reply(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    ok: Literal[True]
    ms: Finite = 0.0


class Ready(Reply):
    library: str = Field(max_length=50)
    n_vocab: int = Field(gt=0)
    prefix_from_cache: bool
    mapped: bool


class Scored(Reply):
    values: list[Probability] = Field(min_length=1, max_length=MAX_OPTIONS)
    input_tokens: int = Field(ge=0)
    cut: bool = False


class Text(Reply):
    text: str = Field(max_length=65_536)
    input_tokens: int = Field(ge=0)
    output_tokens: int = Field(ge=0)
    cut: bool = False


class Forwarded(Reply):
    input_tokens: int = Field(ge=0)
    forward_ms: Finite = 0.0


class Picked(Reply):
    tokens: int = Field(gt=0)


class Fitted(Reply):
    tokens: list[int]
    weights: list[list[Finite]]
    bias: list[Finite]
    rows: int = Field(ge=0)
    """Sentences it was fitted on: a process that was replaced meanwhile has lost those before."""


class Seen(Reply):
    input_tokens: int = Field(ge=0)


class Failed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    ok: Literal[False]
    kind: Literal["refused", "aborted", "too_long"]
    text: str = Field(max_length=2_000)


R = TypeVar("R", bound=Reply)


class IllegalReply(Exception):
    """The worker answered with what is no reply."""


def encode(request: Mapping[str, object]) -> bytes:
    return json.dumps(request).encode() + b"\n"


def decode(line: bytes, kind: type[R]) -> R | Failed:
    try:
        return kind.model_validate_json(line)
    except ValidationError as not_that:
        try:
            return Failed.model_validate_json(line)
        except ValidationError:
            raise IllegalReply(f"no {kind.__name__}: {not_that.error_count()} errors") from not_that
