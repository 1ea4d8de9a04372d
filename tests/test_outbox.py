"""What waits for the broker: in order, said when there is room, said again after a reconnect, never for ever."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from edge_agent.adapters.mqtt.traffic import NotConnected, Published
from edge_agent.outbox import MAX_KEPT, MAX_TRIES, Outbox, Saying


@dataclass
class Broker:
    """Takes `room` messages until one is acknowledged; `up` False takes none."""

    room: int = 100
    up: bool = True
    heard: list[str] = field(default_factory=list)
    waiting: list[asyncio.Future[bool]] = field(default_factory=list)

    def send(self, saying: Saying) -> Published | NotConnected:
        if not self.up:
            return NotConnected("offline")
        if saying.payload == b"huge":
            return NotConnected("too_large")
        if len(self.waiting) >= self.room:
            return NotConnected("queue_full")
        self.heard.append(saying.payload.decode())
        acked: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.waiting.append(acked)
        return Published(acked)

    async def answer(self, taken: bool) -> None:
        waiting, self.waiting = self.waiting, []
        for acked in waiting:
            acked.set_result(taken)
        await asyncio.sleep(0)


def event(text: str) -> Saying:
    return Saying("t", text.encode())


async def test_what_finds_no_room_is_said_in_order_when_there_is_some() -> None:
    broker = Broker(room=2)
    outbox = Outbox(broker.send)
    for text in "abcde":
        outbox.say(event(text))
    assert broker.heard == ["a", "b"]
    for _ in range(2):
        await broker.answer(True)
    assert broker.heard == ["a", "b", "c", "d", "e"]


async def test_a_state_that_finds_no_room_is_said_too_and_only_the_newest() -> None:
    broker = Broker(room=1)
    outbox = Outbox(broker.send)
    outbox.say(event("a"))
    for state in ("READY", "EXECUTING"):
        outbox.retain(Saying("state", state.encode(), retain=True))
    await broker.answer(True)
    assert broker.heard == ["a", "EXECUTING"]


async def test_what_was_lost_with_its_connection_comes_first_however_often() -> None:
    broker = Broker()
    outbox = Outbox(broker.send)
    outbox.say(event("a"))
    for _ in range(MAX_TRIES + 1):
        broker.up = False
        await broker.answer(False)
        broker.up = True
        outbox.again()
    outbox.say(event("b"))
    assert broker.heard == ["a"] * (MAX_TRIES + 2) + ["b"]
    await broker.answer(True)
    outbox.again()
    assert broker.heard[-1] == "b"


async def test_what_a_broker_never_takes_is_let_go() -> None:
    broker = Broker()
    outbox = Outbox(broker.send)
    outbox.say(event("a"))
    for _ in range(MAX_TRIES + 2):
        await broker.answer(False)
        outbox.flush()
    assert broker.heard == ["a"] * MAX_TRIES


async def test_what_is_too_large_holds_nothing_up() -> None:
    broker = Broker()
    outbox = Outbox(broker.send)
    outbox.say(event("huge"))
    outbox.say(event("b"))
    assert broker.heard == ["b"]


async def test_a_long_absence_keeps_the_newest() -> None:
    broker = Broker(up=False, room=10_000)
    outbox = Outbox(broker.send)
    for number in range(MAX_KEPT + 5):
        outbox.say(event(str(number)))
    broker.up = True
    outbox.again()
    assert (broker.heard[0], len(broker.heard)) == ("5", MAX_KEPT)
