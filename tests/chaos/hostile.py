"""A client that means harm: any topic, any bytes, any client id; and it hears all that its login may hear."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from edge_agent.adapters.mqtt.broker import Broker
from edge_agent.adapters.mqtt.client import Connection
from edge_agent.adapters.mqtt.traffic import Inbound, Opened, Published, Subscription
from tests.chaos.site import POLL_S, USERS, WITHIN_S, Site, mqtt_settings

IN_FLIGHT = 100


@dataclass
class Hostile:
    connection: Connection
    heard: list[Inbound] = field(default_factory=list)

    async def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> bool:
        """True when the broker took it."""
        said = self.connection.publish(topic, payload, retain=retain)
        assert isinstance(said, Published), said
        return await asyncio.wait_for(said.acked, WITHIN_S)


@asynccontextmanager
async def listening(site: Site, user: str, *filters: str, certificate_of: str | None = None) -> AsyncIterator[Hostile]:
    """`certificate_of`: another's certificate under this user's name."""
    settings = mqtt_settings(site.broker, certificate_of or user)
    heard: list[Inbound] = []

    def take(inbound: Inbound) -> None:
        heard.append(inbound)
        inbound.ack()

    connection = Connection(
        replace(settings, username=user),
        generation=1,
        receive_maximum=IN_FLIGHT,
        on_message=take,
        clock=time.monotonic,
    )
    try:
        answer = await connection.open()
        assert isinstance(answer, Opened), answer
        if filters:
            assert await connection.subscribe(tuple(Subscription(f, kept=True) for f in filters))
        yield Hostile(connection, heard)
    finally:
        await connection.close()


def connect_as(site: Site, client_id: str) -> None:
    """Whoever has this client id is thrown off by the broker."""
    taken: list[object] = []
    client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=client_id, protocol=mqtt.MQTTv5)
    client.username_pw_set("op1", USERS["op1"])
    client.on_connect = lambda *told: taken.append(told)
    client.connect(site.broker.host, site.broker.port)
    deadline_s = time.monotonic() + WITHIN_S
    while not taken and time.monotonic() < deadline_s:
        client.loop(timeout=0.05)
    client.disconnect()


def ids_of_the_agent(site: Site) -> list[str]:
    """The ids that the agent has had so far, two a life of its link: from the broker's own log."""
    return [line.split(" as ")[1].split(" ")[0] for line in _log(site) if "u'agent'" in line]


def times_thrown_off(site: Site) -> int:
    """How often an id was taken over from whoever had it: told by the broker at that very moment."""
    return sum("already connected, closing old connection" in line for line in _log(site))


async def until_another_id(site: Site, own: list[str]) -> None:
    """The agent is back, under an id that it never had."""
    deadline_s = time.monotonic() + WITHIN_S
    while (ids := ids_of_the_agent(site)) == own:
        assert time.monotonic() < deadline_s, "connected as the agent's own id, and the agent was not thrown off"
        await asyncio.sleep(POLL_S)
    assert not set(ids[len(own) :]) & set(own), "it is back under an id that it had before"


def _log(site: Site) -> list[str]:
    assert isinstance(site.broker, Broker)
    return site.broker.log.splitlines()
