"""Is the agent there? Retained, renewed every 2 s; the last will says CONNECTION_BROKEN. Pure."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from edge_agent.messages.wire import WIRE_VERSION, Count, Epoch, UtcTime, Version, WireModel, Word

HEARTBEAT_S: Final = 2.0


class StatusMessage(WireModel):
    """`instance`: chance, anew at each connection, by which the agent knows its own message; no client id."""

    v: Version = WIRE_VERSION
    status: Literal["ONLINE", "OFFLINE", "CONNECTION_BROKEN"]
    epoch: Epoch
    at: UtcTime
    beat: Count
    instance: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    versions: Annotated[dict[Word, Word], Field(max_length=8)] = Field(default_factory=dict)
