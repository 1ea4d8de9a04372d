"""A user's session: presence, requests, and the events of each run, over the same broker as everybody else.

A session is one connection with a random client id; nothing here can do what a hand-typed client could not. Sizes
are checked before sending: a broker disconnects who sends too much, and a client library would send it again for ever.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final, Literal, TypeAlias

from pydantic import ValidationError

from edge_agent.adapters.mqtt.client import Connection
from edge_agent.adapters.mqtt.settings import MqttSettings
from edge_agent.adapters.mqtt.traffic import (
    Clock,
    Inbound,
    LastWill,
    NotConnected,
    NotOpened,
    Opened,
    Published,
    Subscription,
)
from edge_agent.messages.codes import Lang
from edge_agent.messages.event import Event, NotAnEvent, parse_event
from edge_agent.messages.parse import payload_key
from edge_agent.messages.request import DEFAULT_TTL_MS
from edge_agent.messages.status import StatusMessage
from edge_agent.messages.topics import PRESENCE_EXPIRY_S, PRESENCE_HERE, PRESENCE_RENEW_S, TopicKind, Topics
from edge_agent.messages.wire import MAX_REQUEST_BYTES, utc_text
from edge_agent.run.ids import ulid

IN_FLIGHT: Final = 100
MAX_RUNS: Final = 32
MAX_EVENTS_A_RUN: Final = 512
STATUS_STALE_S: Final = 6.0
"""Three heartbeats of the agent: it is gone, or its broker connection is."""
SILENCE_S: Final = 60.0
"""No event of a run for this long: more than any deadline of a run."""

RequestWord: TypeAlias = Literal[
    "ask", "reply", "confirm", "cancel", "ack_alarm", "resync", "explain", "lab", "history", "release_stop"
]


@dataclass(frozen=True, slots=True)
class Sent:
    """On its way, taken by the broker. `run` names the stream of its answer."""

    run: str


@dataclass(frozen=True, slots=True)
class Unsent:
    """Nothing left this machine, the broker refused it, or (`unacked`) nobody knows whether it took it."""

    reason: Literal["too_large", "offline", "refused", "unacked"]


@dataclass(frozen=True, slots=True)
class Broken:
    """The stream ended without its last event. The run itself may go on; the agent's journal knows."""

    reason: Literal["connection_lost", "agent_gone", "silent"]


@dataclass(slots=True)
class _Stream:
    events: asyncio.Queue[Event] = field(default_factory=lambda: asyncio.Queue(MAX_EVENTS_A_RUN))
    next_seq: int = 0


