"""A user at the broker, for tests: connects, listens to everything it may, publishes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from edge_agent.adapters.mqtt.broker import Broker
from edge_agent.adapters.mqtt.client import Connection
from edge_agent.adapters.mqtt.line import LinkState
from edge_agent.adapters.mqtt.link import MqttLink
from edge_agent.adapters.mqtt.settings import MqttSettings
from edge_agent.adapters.mqtt.traffic import Inbound, Opened, Published, Subscription

USERS = {"agent": "agent-word", "op1": "op1-word", "op2": "op2-word", "historian": "h-word"}
WITHIN_S = 5.0


def settings(broker: Broker, user: str, **changes: object) -> MqttSettings:
    values: dict[str, object] = {
        "host": broker.host,
        "port": broker.port,
        "username": user,
        "password": USERS[user],
        "prefix": broker.prefix,
        "reconnect_min_s": 0.05,
        "prove_timeout_s": 2.0,
    }
    return MqttSettings(**(values | changes))  # type: ignore[arg-type]


async def until(condition: Callable[[], bool], what: str, within_s: float = WITHIN_S) -> None:
    """Give the loop time until `condition`; a deadline, not an expectation of time."""
    deadline_s = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline_s, f"not within {within_s} s: {what}"
        await asyncio.sleep(0.005)


@dataclass
class Peer:
    connection: Connection
    received: list[Inbound] = field(default_factory=list)

    async def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> bool:
        """True when the broker took it."""
        said = self.connection.publish(topic, payload, retain=retain)
        assert isinstance(said, Published), said
        return await asyncio.wait_for(said.acked, WITHIN_S)

    def payloads(self, topic: str) -> list[bytes]:
        return [m.payload for m in self.received if m.topic == topic]


@asynccontextmanager
async def peer(broker: Broker, user: str, *filters: str) -> AsyncIterator[Peer]:
    received: list[Inbound] = []

    def take(inbound: Inbound) -> None:
        received.append(inbound)
        inbound.ack()

    connection = Connection(
        settings(broker, user), generation=1, receive_maximum=100, on_message=take, clock=time.monotonic
    )
    try:
        answer = await connection.open()
        assert isinstance(answer, Opened), answer
        if filters:
            assert await connection.subscribe(tuple(Subscription(f, kept=True) for f in filters))
        yield Peer(connection, received)
    finally:
        await connection.close()


@dataclass
class Agent:
    """The agent's link with what it handed on."""

    link: MqttLink
    stops: list[Inbound] = field(default_factory=list)
    presences: list[Inbound] = field(default_factory=list)
    states: list[tuple[LinkState, str]] = field(default_factory=list)

    async def online(self) -> None:
        assert await self.link.wait_online(WITHIN_S), self.link.reason

    async def request(self) -> Inbound:
        return await asyncio.wait_for(self.link.inbound.get(), WITHIN_S)


@asynccontextmanager
async def agent(broker: Broker, **changes: object) -> AsyncIterator[Agent]:
    """The link, started; not waited for."""
    stops: list[Inbound] = []
    presences: list[Inbound] = []
    states: list[tuple[LinkState, str]] = []
    link = MqttLink(
        settings(broker, "agent", **changes),
        epoch=1742,
        versions={"agent": "test"},
        on_stop=stops.append,
        on_presence=presences.append,
        on_state=lambda state, reason: states.append((state, reason)),
    )
    await link.start()
    try:
        yield Agent(link, stops, presences, states)
    finally:
        await link.stop()
