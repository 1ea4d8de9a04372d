"""One message as a transport hands it over: bytes, who sent them, and how to say that they were taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from edge_agent.messages.acceptance import Channel


def _nothing() -> None:
    """A transport without acknowledgements."""


@dataclass(frozen=True, slots=True)
class Arrival:
    payload: bytes
    user: str | None
    channel: Channel
    retained: bool = False
    response_topic: str | None = None
    ack: Callable[[], None] = field(default=_nothing)