class Session:
    """`async with Session(settings) as session:` after `open` said Opened."""

    def __init__(
        self,
        settings: MqttSettings,
        *,
        clock: Clock = time.monotonic,
        wall: Callable[[], datetime] = lambda: datetime.now(UTC),
        on_status: Callable[[StatusMessage], None] = lambda _status: None,
        on_event: Callable[[Event], None] = lambda _event: None,
        on_other: Callable[[Inbound], None] = lambda _inbound: None,
        also: tuple[TopicKind, ...] = (),
        kind: str = "say",
    ) -> None:
        """`also`: further topics to hear (cell state, alarms, `last`), given to `on_other`. `on_event` hears the
        events of every run of this user, those begun elsewhere too, and perhaps twice. `kind` begins the client's
        name."""
        self._settings, self._clock, self._wall = settings, clock, wall
        self._on_status, self._on_event, self._on_other, self._also = on_status, on_event, on_other, also
        self._topics = Topics(settings.prefix)
        self.client = f"{kind}-{secrets.token_hex(8)}"
        self._streams: dict[str, _Stream] = {}
        self._connection: Connection | None = None
        self._renewing: asyncio.Task[None] | None = None
        self._status_came = asyncio.Event()
        self._status_s = 0.0
        self.status: StatusMessage | None = None

    @property
    def user(self) -> str:
        return self._settings.username

    @property
    def epoch(self) -> int | None:
        """The agent's present life; None until its status was heard."""
        return self.status.epoch if self.status is not None else None

    @property
    def connected(self) -> bool:
        return self._connection is not None and not self._connection.lost.done()

    async def lost(self) -> str:
        """Waits for the end of the connection; says why. After `open` said Opened."""
        assert self._connection is not None, "opened before it can be lost"
        return await asyncio.shield(self._connection.lost)

    async def open(self) -> Opened | NotOpened:
        """Log in, listen, and be there. Once."""
        self._connection = connection = Connection(
            self._settings,
            generation=1,
            receive_maximum=IN_FLIGHT,
            on_message=self._take,
            clock=self._clock,
            will=LastWill(self._presence_topic, b""),
        )
        answer = await connection.open()
        if isinstance(answer, Opened) and not await connection.subscribe(self._filters()):
            answer = NotOpened("the broker did not grant the subscriptions")
        if isinstance(answer, Opened):
            self._be_here()
            self._renewing = asyncio.create_task(self._renew(), name="presence")
        return answer

    async def close(self) -> None:
        """Leave: presence is taken back first."""
        if self._renewing is not None:
            self._renewing.cancel()
            await asyncio.wait({self._renewing}, timeout=1.0)
        if self._connection is not None:
            gone = self._connection.publish(self._presence_topic, b"", retain=True)
            if isinstance(gone, Published):
                await asyncio.wait({gone.acked}, timeout=1.0)
            await self._connection.close()

    async def __aenter__(self) -> Session:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.close()

    async def agent_there(self, timeout_s: float) -> bool:
        """True when the agent says ONLINE within `timeout_s`."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while self.status is None or self.status.status != "ONLINE":
                    self._status_came.clear()
                    await self._status_came.wait()
        return self.status is not None and self.status.status == "ONLINE"

    async def ask(self, text: str, lang: Lang | None = None) -> Sent | Unsent:
        return await self.request("ask", {"text": text, "lang": lang})

    async def reply(self, prompt_id: str, text: str) -> Sent | Unsent:
        return await self.request("reply", {"prompt_id": prompt_id, "text": text})

    async def confirm(self, prompt_id: str, digest: str, *, yes: bool) -> Sent | Unsent:
        return await self.request("confirm", {"prompt_id": prompt_id, "digest": digest, "confirm": yes})

    async def cancel(self, run: str | None = None) -> Sent | Unsent:
        return await self.request("cancel", {"run": run})

    async def stop(self) -> Sent | Unsent:
        """A stop request, on its own topic, ahead of everything."""
        return await self._send(TopicKind.STOP, {"type": "stop"})

    async def request(self, word: RequestWord, fields: dict[str, Any], ttl_ms: int = DEFAULT_TTL_MS) -> Sent | Unsent:
        """Any request; `fields` that are None are left out."""
        return await self._send(TopicKind.REQ, {"type": word, "ttl_ms": ttl_ms, "epoch": self.epoch, **fields})

    async def events(self, run: str, silence_s: float = SILENCE_S) -> AsyncIterator[Event | Broken]:
        """The events of one run as they come, in order, each once, up to `done`; or Broken, last."""
        stream = self._streams.setdefault(run, _Stream())
        while True:
            event = await self._next(stream, silence_s)
            yield event
            if isinstance(event, Broken) or event.body.type == "done":
                self._streams.pop(run, None)
                return

    async def _next(self, stream: _Stream, silence_s: float) -> Event | Broken:
        deadline_s = self._clock() + silence_s
        while stream.events.empty():
            if not self.connected:
                return Broken("connection_lost")
            if self._agent_gone():
                return Broken("agent_gone")
            if self._clock() >= deadline_s:
                return Broken("silent")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.5):
                    return await stream.events.get()
        return stream.events.get_nowait()

    def _agent_gone(self) -> bool:
        if self.status is None:
            return False
        return self.status.status != "ONLINE" or self._clock() - self._status_s > STATUS_STALE_S

    async def _send(self, kind: TopicKind, fields: dict[str, Any]) -> Sent | Unsent:
        now = self._wall()
        run = ulid(int(now.timestamp() * 1000), secrets.token_bytes(10))
        message = {"v": 1, "id": run, "issued_at": utc_text(now), "attached": self.client, **fields}
        payload = json.dumps({k: v for k, v in message.items() if v is not None}, ensure_ascii=False).encode(
            "utf-8", "replace"
        )
        return await self.send_raw(kind, payload, run)

    async def send_raw(self, kind: TopicKind, payload: bytes, run: str | None = None) -> Sent | Unsent:
        """Bytes as they are, to see what the agent says to them; the size is checked all the same."""
        if len(payload) > MAX_REQUEST_BYTES:
            return Unsent("too_large")
        if self._connection is None:
            return Unsent("offline")
        name = run if run is not None else payload_key(payload)
        self._listen_for(name)
        said = self._connection.publish(self._topics.of(kind, user=self.user), payload)
        if isinstance(said, NotConnected):
            return Unsent("too_large" if said.reason == "too_large" else "offline")
        await asyncio.wait({said.acked}, timeout=self._settings.connect_timeout_s)
        if not said.acked.done():
            return Unsent("unacked")
        return Sent(name) if said.acked.result() else Unsent("refused")

    def _listen_for(self, run: str) -> None:
        self._streams[run] = _Stream()
        while len(self._streams) > MAX_RUNS:
            del self._streams[next(iter(self._streams))]

    @property
    def _presence_topic(self) -> str:
        return self._topics.of(TopicKind.PRESENCE, user=self.user, client=self.client)

    def _filters(self) -> tuple[Subscription, ...]:
        own = Subscription(self._topics.user_filter(TopicKind.RUN, self.user))
        status = Subscription(self._topics.of(TopicKind.STATUS), kept=True)
        return own, status, *(Subscription(self._topics.user_filter(k, self.user), kept=True) for k in self._also)

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(PRESENCE_RENEW_S)
            self._be_here()

    def _be_here(self) -> None:
        if self._connection is not None:
            self._connection.publish(self._presence_topic, PRESENCE_HERE, retain=True, expiry_s=PRESENCE_EXPIRY_S)

    def _take(self, inbound: Inbound) -> None:
        inbound.ack()
        if inbound.topic == self._topics.of(TopicKind.STATUS):
            self._take_status(inbound.payload)
        elif inbound.topic.startswith(f"{self._settings.prefix}/op/{self.user}/run/"):
            self._take_event(inbound.payload)
        else:
            self._on_other(inbound)

    def _take_status(self, payload: bytes) -> None:
        with contextlib.suppress(ValidationError):
            self.status = StatusMessage.model_validate_json(payload)
            self._status_s = self._clock()
            self._status_came.set()
            self._on_status(self.status)

    def _take_event(self, payload: bytes) -> None:
        """An event that was sent again after a reconnect is seen once; one that is out of form is left aside."""
        with contextlib.suppress(NotAnEvent, asyncio.QueueFull):
            event = parse_event(payload)
            self._on_event(event)
            stream = self._streams.get(event.envelope.run)
            if stream is not None and event.envelope.seq >= stream.next_seq:
                stream.next_seq = event.envelope.seq + 1
                stream.events.put_nowait(event)
