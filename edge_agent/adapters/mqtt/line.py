"""One of the agent's connections over all its lives: opened, proved, watched, and opened anew.

```
            open, log in        subscribe, prove           own messages back
 OFFLINE ──────────────▶ CONNECTING ──────────▶ PROVING ──────────────────▶ ONLINE
    ▲  wait 1…30 s, after a bad password 60 s      │ not within 10 s            │ lost
    └──────────────────────────────────────────────┴───────────────────────────┘
```
A granted subscription proves nothing: a line is proved when the agent's own message came back on it, and it has to
keep coming.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from edge_agent.adapters.mqtt.client import Connection
from edge_agent.adapters.mqtt.settings import MqttSettings
from edge_agent.adapters.mqtt.traffic import Clock, Inbound, LastWill, NotOpened, Subscription
from edge_agent.messages.status import HEARTBEAT_S

STALE_S: Final = 10.0
"""Own messages older than this: the line is not alive, whatever paho says."""
GIVE_UP_S: Final = 15.0
"""And older than this it is dropped, so that also an agent without a watchdog comes back."""


class LinkState(StrEnum):
    """Of a line, and of the agent's whole link."""

    OFFLINE = "OFFLINE"
    CONNECTING = "CONNECTING"
    PROVING = "PROVING"
    ONLINE = "ONLINE"
    REFUSED = "REFUSED"
    """The broker does not take this login; tried again once a minute."""


LineName: TypeAlias = Literal["requests", "stops"]


class Line:
    """`say` puts the agent's own message with this beat on the connection; whoever takes it back calls `came_back`.
    `will` is asked at each opening. `changed` is told after every change of `state` or `reason`."""

    def __init__(
        self,
        name: LineName,
        settings: MqttSettings,
        clock: Clock,
        *,
        subscriptions: tuple[Subscription, ...],
        in_flight: int,
        take: Callable[[Inbound], None],
        say: Callable[[Connection, int], None],
        changed: Callable[[], None],
        will: Callable[[], LastWill | None] = lambda: None,
    ) -> None:
        self.name, self._settings, self._clock = name, settings, clock
        self._subscriptions, self._in_flight, self._take = subscriptions, in_flight, take
        self._say, self._changed, self._will = say, changed, will
        self.connection: Connection | None = None
        self.state, self.reason = LinkState.OFFLINE, "not started"
        self.died: str | None = None
        """Said once and for all: the process is to be restarted."""
        self.beat = 0
        """Raised with each own message; those before `_first_beat` belong to an earlier connection."""
        self._first_beat = 0
        self._generation = 0
        self._seen_s = 0.0
        self._proved = asyncio.Event()

    async def keep(self) -> None:
        """Without end."""
        wait_s = self._settings.reconnect_min_s
        while True:
            was_online = await self._one_life()
            if was_online:
                wait_s = self._settings.reconnect_min_s
            pause_s = self._settings.refused_wait_s if self.state is LinkState.REFUSED else wait_s
            await asyncio.sleep(pause_s)
            wait_s = min(2 * wait_s, self._settings.reconnect_max_s)

    def speak(self) -> None:
        """Says the own message, where there is a connection that could bring it back."""
        if self.connection is not None and self.state in (LinkState.PROVING, LinkState.ONLINE):
            self.beat += 1
            self._say(self.connection, self.beat)

    def came_back(self, beat: int) -> None:
        if beat >= self._first_beat:
            self._seen_s = self._clock()
            self._proved.set()

    def alive(self, now_s: float) -> bool:
        """False when a network thread is dead, or when a line that counts as up has been silent. A broker that is
        known to be away leaves it alive."""
        if self.died is not None:
            return False
        if self.state is not LinkState.ONLINE or self.connection is None:
            return True
        quiet_s = now_s - self.connection.last_traffic_s
        fresh = now_s - self._seen_s < STALE_S and quiet_s <= 2 * self._settings.keepalive_s
        return fresh and self.connection.thread_alive()

    async def _one_life(self) -> bool:
        """Open, prove, wait for the end. True when the line was ONLINE in between."""
        self._generation += 1
        self._proved.clear()
        self.connection = connection = Connection(
            self._settings,
            generation=self._generation,
            receive_maximum=self._in_flight,
            on_message=self._take,
            clock=self._clock,
            will=self._will(),
        )
        self._enter(LinkState.CONNECTING, "connecting")
        try:
            if not await self._up(connection):
                return False
            self._enter(LinkState.ONLINE, "")
            await self._until_lost(connection)
            return True
        finally:
            if self.state is not LinkState.REFUSED:
                self._enter(LinkState.OFFLINE, connection.lost.result() if connection.lost.done() else self.reason)
            self.connection = None
            await connection.close()

    async def _up(self, connection: Connection) -> bool:
        answer = await connection.open()
        if isinstance(answer, NotOpened):
            self._enter(LinkState.REFUSED if answer.refused else LinkState.OFFLINE, answer.reason)
            return False
        if not await connection.subscribe(self._subscriptions):
            self._enter(LinkState.OFFLINE, "the broker did not grant the subscriptions; see its access list")
            return False
        self._first_beat = self.beat + 1
        self._enter(LinkState.PROVING, "waiting for our own message to come back")
        self.speak()
        within_s = self._settings.prove_timeout_s
        try:
            async with asyncio.timeout(within_s):
                await self._proved.wait()
        except TimeoutError:
            self._enter(LinkState.OFFLINE, f"own message did not come back within {within_s} s; access list?")
            return False
        return not connection.lost.done()

    async def _until_lost(self, connection: Connection) -> None:
        while not connection.lost.done():
            await asyncio.wait({connection.lost}, timeout=HEARTBEAT_S / 2)
            if not connection.thread_alive():
                await asyncio.sleep(0)  # its last word may be on its way to us
            if not connection.thread_alive() and not connection.lost.done():
                # paho would go on saying "published".
                self.reason = self.died = f"{self.name}: the network thread ended without a word"
                return
            if self._clock() - self._seen_s > GIVE_UP_S:
                self.reason = "own messages stopped coming back"
                return

    def _enter(self, state: LinkState, reason: str) -> None:
        self.state, self.reason = state, reason
        self._changed()
