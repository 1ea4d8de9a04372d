"""One MQTT 5 connection, used once: the only file that knows paho.

Rules
  * A new object for every connection, with a random client id that is published nowhere. No reconnect inside:
    an acknowledgement can only go out on the connection its message came from.
  * Clean start, session expiry 0: what the broker kept for an earlier life is not ours.
  * Callbacks run on paho's thread and do one thing: hand raw bytes to the loop. Whatever is raised there would end
    that thread while `is_connected()` stays true, so everything is caught and becomes a lost connection.
  * Nothing is published unless connected: paho would keep it and send it seconds later.
  * TCP_NODELAY: without it a QoS 1 round trip takes 86 ms instead of 0.9 (loopback, mosquitto 2.0.11).
"""

from __future__ import annotations

import asyncio
import secrets
import socket
import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, Final, Literal, ParamSpec

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from edge_agent.adapters.mqtt.settings import MqttSettings
from edge_agent.adapters.mqtt.tls import VerifyingContext, context_of
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

CLIENT_ID_BYTES: Final = 16
PACKET_OVERHEAD_BYTES: Final = 64
"""Header, packet id and the properties we set, correlation data (counted apart) left out."""
MAX_CORRELATION_BYTES: Final = 256
_REFUSED_CODES: Final = frozenset(
    {"Bad user name or password", "Not authorized", "Banned", "Bad authentication method"}
)
P = ParamSpec("P")


def _edge(callback: Callable[Concatenate[Connection, P], None]) -> Callable[Concatenate[Connection, P], None]:
    """A callback of the library's: whatever is raised in it loses the connection, and nothing else."""

    @wraps(callback)
    def guarded(connection: Connection, /, *arguments: P.args, **named: P.kwargs) -> None:
        try:
            callback(connection, *arguments, **named)
        except BaseException as error:  # noqa: BLE001 - the edge of a vendor's callback
            connection._hand_over(connection._fault, error)

    return guarded


