"""What a connection brings and what it answers: values, no library behind them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Clock: TypeAlias = Callable[[], float]
"""Seconds, monotonic."""


@dataclass(frozen=True, slots=True)
class Inbound:
    """A message as it came. `ack` is silent and harmless when its connection is gone."""

    topic: str
    payload: bytes
    retained: bool
    received_monotonic_s: float
    message_expiry: int | None
    response_topic: str | None
    correlation: bytes | None
    dup: bool
    qos: int
    connection_generation: int
    ack: Callable[[], None] = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Subscription:
    """`kept` True: what is retained is sent at once (presence); else only what comes from now on."""

    filter: str
    kept: bool = False


@dataclass(frozen=True, slots=True)
class LastWill:
    topic: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Opened:
    max_packet_bytes: int


@dataclass(frozen=True, slots=True)
class NotOpened:
    """`refused`: the broker does not know this login, which waiting does not change."""

    reason: str
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Published:
    """Handed to the connection. `acked` becomes True at the broker's acknowledgement, False if it refused the
    message or the connection was lost first; it is never left open."""

    acked: asyncio.Future[bool]


@dataclass(frozen=True, slots=True)
class NotConnected:
    """Nothing was handed over and nothing will be sent later."""

    reason: Literal["offline", "queue_full", "too_large"]
