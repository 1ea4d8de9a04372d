"""A bare MQTT client and a bare echo beside it: what a round trip over this broker costs at the least."""

from __future__ import annotations

import queue
import socket
from types import TracebackType

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.subscribeoptions import SubscribeOptions

WAIT_S = 10.0


class RawClient:
    """Connected when the block is entered; `inbox` holds (topic, payload) of what was subscribed."""

    def __init__(self, port: int, user: str, password: str, topics: tuple[str, ...], echo: str | None = None) -> None:
        self.inbox: queue.Queue[tuple[str, bytes]] = queue.Queue()
        self._port, self._topics, self._echo = port, topics, echo
        self._ready: queue.Queue[None] = queue.Queue()
        self._client = mqtt.Client(CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self._client.username_pw_set(user, password)
        self._client.on_connect = lambda client, *_: client.subscribe([(t, SubscribeOptions(qos=1)) for t in topics])
        self._client.on_subscribe = lambda *_: self._ready.put(None)
        self._client.on_message = self._on_message
        self._client.on_socket_open = _no_delay

    def __enter__(self) -> RawClient:
        self._client.connect("127.0.0.1", self._port)
        self._client.loop_start()
        self._ready.get(timeout=WAIT_S)
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._client.disconnect()
        self._client.loop_stop()

    def send(self, topic: str, payload: bytes) -> None:
        self._client.publish(topic, payload, qos=1)

    def take(self) -> tuple[str, bytes]:
        return self.inbox.get(timeout=WAIT_S)

    def _on_message(self, client: mqtt.Client, _userdata: object, message: mqtt.MQTTMessage) -> None:
        if self._echo is not None:
            client.publish(self._echo, message.payload, qos=1)
        else:
            self.inbox.put((message.topic, bytes(message.payload)))


def _no_delay(_client: mqtt.Client, _userdata: object, sock: object) -> None:
    """As the agent's own connections: QoS 1 waits for every small packet otherwise."""
    assert isinstance(sock, socket.socket)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
