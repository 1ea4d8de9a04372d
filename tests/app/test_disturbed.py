"""A request that the transport disturbs arrives twice, too late, or as one that was kept; the lab's own never."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from edge_agent.app.disturbed import DUPLICATE, LATE_BY, RETAINED, STALE, receive
from edge_agent.desk.arrival import Arrival

ISSUED = datetime(2026, 3, 1, 8, tzinfo=UTC)
ASK = {"type": "ask", "id": "1", "issued_at": "2026-03-01T08:00:00.000Z", "text": "回零"}


@dataclass
class Heard:
    """An agent that keeps what it is given; faults strike once each."""

    armed: set[str]
    given: list[Arrival] = field(default_factory=list)

    async def agent(self, arrival: Arrival) -> None:
        self.given.append(arrival)

    def fires(self, name: str) -> bool:
        struck = name in self.armed
        self.armed.discard(name)
        return struck


async def sent(said: dict[str, Any] | bytes, *faults: str) -> Heard:
    heard = Heard(set(faults))
    payload = said if isinstance(said, bytes) else json.dumps(said).encode()
    await receive(Arrival(payload, "g01", "mqtt"), heard.agent, heard.fires)
    return heard


async def test_nothing_is_changed_without_a_fault() -> None:
    [arrival] = (await sent(ASK)).given
    assert arrival == Arrival(json.dumps(ASK).encode(), "g01", "mqtt")


async def test_it_comes_twice_the_same() -> None:
    first, second = (await sent(ASK, DUPLICATE)).given
    assert first == second


async def test_it_comes_as_one_that_the_broker_kept() -> None:
    [arrival] = (await sent(ASK, RETAINED)).given
    assert arrival.retained


async def test_it_comes_too_late_and_is_otherwise_the_same() -> None:
    [arrival] = (await sent(ASK, STALE)).given
    told = json.loads(arrival.payload)
    assert datetime.fromisoformat(told.pop("issued_at")) == ISSUED - LATE_BY
    assert told == {key: value for key, value in ASK.items() if key != "issued_at"}
    assert timedelta(seconds=10) < LATE_BY


@pytest.mark.parametrize("fault", [DUPLICATE, RETAINED, STALE])
async def test_the_labs_own_request_is_left_alone_and_uses_nothing_up(fault: str) -> None:
    heard = await sent({"type": "lab", "op": "clear"}, fault)
    assert len(heard.given) == 1
    assert not heard.given[0].retained
    assert heard.armed == {fault}


@pytest.mark.parametrize("payload", [b"\xff", b"{", b"[]", b'{"issued_at": 3}', b'{"type": "ask"}'])
async def test_what_is_no_request_is_left_for_the_agent_to_refuse(payload: bytes) -> None:
    [arrival] = (await sent(payload, STALE)).given
    assert arrival.payload == payload


@pytest.mark.parametrize(
    "payload",
    [
        b"[" * 8_000,
        b"\xff\xfe",
        b"",
        b"null",
        b'{"issued_at": "0001-01-01T00:00:00+00:00"}',
        b'{"issued_at": "2026-03-01T08:00:00.000Z", "text": "\\ud800"}',
    ],
)
async def test_whatever_comes_reaches_the_agent_and_ends_nothing(payload: bytes) -> None:
    assert len((await sent(payload, STALE, DUPLICATE)).given) == 2
