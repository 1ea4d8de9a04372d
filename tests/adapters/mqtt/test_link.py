"""The agent's two connections at a real broker. Rows H17 to H22 of the hazards as far as they concern the link."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import time
from typing import Any

import pytest

from edge_agent.adapters.mqtt.broker import Broker
from edge_agent.adapters.mqtt.client import Connection
from edge_agent.adapters.mqtt.line import STALE_S, LinkState
from edge_agent.adapters.mqtt.link import REQUESTS_IN_FLIGHT
from edge_agent.adapters.mqtt.traffic import NotConnected, Published
from edge_agent.messages.parse import parse_request
from edge_agent.messages.rejection import Rejection, RejectionName
from edge_agent.messages.topics import TopicKind, Topics
from tests.adapters.mqtt.peers import Agent, agent, peer, until

pytestmark = pytest.mark.net
K = TopicKind


def connection_of(one: Agent, line: str) -> Connection:
    connection = getattr(one.link, f"_{line}").connection
    assert isinstance(connection, Connection)
    return connection


def socket_of(connection: Connection) -> Any:
    return connection._client.socket()


async def test_online_after_its_own_messages_came_back(shared_broker: Broker) -> None:
    topics = Topics(shared_broker.prefix)
    async with agent(shared_broker) as one:
        await one.online()
        assert one.link.alive(time.monotonic())
        seen = [state for state, _ in one.states]
        assert seen.index(LinkState.PROVING) < seen.index(LinkState.ONLINE)
        async with peer(shared_broker, "op1", topics.of(K.STATUS)) as user:
            await until(lambda: bool(user.received), "the retained status")
            status = json.loads(user.received[0].payload)
            assert (status["status"], status["epoch"]) == ("ONLINE", 1742)
            assert not one.stops
    async with peer(shared_broker, "op1", topics.of(K.STATUS)) as user:
        await until(lambda: bool(user.received), "the farewell")
        assert json.loads(user.received[-1].payload)["status"] == "OFFLINE"


async def test_no_delay_on_both_connections(shared_broker: Broker) -> None:
    async with agent(shared_broker) as one:
        await one.online()
        for line in ("requests", "stops"):
            assert socket_of(connection_of(one, line)).getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_a_stop_comes_while_eight_requests_wait_for_their_rows(shared_broker: Broker) -> None:
    topics = Topics(shared_broker.prefix)
    async with agent(shared_broker) as one, peer(shared_broker, "op1") as user:
        await one.online()
        for number in range(REQUESTS_IN_FLIGHT + 4):
            await user.publish(topics.of(K.REQ, user="op1"), b"%d" % number)
        waiting = [await one.request() for _ in range(REQUESTS_IN_FLIGHT)]
        await user.publish(topics.of(K.STOP, user="op1"), b"STOP")
        await until(lambda: bool(one.stops), "the stop")
        assert one.link.inbound.empty(), "the receive maximum holds the rest back"
        for inbound in waiting:
            inbound.ack()
        rest = [await one.request() for _ in range(4)]
        assert [m.payload for m in waiting + rest] == [b"%d" % n for n in range(REQUESTS_IN_FLIGHT + 4)]
        for inbound in rest:
            inbound.ack()


async def test_a_hundred_stops_are_acknowledged_on_arrival(shared_broker: Broker) -> None:
    topics = Topics(shared_broker.prefix)
    async with agent(shared_broker) as one, peer(shared_broker, "op1") as user:
        await one.online()
        for number in range(120):
            await user.publish(topics.of(K.STOP, user="op1"), b"%d" % number)
        await until(lambda: len(one.stops) == 120, "all stops")
        assert [m.payload for m in one.stops] == [b"%d" % number for number in range(120)]
        assert one.link.state is LinkState.ONLINE


async def test_a_user_can_not_speak_as_the_probe(shared_broker: Broker) -> None:
    topics = Topics(shared_broker.prefix)
    async with agent(shared_broker) as one, peer(shared_broker, "op1") as user:
        await one.online()
        seen: list[int] = []
        one.link._stops.came_back = seen.append  # type: ignore[assignment, method-assign]
        await user.publish(topics.of(K.STOP, user="op1"), b"PROBE " + one.link._instance.encode() + b" 99")
        await until(lambda: bool(one.stops), "a stop is a stop, whatever stands in it")
        assert 99 not in seen, "taken for the agent's own"


async def test_h19_what_was_retained_before_the_start_is_never_delivered(own_broker: Broker) -> None:
    topics = Topics(own_broker.prefix)
    async with peer(own_broker, "op1") as user:
        await user.publish(topics.of(K.REQ, user="op1"), b"old", retain=True)
        await user.publish(topics.of(K.STOP, user="op1"), b"old", retain=True)
        await user.publish(topics.of(K.PRESENCE, user="op1", client="c1"), b"HERE", retain=True)
        async with agent(own_broker) as one:
            await one.online()
            await until(lambda: bool(one.presences), "presence is the exception")
            await user.publish(topics.of(K.REQ, user="op1"), b"new", retain=True)
            new = await one.request()
            assert (new.payload, new.retained) == (b"new", True)
            assert not one.stops


async def test_h18_above_the_brokers_maximum_the_agent_notices_nothing(own_broker: Broker) -> None:
    topics = Topics(own_broker.prefix)
    async with agent(own_broker) as one, peer(own_broker, "op1") as user, peer(own_broker, "op2") as other:
        await one.online()
        said = user.connection.publish(topics.of(K.REQ, user="op1"), b"x" * 1_000_000)
        assert said == NotConnected("too_large"), "our own client checks before it sends"
        user.connection._client.publish(topics.of(K.REQ, user="op1"), b"x" * 1_000_000, 1)
        await until(user.connection.lost.done, "the broker's refusal of the sender")
        await other.publish(topics.of(K.REQ, user="op2"), b"x" * 9000)
        large = await one.request()
        answer = parse_request(large.payload, "op2")
        assert isinstance(answer, Rejection)
        assert answer.name is RejectionName.TOO_LARGE
        large.ack()
        await other.publish(topics.of(K.REQ, user="op2"), b"next")
        assert (await one.request()).payload == b"next"
        assert one.link.state is LinkState.ONLINE


async def test_bad_password_is_refused_and_not_hammered(shared_broker: Broker) -> None:
    async with agent(shared_broker, password="wrong") as one:
        await until(lambda: one.link.state is LinkState.REFUSED, "the refusal")
        before = shared_broker.log.count("u'agent'")
        await asyncio.sleep(0.3)  # six times the shortest pause
        assert shared_broker.log.count("u'agent'") == before
        assert one.link.alive(time.monotonic())
        assert isinstance(one.link.publish("x", b""), NotConnected)


async def test_a_granted_subscription_that_the_access_list_forbids_is_not_online(shared_broker: Broker) -> None:
    async with agent(shared_broker, prefix="edge-agent/v1/other", prove_timeout_s=0.3) as one:
        await until(lambda: any("did not come back" in reason for _, reason in one.states), "the proof's time-out")
        assert LinkState.ONLINE not in [state for state, _ in one.states]


async def test_no_broker(own_broker: Broker) -> None:
    own_broker.stop()
    async with agent(own_broker) as one:
        assert not await one.link.wait_online(0.2)
        assert one.link.alive(time.monotonic())
        assert one.link.publish("x", b"") == NotConnected("offline")
        own_broker.start()
        await one.online()


async def test_h20_broker_killed_and_back(own_broker: Broker) -> None:
    topics = Topics(own_broker.prefix)
    async with agent(own_broker) as one:
        await one.online()
        async with peer(own_broker, "op1") as user:
            await user.publish(topics.of(K.REQ, user="op1"), b"before")
            before = await one.request()
        said = one.link.publish(topics.of(K.RUN, user="op1", run="r"), b"event")
        assert isinstance(said, Published)
        own_broker.kill()
        await until(lambda: one.link.state is not LinkState.ONLINE, "the loss")
        assert await asyncio.wait_for(said.acked, 5) in (True, False)
        assert one.link.publish("x", b"") == NotConnected("offline")
        own_broker.start()
        await one.online()
        before.ack()  # of a connection that is gone: silent
        async with peer(own_broker, "op1") as user:
            await user.publish(topics.of(K.REQ, user="op1"), b"after")
            after = await one.request()
            assert after.payload == b"after"
            assert after.connection_generation > before.connection_generation
        assert one.link.state is LinkState.ONLINE


async def test_h20_socket_cut_twenty_times(own_broker: Broker) -> None:
    topics = Topics(own_broker.prefix)
    async with agent(own_broker) as one, peer(own_broker, "op1") as user:
        for number in range(20):
            await one.online()
            await user.publish(topics.of(K.REQ, user="op1"), b"%d" % number)
            inbound = await one.request()
            assert inbound.payload == b"%d" % number
            inbound.ack()
            cut = connection_of(one, "requests")
            socket_of(cut).shutdown(socket.SHUT_RDWR)
            await until(lambda one=one, cut=cut: one.link._requests.connection is not cut, "the new connection")  # type: ignore[misc]


async def test_last_will_when_the_connection_breaks(own_broker: Broker) -> None:
    topics = Topics(own_broker.prefix)
    async with peer(own_broker, "op1", topics.of(K.STATUS)) as user, agent(own_broker) as one:
        await one.online()
        socket_of(connection_of(one, "requests")).shutdown(socket.SHUT_RDWR)

        def said() -> list[str]:
            return [json.loads(p)["status"] for p in user.payloads(topics.of(K.STATUS))]

        await until(lambda: "CONNECTION_BROKEN" in said(), "the last will")
        await until(lambda: said()[-1] == "ONLINE", "the agent again")
        broke = said().index("CONNECTION_BROKEN")
        assert set(said()[:broke]) == {"ONLINE"}, "no will before the break"


async def test_frozen_broker_is_noticed(own_broker: Broker) -> None:
    assert own_broker.pid is not None
    async with agent(own_broker, keepalive_s=1, connect_timeout_s=1.0) as one:
        await one.online()
        os.kill(own_broker.pid, signal.SIGSTOP)
        try:
            await until(lambda: one.link.state is not LinkState.ONLINE, "the silence", within_s=15)
        finally:
            os.kill(own_broker.pid, signal.SIGCONT)
        assert await one.link.wait_online(15), one.link.reason


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # that is the fault put in
async def test_h21_dead_network_thread_is_seen_though_publish_says_ok(own_broker: Broker) -> None:
    topics = Topics(own_broker.prefix)
    async with agent(own_broker) as one:
        await one.online()
        connection = connection_of(one, "requests")
        thread = connection._thread
        assert thread is not None

        def die(_timeout: float) -> None:
            raise SystemExit

        connection._client._loop = die  # type: ignore[assignment, method-assign]
        await until(lambda: not thread.is_alive(), "the thread's death")
        said = one.link.publish(topics.of(K.AUDIT), b"x")
        assert isinstance(said, Published) or not one.link.alive(time.monotonic()), "paho says ok, or we know better"
        await until(lambda: not one.link.alive(time.monotonic()), "not alive")
        await until(lambda: one.link.state is not LinkState.ONLINE, "not online")
        await one.online()
        assert not one.link.alive(time.monotonic()), "said once and for all: the process is to be restarted"


async def test_an_error_in_a_callback_loses_the_connection_and_not_the_thread(
    own_broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    topics = Topics(own_broker.prefix)
    async with agent(own_broker) as one, peer(own_broker, "op1") as user:
        await one.online()
        original = Connection._inbound

        def broken(self: Connection, client: Any, message: Any) -> Any:
            if message.payload == b"bad":
                raise SystemExit
            return original(self, client, message)

        monkeypatch.setattr(Connection, "_inbound", broken)
        await user.publish(topics.of(K.REQ, user="op1"), b"bad")
        await until(lambda: any("callback: SystemExit" in reason for _, reason in one.states), "the loss")
        await one.online()
        assert one.link.alive(time.monotonic())
        await user.publish(topics.of(K.REQ, user="op1"), b"good")
        assert (await one.request()).payload == b"good"


async def test_silence_of_its_own_messages_is_not_alive(shared_broker: Broker) -> None:
    async with agent(shared_broker, keepalive_s=60) as one:  # so that other traffic would be fresh enough
        await one.online()
        now_s = time.monotonic()
        assert one.link.alive(now_s)
        assert not one.link.alive(now_s + STALE_S + 3)


async def test_a_rival_on_the_same_cell_is_heard(own_broker: Broker) -> None:
    async with agent(own_broker) as one, agent(own_broker) as two:
        await one.online()
        await two.online()
        await until(lambda: one.link.rival_seen_s is not None, "the other agent")
        assert not one.stops


async def test_qos0_flood_leaves_room_for_requests(own_broker: Broker) -> None:
    topics = Topics(own_broker.prefix)
    async with agent(own_broker) as one, peer(own_broker, "op1") as user:
        await one.online()
        for _ in range(3000):
            user.connection._client.publish(topics.of(K.REQ, user="op1"), b"flood", 0)
        user.connection._client.publish(topics.of(K.REQ, user="op1"), b"real", 1)
        time.sleep(1.0)  # noqa: ASYNC251 - the loop is busy while all of it comes in
        await until(lambda: one.link.inbound.qsize() > 0, "the flood")
        got = []
        while (inbound := await one.request()).payload != b"real":
            got.append(inbound)
        assert len(got) <= 3000
        assert one.link.state is LinkState.ONLINE


async def test_properties_come_along(shared_broker: Broker) -> None:
    topics = Topics(shared_broker.prefix)
    reply = f"{shared_broker.prefix}/op/op1/reply/mine"
    async with agent(shared_broker) as one, peer(shared_broker, "op1", reply) as user:
        await one.online()
        said = one.link.publish(reply, b"event", correlation=b"c-1", expiry_s=60)
        assert isinstance(said, Published)
        await until(lambda: bool(user.received), "the answer")
        assert user.received[0].correlation == b"c-1"
        assert user.received[0].message_expiry == 60
        assert not await user.publish(topics.of(K.STATUS), b"forged")


async def test_an_event_the_broker_refuses_is_told(shared_broker: Broker) -> None:
    async with agent(shared_broker) as one:
        await one.online()
        said = one.link.publish("not/ours", b"x")
        assert isinstance(said, Published)
        assert await asyncio.wait_for(said.acked, 5) is False
