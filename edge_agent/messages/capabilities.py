"""What this cell has and may do, so that a page needs no list of its own. Retained. Pure."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from edge_agent.messages.codes import Role
from edge_agent.messages.wire import WIRE_VERSION, Count, Line, Scalars, UtcTime, Version, WireModel, Word

Words: TypeAlias = Annotated[tuple[Word, ...], Field(max_length=64)]


class DeviceInfo(WireModel):
    id: Word
    kind: Word
    driver: Word
    receipt_level: Annotated[int, Field(ge=0, le=3)]
    is_real: bool


class ModelInfo(WireModel):
    """`usable` False: control in free words is explained, never proposed; `reason` says why."""

    name: Word | None
    usable: bool
    qualified: bool
    reason: Line | None = None
    accuracy: Annotated[float, Field(ge=0, le=1)] | None = None
    file_hash: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None


class CapabilitiesMessage(WireModel):
    v: Version = WIRE_VERSION
    at: UtcTime
    cell: Word
    devices: Annotated[tuple[DeviceInfo, ...], Field(max_length=16)]
    actions: Words
    items: Words
    bins: Annotated[tuple[Count, ...], Field(max_length=64)]
    stations: Words
    limits: Scalars = Field(default_factory=dict)
    roles: Annotated[tuple[Role, ...], Field(max_length=4)]
    request_types: Words
    languages: tuple[Literal["zh", "en"], ...] = ("zh", "en")
    lab: bool
    model: ModelInfo
    schema_hash: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