class Connection:
    """Open it, subscribe, publish; `lost` is set once, with why. All methods are for the loop's thread."""

    def __init__(
        self,
        settings: MqttSettings,
        *,
        generation: int,
        receive_maximum: int,
        on_message: Callable[[Inbound], None],
        clock: Clock,
        will: LastWill | None = None,
    ) -> None:
        self._settings = settings
        self._generation = generation
        self._on_message = on_message
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._connected: asyncio.Future[Opened | NotOpened] = self._loop.create_future()
        self._granted: dict[int, asyncio.Future[bool]] = {}
        self._unacked: dict[int, asyncio.Future[bool]] = {}
        self._room = threading.BoundedSemaphore(settings.max_inbound)
        self._thread: threading.Thread | None = None
        self._open = False
        self.lost: asyncio.Future[str] = self._loop.create_future()
        self.last_traffic_s = clock()
        self.dropped = 0
        self._receive_maximum = receive_maximum
        self._max_packet_bytes = settings.max_packet_bytes
        self._tls: VerifyingContext | None = None
        self._client = self._build(will)

    async def open(self) -> Opened | NotOpened:
        """Connect and log in, each within the connect time-out."""
        properties = _properties(
            PacketTypes.CONNECT,
            SessionExpiryInterval=0,
            ReceiveMaximum=self._receive_maximum,
            MaximumPacketSize=self._settings.max_packet_bytes,
        )
        attempt = asyncio.ensure_future(asyncio.to_thread(self._connect, properties))
        try:
            await asyncio.shield(attempt)
        except asyncio.CancelledError:
            # A connection that nobody looks after would end with its last will.
            await asyncio.wait({attempt}, timeout=self._settings.connect_timeout_s)
            raise
        except (OSError, ValueError) as error:
            if self._tls is not None:
                self._tls.close_wrapped()
            return NotOpened(f"{self._settings.host}:{self._settings.port}: {error}")
        self._client.loop_start()
        try:
            async with asyncio.timeout(self._settings.connect_timeout_s):
                answer = await asyncio.shield(self._connected)
        except TimeoutError:
            return NotOpened("the broker took the connection and said nothing")
        self._open = isinstance(answer, Opened)
        return answer

    async def subscribe(self, subscriptions: tuple[Subscription, ...]) -> bool:
        """True when the broker granted every one within the time-out."""
        options = [(s.filter, _options(s)) for s in subscriptions]
        code, mid = self._client.subscribe(options)
        if code != MQTTErrorCode.MQTT_ERR_SUCCESS or mid is None:
            return False
        granted = self._granted.setdefault(mid, self._loop.create_future())
        try:
            async with asyncio.timeout(self._settings.connect_timeout_s):
                return await granted
        except TimeoutError:
            return False

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
        if not self._open or self.lost.done():
            return NotConnected("offline")
        size = len(payload) + len(topic.encode()) + len(correlation or b"") + PACKET_OVERHEAD_BYTES
        if size > self._max_packet_bytes:
            return NotConnected("too_large")
        if len(self._unacked) >= self._settings.max_outgoing:
            return NotConnected("queue_full")
        properties = _properties(PacketTypes.PUBLISH, MessageExpiryInterval=expiry_s, CorrelationData=correlation)
        info = self._client.publish(topic, payload, qos, retain, properties)
        if info.rc == MQTTErrorCode.MQTT_ERR_QUEUE_SIZE:
            return NotConnected("queue_full")
        if info.rc != MQTTErrorCode.MQTT_ERR_SUCCESS:
            return NotConnected("offline")
        acked: asyncio.Future[bool] = self._loop.create_future()
        self._unacked[info.mid] = acked
        return Published(acked)

    def thread_alive(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    async def close(self) -> None:
        """Say goodbye if possible (no last will then) and end the thread; at most the connect time-out."""
        self._lose("closed")
        self._client.disconnect()
        try:
            async with asyncio.timeout(self._settings.connect_timeout_s):
                await asyncio.to_thread(self._client.loop_stop)
        except TimeoutError:
            self.dropped += 1
        self._let_go()

    def _let_go(self) -> None:
        """Without the callbacks nothing points back here, and the client closes its sockets when it is dropped
        instead of whenever the garbage is collected."""
        client = self._client
        client.on_socket_open = client.on_connect = client.on_disconnect = None
        client.on_subscribe = client.on_publish = client.on_message = None

    def _connect(self, properties: Any) -> None:
        """Blocks; for a thread of its own."""
        if self._settings.tls is not None:
            self._tls = context_of(self._settings.tls)
            self._client.tls_set_context(self._tls)
        self._client.connect(
            self._settings.host,
            self._settings.port,
            self._settings.keepalive_s,
            clean_start=True,
            properties=properties,
        )

    def _build(self, will: LastWill | None) -> Client:
        client = Client(
            CallbackAPIVersion.VERSION2,
            client_id=secrets.token_hex(CLIENT_ID_BYTES),
            protocol=MQTTProtocolVersion.MQTTv5,
            reconnect_on_failure=False,
            manual_ack=True,
        )
        client.connect_timeout = self._settings.connect_timeout_s
        client.max_queued_messages_set(self._settings.max_outgoing)
        client.username_pw_set(self._settings.username, self._settings.password)
        if will is not None:
            client.will_set(will.topic, will.payload, qos=1, retain=True)
        client.on_socket_open = self._no_delay
        client.on_connect = self._connect_came
        client.on_disconnect = self._disconnect_came
        client.on_subscribe = self._suback_came
        client.on_publish = self._puback_came
        client.on_message = self._message_came
        return client

    # From here to the next rule: paho's thread. Nothing may be raised, nothing may be waited for.

    def _hand_over(self, work: Callable[..., None], *arguments: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(work, *arguments)
        except RuntimeError:
            self.dropped += 1  # the loop is closed: the process is ending

    @_edge
    def _no_delay(self, _client: Client, _userdata: Any, sock: Any) -> None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    @_edge
    def _connect_came(
        self, _client: Client, _userdata: Any, _flags: ConnectFlags, code: ReasonCode, properties: Properties | None
    ) -> None:
        self._thread = threading.current_thread()
        limit = getattr(properties, "MaximumPacketSize", self._settings.max_packet_bytes)
        self._hand_over(self._answered, str(code), code.is_failure, min(limit, self._settings.max_packet_bytes))

    @_edge
    def _disconnect_came(
        self, _client: Client, _userdata: Any, _flags: DisconnectFlags, code: ReasonCode, _props: Properties | None
    ) -> None:
        self._hand_over(self._lose, str(code))

    @_edge
    def _suback_came(
        self, _client: Client, _userdata: Any, mid: int, codes: list[ReasonCode], _props: Properties | None
    ) -> None:
        self._hand_over(self._subscribed, mid, not any(code.is_failure for code in codes))

    @_edge
    def _puback_came(
        self, _client: Client, _userdata: Any, mid: int, code: ReasonCode, _props: Properties | None
    ) -> None:
        self._hand_over(self._acked, mid, not code.is_failure)

    @_edge
    def _message_came(self, client: Client, _userdata: Any, message: MQTTMessage) -> None:
        # The receive maximum bounds QoS 1, which is never dropped here: it would not come again. QoS 0, which
        # promises nothing, has so much room and no more.
        if message.qos == 0 and not self._room.acquire(blocking=False):
            self.dropped += 1
            return
        self._hand_over(self._deliver, self._inbound(client, message))

    def _inbound(self, client: Client, message: MQTTMessage) -> Inbound:
        properties, mid, qos = message.properties, message.mid, message.qos
        return Inbound(
            topic=message.topic,
            payload=bytes(message.payload),
            retained=bool(message.retain),
            received_monotonic_s=self._clock(),
            message_expiry=getattr(properties, "MessageExpiryInterval", None),
            response_topic=getattr(properties, "ResponseTopic", None),
            correlation=_short(getattr(properties, "CorrelationData", None)),
            dup=bool(message.dup),
            qos=qos,
            connection_generation=self._generation,
            ack=lambda: self._ack(client, mid, qos),
        )

    # The loop's thread again.

    def _ack(self, client: Client, mid: int, qos: int) -> None:
        if self._open and not self.lost.done():
            client.ack(mid, qos)

    def _answered(self, code: str, failure: bool, max_packet_bytes: int) -> None:
        self.last_traffic_s = self._clock()
        self._max_packet_bytes = max_packet_bytes
        if not self._connected.done():
            answer = NotOpened(code, refused=code in _REFUSED_CODES) if failure else Opened(max_packet_bytes)
            self._connected.set_result(answer)

    def _subscribed(self, mid: int, granted: bool) -> None:
        self.last_traffic_s = self._clock()
        future = self._granted.setdefault(mid, self._loop.create_future())
        if not future.done():
            future.set_result(granted)

    def _acked(self, mid: int, taken: bool) -> None:
        self.last_traffic_s = self._clock()
        future = self._unacked.pop(mid, None)
        if future is not None and not future.done():
            future.set_result(taken)

    def _deliver(self, inbound: Inbound) -> None:
        if inbound.qos == 0:
            self._room.release()
        self.last_traffic_s = self._clock()
        if not self.lost.done():
            self._on_message(inbound)

    def _fault(self, error: BaseException) -> None:
        self._lose(f"callback: {type(error).__name__}: {error}")

    def _lose(self, reason: str) -> None:
        self._open = False
        if not self._connected.done():
            self._connected.set_result(NotOpened(reason))
        if not self.lost.done():
            self.lost.set_result(reason)
        for future in (*self._granted.values(), *self._unacked.values()):
            if not future.done():
                future.set_result(False)
        self._unacked.clear()


def _options(subscription: Subscription) -> SubscribeOptions:
    return SubscribeOptions(qos=1, retainAsPublished=True, retainHandling=0 if subscription.kept else 2)


def _properties(packet: int, **values: Any) -> Any:
    """Properties of a packet; a value of None is left out."""
    properties: Any = Properties(packet)  # type: ignore[no-untyped-call]
    for name, value in values.items():
        if value is not None:
            setattr(properties, name, value)
    return properties


def _short(correlation: bytes | None) -> bytes | None:
    return correlation if correlation is not None and len(correlation) <= MAX_CORRELATION_BYTES else None
