"""The agent's side of the broker: two connections, kept up; what came in; what may go out.

One connection carries requests and presence (eight in flight, acknowledged by their taker once their row is
written), the other stops alone (acknowledged on arrival), because on a shared one a stop is not delivered while eight
requests wait for their rows. What has to come back to prove a line is `P/status` on the first and a probe on the
agent's own stop topic on the second.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, Literal

from pydantic import ValidationError

from edge_agent.adapters.mqtt.client import Connection
from edge_agent.adapters.mqtt.line import Line, LinkState
from edge_agent.adapters.mqtt.settings import MqttSettings
from edge_agent.adapters.mqtt.traffic import Clock, Inbound, LastWill, NotConnected, Published, Subscription
from edge_agent.messages.encode import encode
from edge_agent.messages.status import HEARTBEAT_S, StatusMessage
from edge_agent.messages.topics import TopicKind, Topics

REQUESTS_IN_FLIGHT: Final = 8
STOPS_IN_FLIGHT: Final = 100
FAREWELL_S: Final = 1.0
_PROBE: Final = b"PROBE "
_ORDER: Final = (
    LinkState.REFUSED,
    LinkState.OFFLINE,
    LinkState.CONNECTING,
    LinkState.PROVING,
    LinkState.ONLINE,
)


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
        self._requests = Line(
            "requests",
            settings,
            clock,
            subscriptions=self._request_filters(),
            in_flight=REQUESTS_IN_FLIGHT,
            take=self._take_request,
            say=self._say_status,
            changed=self._changed,
            will=self._will,
        )
        self._stops = Line(
            "stops",
            settings,
            clock,
            subscriptions=(self._filter(TopicKind.STOP),),
            in_flight=STOPS_IN_FLIGHT,
            take=self._take_stop,
            say=self._say_probe,
            changed=self._changed,
        )
        self._tasks: list[asyncio.Task[None]] = []
        self._told = LinkState.OFFLINE
        self._online = asyncio.Event()
        self.dropped = 0
        self.rival_seen_s: float | None = None
        """When another agent was last heard on this prefix; two of them must not share a cell."""

    async def start(self) -> None:
        """Begin to keep both connections up. Returns at once: without a broker the agent still runs."""
        self._tasks = [asyncio.create_task(line.keep(), name=f"mqtt-{line.name}") for line in self._lines]
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
        """False when the link believes something that is not so: a task of ours is dead, or a line is."""
        return not any(task.done() for task in self._tasks) and all(line.alive(now_s) for line in self._lines)

    @property
    def _lines(self) -> tuple[Line, Line]:
        return self._requests, self._stops

    def _filter(self, kind: TopicKind, *, kept: bool = False) -> Subscription:
        return Subscription(self._topics.filter(kind), kept)

    def _request_filters(self) -> tuple[Subscription, ...]:
        presence = self._filter(TopicKind.PRESENCE, kept=True)
        return self._filter(TopicKind.REQ), presence, self._filter(TopicKind.STATUS)

    def _changed(self) -> None:
        if self.state is not self._told:
            self._told = self.state
            (self._online.set if self.state is LinkState.ONLINE else self._online.clear)()
            self._on_state(self.state, self.reason)

    # Our own messages.

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            for line in self._lines:
                line.speak()

    def _say_status(self, connection: Connection, _beat: int) -> None:
        connection.publish(self._status_topic, self._status("ONLINE"), retain=True)

    def _say_probe(self, connection: Connection, beat: int) -> None:
        connection.publish(self._probe_topic, _PROBE + f"{self._instance} {beat}".encode(), qos=0)

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
                self._requests.came_back(status.beat)
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
                self._stops.came_back(int(beat))
            case _:
                self.dropped += 1
