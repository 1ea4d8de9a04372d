"""What every message has in common: strict models, bounded words, one way to write a time. Pure.

Rules
  * An unknown field, NaN or infinity, or a value of another type is refused, in both directions.
  * Every text and list has a maximum, so that no message can outgrow the broker's 16 KiB by surprise.
  * Times are UTC, written `2026-03-01T08:00:00.123Z`. They inform people; no deadline rests on them.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Any, Final, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema

WIRE_VERSION: Final = 1
MAX_REQUEST_BYTES: Final = 8192
"""A request above this is refused unread; half of what the broker lets through, so the refusal can be told."""
MAX_EVENT_BYTES: Final = 15_360
"""Broker maximum of 16 KiB less topic, properties and header."""
MAX_PAGE_BYTES: Final = 8192
"""A page of history or timeline."""

ULID_PATTERN: Final = r"^[0-7][0-9A-HJKMNP-TV-Z]{25}$"
USER_PATTERN: Final = r"^[a-z][a-z0-9_-]{1,31}$"
CLIENT_PATTERN: Final = r"^[A-Za-z0-9_-]{1,64}$"
TIME_PATTERN: Final = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z$"
_TIME = re.compile(TIME_PATTERN, re.ASCII)


class WireModel(BaseModel):
    """Base of every message: immutable, strict, closed."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


def utc_text(moment: datetime) -> str:
    """`moment` (aware) as the wire writes it, in milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def utc_from_text(value: Any) -> datetime:
    """The inverse. Raises ValueError for anything but UTC in the wire's own form."""
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value
    if not isinstance(value, str) or not _TIME.match(value):
        raise ValueError("a UTC time such as 2026-03-01T08:00:00Z was expected")
    return datetime.fromisoformat(value.removesuffix("Z") + "+00:00")


UtcTime: TypeAlias = Annotated[
    datetime,
    BeforeValidator(utc_from_text),
    PlainSerializer(utc_text, return_type=str),
    WithJsonSchema({"type": "string", "pattern": TIME_PATTERN, "examples": ["2026-03-01T08:00:00.123Z"]}),
]
Ulid: TypeAlias = Annotated[str, Field(pattern=ULID_PATTERN)]
UserName: TypeAlias = Annotated[str, Field(pattern=USER_PATTERN)]
ClientName: TypeAlias = Annotated[str, Field(pattern=CLIENT_PATTERN)]
RunId: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
"""A request's ULID, or the first 16 hex digits of an unreadable request's SHA-256."""
PromptId: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{8,64}$")]
Digest: TypeAlias = Annotated[str, Field(pattern=r"^[0-9a-f]{16,64}$")]
Word: TypeAlias = Annotated[str, Field(max_length=128)]
"""A name, code or id."""
Name: TypeAlias = Annotated[str, Field(max_length=64)]
"""A key."""
Line: TypeAlias = Annotated[str, Field(max_length=512)]
Text: TypeAlias = Annotated[str, Field(max_length=4000)]
"""What a person reads."""
Count: TypeAlias = Annotated[int, Field(ge=0)]
Epoch: TypeAlias = Annotated[int, Field(ge=0, lt=2**53)]
Scalar: TypeAlias = Annotated[str, Field(max_length=512)] | int | float | bool | None
Scalars: TypeAlias = Annotated[dict[Name, Scalar], Field(max_length=48)]
Slots: TypeAlias = Annotated[dict[Name, Word | int | float | bool], Field(max_length=12)]
Version: TypeAlias = Annotated[int, Field(ge=1, le=1), WithJsonSchema({"const": 1})]
"""A number, not a Literal: True and 1.0 equal 1 and would pass for it."""
