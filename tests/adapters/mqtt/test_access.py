"""The access list at a real broker: every login × every kind of topic, as own and as somebody else's."""

from __future__ import annotations

import pytest

from edge_agent.adapters.mqtt.broker import Broker
from edge_agent.messages.topics import TopicKind, Topics
from tests.adapters.mqtt.peers import agent, peer, until

pytestmark = pytest.mark.net

K = TopicKind
OWN_WRITES = {K.REQ, K.STOP, K.PRESENCE}
OWN_READS = {K.RUN, K.REPLY, K.LAST, K.PRESENCE}
ALL_READ = {K.STATUS, K.STATE_CELL, K.CAPABILITIES, K.ALARM}
AGENT_WRITES = {K.STATUS, K.STATE_CELL, K.CAPABILITIES, K.ALARM, K.RUN, K.REPLY, K.LAST, K.AUDIT}
AGENT_READS = {K.STATUS, K.REQ, K.STOP, K.PRESENCE}


def may_write(login: str, kind: TopicKind, owner: str) -> bool:
    if login == "agent":
        return kind in AGENT_WRITES or (kind in OWN_WRITES and owner == "agent")
    return kind in OWN_WRITES and owner == login


def may_read(login: str, kind: TopicKind, owner: str) -> bool:
    if kind in ALL_READ or (kind in OWN_READS and owner == login):
        return True
    return (login == "agent" and kind in AGENT_READS) or (login == "historian" and kind is K.AUDIT)


def topic_of(topics: Topics, kind: TopicKind, owner: str) -> str:
    return topics.of(kind, user=owner, run="r1", client="c1", alarm="a1")


@pytest.mark.parametrize("login", ["agent", "op1", "op2", "historian"])
async def test_who_may_write_where(shared_broker: Broker, login: str) -> None:
    topics = Topics(shared_broker.prefix)
    async with peer(shared_broker, login) as user:
        for kind in TopicKind:
            for owner in ("op1", "op2", "agent", "historian"):
                taken = await user.publish(topic_of(topics, kind, owner), b"x")
                assert taken == may_write(login, kind, owner), (login, kind, owner)
        for topic in ("$SYS/broker/uptime", "other/topic", f"{topics.prefix}/op/op1", f"{topics.prefix}/op/op1/req/x"):
            assert not await user.publish(topic, b"x"), topic


@pytest.mark.parametrize("login", ["op1", "op2", "historian"])
async def test_who_may_hear_what(shared_broker: Broker, login: str) -> None:
    """Everything is subscribed to (the broker grants it); only what may be read comes."""
    topics = Topics(shared_broker.prefix)
    async with peer(shared_broker, login, "#", "$SYS/#") as listener:
        async with peer(shared_broker, "agent") as speaker, peer(shared_broker, "op1") as other:
            for kind in TopicKind:
                by = speaker if kind in AGENT_WRITES else other
                await by.publish(topic_of(topics, kind, "op1"), b"heard")
            await speaker.publish(topics.of(K.STATUS), b"last")
        await until(lambda: b"last" in listener.payloads(topics.of(K.STATUS)), "the last word")
    heard = {kind for kind in TopicKind if listener.payloads(topic_of(topics, kind, "op1"))}
    assert heard == {kind for kind in TopicKind if may_read(login, kind, "op1")}
    assert not [m.topic for m in listener.received if m.topic.startswith("$SYS")]


async def test_client_ids_are_random_and_published_nowhere(own_broker: Broker) -> None:
    async with peer(own_broker, "op1", "#", "$SYS/#") as listener, agent(own_broker) as one:
        await one.online()
        await until(lambda: bool(listener.received), "the agent's status")
        ids = [line.split(" as ")[1].split(" ")[0] for line in own_broker.log.splitlines() if "u'agent'" in line]
        assert len(ids) == 2
        assert len(set(ids)) == 2
        assert all(len(client_id) == 32 for client_id in ids)
        said = b"".join(m.topic.encode() + m.payload for m in listener.received)
        assert not [client_id for client_id in ids if client_id.encode() in said]
