"""The agent's side of the broker: two connections, kept up; what came in; what may go out.

```
            open, log in        subscribe, prove           own messages back
 OFFLINE ──────────────▶ CONNECTING ──────────▶ PROVING ──────────────────▶ ONLINE
    ▲  wait 1…30 s, after a bad password 60 s      │ not within 10 s            │ lost
    └──────────────────────────────────────────────┴───────────────────────────┘
```
One connection carries requests and presence (eight in flight, acknowledged by their taker once their row is
written), the other stops alone (acknowledged on arrival), because on a shared one a stop is not delivered while eight
requests wait for their rows. A line is proved when the agent's own message came back on it: `P/status` on the first,
a probe on the agent's own stop topic on the second. A granted subscription proves nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from pydantic import ValidationError

from edge_agent.adapters.mqtt.client import Connection
from edge_agent.adapters.mqtt.settings import MqttSettings
from edge_agent.adapters.mqtt.traffic import Clock, Inbound, LastWill, NotConnected, NotOpened, Published, Subscription
from edge_agent.messages.encode import encode
from edge_agent.messages.status import HEARTBEAT_S, StatusMessage
from edge_agent.messages.topics import TopicKind, Topics

REQUESTS_IN_FLIGHT: Final = 8
STOPS_IN_FLIGHT: Final = 100
STALE_S: Final = 10.0
"""Own messages older than this: the line is not alive, whatever paho says."""
GIVE_UP_S: Final = 15.0
"""And older than this it is dropped, so that also an agent without a watchdog comes back."""
FAREWELL_S: Final = 1.0
_PROBE: Final = b"PROBE "


class LinkState(StrEnum):
    OFFLINE = "OFFLINE"
    CONNECTING = "CONNECTING"
    PROVING = "PROVING"
    ONLINE = "ONLINE"
    REFUSED = "REFUSED"
    """The broker does not take this login; tried again once a minute."""


LineName: TypeAlias = Literal["requests", "stops"]


@dataclass(slots=True)
class _Line:
    """One of the two connections, over all its lives."""

    name: LineName
    subscriptions: tuple[Subscription, ...]
    in_flight: int
    take: Callable[[Inbound], None]
    generation: int = 0
    connection: Connection | None = None
    state: LinkState = LinkState.OFFLINE
    reason: str = "not started"
    beat: int = 0
    """Raised with each own message; those before `first_beat` belong to an earlier connection."""
    first_beat: int = 0
    seen_s: float = 0.0
    proved: asyncio.Event = field(default_factory=asyncio.Event)


class MqttLink:
    """All methods are for the loop's thread. `inbound` brings requests; their taker calls `ack`."""

    def __init__(
        self,
        settings: MqttSettings,
        *,
        epoch: int,
        versions: dict[str, str],
        on_stop: Callable[[Inbound], None],
        on_presence: Callable[[Inbound], None],
        on_request: Callable[[Inbound], None] = lambda _inbound: None,
        on_state: Callable[[LinkState, str], None] = lambda _state, _reason: None,
        clock: Clock = time.monotonic,
        wall: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._settings, self._epoch, self._versions = settings, epoch, versions
        self._on_stop, self._on_presence, self._on_state = on_stop, on_presence, on_state
        self._on_request = on_request
        self._clock, self._wall = clock, wall
        self._topics = Topics(settings.prefix)
        self._instance = secrets.token_hex(16)
        self._status_topic = self._topics.of(TopicKind.STATUS)
        self._probe_topic = self._topics.of(TopicKind.STOP, user=settings.username)
        self.inbound: asyncio.Queue[Inbound] = asyncio.Queue(settings.max_inbound)
        self._requests = _Line("requests", self._request_filters(), REQUESTS_IN_FLIGHT, self._take_request)
        self._stops = _Line("stops", (self._filter(TopicKind.STOP),), STOPS_IN_FLIGHT, self._take_stop)
        self._tasks: list[asyncio.Task[None]] = []
        self._thread_died: str | None = None
        self._told = LinkState.OFFLINE
        self._online = asyncio.Event()
        self.dropped = 0
        self.rival_seen_s: float | None = None
        """When another agent was last heard on this prefix; two of them must not share a cell."""

    async def start(self) -> None:
        """Begin to keep both connections up. Returns at once: without a broker the agent still runs."""
        self._tasks = [asyncio.create_task(self._keep(line), name=f"mqtt-{line.name}") for line in self._lines]
        self._tasks.append(asyncio.create_task(self._beat(), name="mqtt-heartbeat"))

    async def stop(self) -> None:
        """Say OFFLINE, say goodbye, end every task. A few seconds at most."""
        said = self._publish_status("OFFLINE") if self.state is LinkState.ONLINE else NotConnected("offline")
        if isinstance(said, Published):
            await asyncio.wait({said.acked}, timeout=FAREWELL_S)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=2 * self._settings.connect_timeout_s)
        self._tasks.clear()

    @property
    def state(self) -> LinkState:
        """The lesser of the two lines. Only in ONLINE may a new motion begin."""
        return min((line.state for line in self._lines), key=_ORDER.index)

    @property
    def reason(self) -> str:
        """Why it is not ONLINE, for a person."""
        return "; ".join(f"{line.name}: {line.reason}" for line in self._lines if line.state is not LinkState.ONLINE)

    async def wait_online(self, timeout_s: float) -> bool:
        """True once both lines are proved; False when `timeout_s` passes first."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._online.wait()
        except TimeoutError:
            return False
        return True

    def publish(
        self,
        topic: str,
        payload: bytes,
        *,
        qos: Literal[0, 1] = 1,
        retain: bool = False,
        expiry_s: int | None = None,
        correlation: bytes | None = None,
    ) -> Published | NotConnected:
        """Send now or not at all; what was not sent is the caller's to send again when `on_state` says ONLINE."""
        connection = self._requests.connection
        if connection is None or self._requests.state is not LinkState.ONLINE:
            return NotConnected("offline")
        return connection.publish(topic, payload, qos=qos, retain=retain, expiry_s=expiry_s, correlation=correlation)

    def alive(self, now_s: float) -> bool:
        """False when the link believes something that is not so: a network thread or a task of ours is dead, or a
        line that counts as up has been silent. A broker that is known to be away leaves the link alive."""
        if self._thread_died is not None or any(task.done() for task in self._tasks):
            return False
        return all(self._line_alive(line, now_s) for line in self._lines)

    @property
    def _lines(self) -> tuple[_Line, _Line]:
        return self._requests, self._stops

    def _line_alive(self, line: _Line, now_s: float) -> bool:
        connection = line.connection
        if line.state is not LinkState.ONLINE or connection is None:
            return True
        quiet_s = now_s - connection.last_traffic_s
        fresh = now_s - line.seen_s < STALE_S and quiet_s <= 2 * self._settings.keepalive_s
        return fresh and connection.thread_alive()

    def _filter(self, kind: TopicKind, *, kept: bool = False) -> Subscription:
        return Subscription(self._topics.filter(kind), kept)

    def _request_filters(self) -> tuple[Subscription, ...]:
        presence = self._filter(TopicKind.PRESENCE, kept=True)
        return self._filter(TopicKind.REQ), presence, self._filter(TopicKind.STATUS)

    # Keeping a line up.

    async def _keep(self, line: _Line) -> None:
        wait_s = self._settings.reconnect_min_s
        while True:
            was_online = await self._one_life(line)
            if was_online:
                wait_s = self._settings.reconnect_min_s
            pause_s = self._settings.refused_wait_s if line.state is LinkState.REFUSED else wait_s
            await asyncio.sleep(pause_s)
            wait_s = min(2 * wait_s, self._settings.reconnect_max_s)

    async def _one_life(self, line: _Line) -> bool:
        """Open, prove, wait for the end. True when the line was ONLINE in between."""
        line.generation += 1
        line.proved.clear()
        line.connection = connection = Connection(
            self._settings,
            generation=line.generation,
            receive_maximum=line.in_flight,
            on_message=line.take,
            clock=self._clock,
            will=self._will() if line is self._requests else None,
        )
        self._enter(line, LinkState.CONNECTING, "connecting")
        try:
            if not await self._up(line, connection):
                return False
            self._enter(line, LinkState.ONLINE, "")
            await self._until_lost(line, connection)
            return True
        finally:
            if line.state is not LinkState.REFUSED:
                reason = connection.lost.result() if connection.lost.done() else line.reason
                self._enter(line, LinkState.OFFLINE, reason)
            line.connection = None
            await connection.close()

    async def _up(self, line: _Line, connection: Connection) -> bool:
        answer = await connection.open()
        if isinstance(answer, NotOpened):
            self._enter(line, LinkState.REFUSED if answer.refused else LinkState.OFFLINE, answer.reason)
            return False
        if not await connection.subscribe(line.subscriptions):
            self._enter(line, LinkState.OFFLINE, "the broker did not grant the subscriptions; see its access list")
            return False
        line.first_beat = line.beat + 1
        self._enter(line, LinkState.PROVING, "waiting for our own message to come back")
        self._say(line, connection)
        try:
            async with asyncio.timeout(self._settings.prove_timeout_s):
                await line.proved.wait()
        except TimeoutError:
            within_s = self._settings.prove_timeout_s
            self._enter(line, LinkState.OFFLINE, f"own message did not come back within {within_s} s; access list?")
            return False
        return not connection.lost.done()

    async def _until_lost(self, line: _Line, connection: Connection) -> None:
        while not connection.lost.done():
            await asyncio.wait({connection.lost}, timeout=HEARTBEAT_S / 2)
            if not connection.thread_alive():
                await asyncio.sleep(0)  # its last word may be on its way to us
            if not connection.thread_alive() and not connection.lost.done():
                # paho would go on saying "published". Said once and for all: the process is to be restarted.
                self._thread_died = f"{line.name}: the network thread ended without a word"
                line.reason = self._thread_died
                return
            if self._clock() - line.seen_s > GIVE_UP_S:
                line.reason = "own messages stopped coming back"
                return

    def _enter(self, line: _Line, state: LinkState, reason: str) -> None:
        line.state, line.reason = state, reason
        if self.state is not self._told:
            self._told = self.state
            (self._online.set if self.state is LinkState.ONLINE else self._online.clear)()
            self._on_state(self.state, self.reason)

    # Our own messages.

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            for line in self._lines:
                if line.connection is not None and line.state in (LinkState.PROVING, LinkState.ONLINE):
                    self._say(line, line.connection)

    def _say(self, line: _Line, connection: Connection) -> None:
        line.beat += 1
        if line is self._requests:
            connection.publish(self._status_topic, self._status("ONLINE"), retain=True)
        else:
            probe = _PROBE + f"{self._instance} {line.beat}".encode()
            connection.publish(self._probe_topic, probe, qos=0)

    def _publish_status(self, word: Literal["ONLINE", "OFFLINE"]) -> Published | NotConnected:
        return self.publish(self._status_topic, self._status(word), retain=True)

    def _status(self, word: Literal["ONLINE", "OFFLINE", "CONNECTION_BROKEN"]) -> bytes:
        return encode(
            StatusMessage(
                status=word,
                epoch=self._epoch,
                at=self._wall(),
                beat=self._requests.beat,
                instance=self._instance,
                versions=self._versions,
            )
        )

    def _will(self) -> LastWill:
        return LastWill(self._status_topic, self._status("CONNECTION_BROKEN"))

    # What comes in.

    def _take_request(self, inbound: Inbound) -> None:
        if inbound.topic == self._status_topic:
            inbound.ack()
            self._own_status(inbound.payload)
            return
        spoken = self._topics.read(inbound.topic)
        if spoken is not None and spoken.kind is TopicKind.PRESENCE:
            inbound.ack()
            self._on_presence(inbound)
            return
        self._on_request(inbound)
        room = self._settings.max_inbound - self.inbound.qsize()
        if room > (0 if inbound.qos else REQUESTS_IN_FLIGHT):
            self.inbound.put_nowait(inbound)
        else:
            self.dropped += 1

    def _own_status(self, payload: bytes) -> None:
        with contextlib.suppress(ValidationError):
            status = StatusMessage.model_validate_json(payload)
            if status.instance == self._instance:
                self._seen(self._requests, status.beat)
            elif status.status == "ONLINE":
                self.rival_seen_s = self._clock()

    def _take_stop(self, inbound: Inbound) -> None:
        if inbound.topic == self._probe_topic and inbound.payload.startswith(_PROBE):
            inbound.ack()
            self._own_probe(inbound.payload)
            return
        try:
            self._on_stop(inbound)
        finally:
            inbound.ack()

    def _own_probe(self, payload: bytes) -> None:
        """Only the agent's own login can write there; a probe of another instance proves nothing."""
        match payload.split(b" "):
            case [_, instance, beat] if instance == self._instance.encode() and beat.isdigit():
                self._seen(self._stops, int(beat))
            case _:
                self.dropped += 1

    def _seen(self, line: _Line, beat: int) -> None:
        if beat >= line.first_beat:
            line.seen_s = self._clock()
            line.proved.set()


_ORDER: Final = (
    LinkState.REFUSED,
    LinkState.OFFLINE,
    LinkState.CONNECTING,
    LinkState.PROVING,
    LinkState.ONLINE,
)
