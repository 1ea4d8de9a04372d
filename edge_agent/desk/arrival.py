"""One message as a transport hands it over: bytes, who sent them, and how to say that they were taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from edge_agent.messages.acceptance import Channel
from edge_agent.safety.permission import Role


def _nothing() -> None:
    """A transport without acknowledgements."""


@dataclass(frozen=True, slots=True)
class ReplyTo:
    """Where the sender wants to read the answer, and what it wants to find beside each event; both may be None."""

    topic: str | None = None
    correlation: bytes | None = None


NO_WISH: Final = ReplyTo()


@dataclass(frozen=True, slots=True)
class Arrival:
    """`role`: what the transport itself proved (the console's login). None: the role that is listed for the user."""

    payload: bytes
    user: str | None
    channel: Channel
    retained: bool = False
    reply_to: ReplyTo = NO_WISH
    ack: Callable[[], None] = field(default=_nothing)
    role: Role | None = None
    stop_served: bool = False
    """A stop word in it was heard, and served, before it waited for its turn."""
