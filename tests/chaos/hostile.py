"""A client that means harm: any topic, any bytes, any client id; and it hears all that its login may hear."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from edge_agent.adapters.mqtt.client import Connection
from edge_agent.adapters.mqtt.traffic import Inbound, Opened, Published, Subscription
from tests.chaos.site import Site, mqtt_settings

WITHIN_S = 20.0
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
