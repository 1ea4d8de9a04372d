"""Messages of the broker on their way to the agent: what is heard on arrival, and what when a request has its turn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from edge_agent.adapters.mqtt.traffic import Inbound
from edge_agent.app.broker_ears import BrokerEars
from edge_agent.desk.arrival import Arrival, ReplyTo
from edge_agent.messages.request import StopRequest
from edge_agent.messages.topics import PRESENCE_EXPIRY_S, PRESENCE_HERE, TopicKind, Topics
from edge_agent.run.journal import JournalFault

TOPICS = Topics("edge-agent/v1/cell01")
REQ, STOP = TOPICS.of(TopicKind.REQ, user="op1"), TOPICS.of(TopicKind.STOP, user="op1")
PRESENCE = TOPICS.of(TopicKind.PRESENCE, user="op1", client="pad")
WAITING = 16


@dataclass
class Agent:
    """Notes what it is given. Every payload with `stop` in it holds a stop word."""

    full: bool = False
    taken: list[Arrival] = field(default_factory=list)
    stops: list[tuple[str, StopRequest | None, ReplyTo]] = field(default_factory=list)
    presences: list[tuple[Any, ...]] = field(default_factory=list)

    @property
    def intake(self) -> Agent:
        return self

    def stop_word(self, arrival: Arrival) -> bool:
        return b"stop" in arrival.payload

    async def receive(self, arrival: Arrival) -> None:
        if self.full:
            raise JournalFault("disk full")
        self.taken.append(arrival)

    def stop(self, user: str, request: StopRequest | None, reply_to: ReplyTo) -> None:
        self.stops.append((user, request, reply_to))

    def here(self, user: str, client: str, expiry_s: float) -> None:
        self.presences.append((user, client, expiry_s))

    def left(self, user: str, client: str) -> None:
        self.presences.append((user, client))


def ears(agent: Agent) -> BrokerEars:
    return BrokerEars(TOPICS, cast(Any, agent), WAITING)


def message(topic: str, payload: bytes, expiry: int | None = None) -> Inbound:
    return Inbound(topic, payload, False, 0.0, expiry, "answers/here", b"c-7", False, 1, 1, lambda: None)


async def test_as_many_stop_words_as_can_wait_are_each_heard_once() -> None:
    agent = Agent()
    heard = ears(agent)
    waiting = [message(REQ, b"stop") for _ in range(WAITING)]
    for each in waiting:
        heard.request(each)
    for each in waiting:
        await heard.take(each)
    assert [arrival.stop_served for arrival in agent.taken] == [True] * WAITING
    await heard.take(waiting[0])
    assert agent.taken[-1].stop_served is False


async def test_requests_that_found_no_room_push_out_none_that_did() -> None:
    agent = Agent()
    heard = ears(agent)
    waiting = [message(REQ, b"stop") for _ in range(WAITING)]
    for each in (*waiting, *(message(REQ, b"stop") for _ in range(WAITING))):
        heard.request(each)
    for each in waiting:
        await heard.take(each)
    assert all(arrival.stop_served for arrival in agent.taken)


async def test_what_is_remembered_of_requests_that_never_have_their_turn_is_bounded() -> None:
    heard = ears(Agent())
    for _ in range(10 * WAITING):
        heard.request(message(REQ, b"stop"))
    assert len(heard._served) == 2 * WAITING


async def test_a_request_is_handed_on_with_its_sender_and_where_the_answer_goes() -> None:
    agent = Agent()
    heard = ears(agent)
    inbound = message(REQ, b"{}")
    heard.request(inbound)
    await heard.take(inbound)
    [arrival] = agent.taken
    assert (arrival.user, arrival.channel, arrival.payload, arrival.stop_served) == ("op1", "mqtt", b"{}", False)
    assert (arrival.reply_to, arrival.ack) == (ReplyTo("answers/here", b"c-7"), inbound.ack)


async def test_a_request_that_cannot_be_stored_ends_nothing() -> None:
    agent = Agent(full=True)
    await ears(agent).take(message(REQ, b"{}"))
    agent.full = False
    await ears(agent).take(message(REQ, b"{}"))
    assert len(agent.taken) == 1


@pytest.mark.parametrize("payload", [b"now", b"{", b"\xff", b'{"v": 1, "type": "stop", "nonsense": true}'])
def test_a_stop_of_any_form_is_a_stop(payload: bytes) -> None:
    agent = Agent()
    ears(agent).stop(message(STOP, payload))
    assert agent.stops == [("op1", None, ReplyTo("answers/here", b"c-7"))]


def test_clearing_the_stop_topic_is_no_stop() -> None:
    agent = Agent()
    ears(agent).stop(message(STOP, b""))
    assert agent.stops == []


def test_who_comes_and_who_goes() -> None:
    agent = Agent()
    heard = ears(agent)
    for payload, expiry in ((PRESENCE_HERE, 9), (PRESENCE_HERE, None), (b"", None)):
        heard.presence(message(PRESENCE, payload, expiry))
    assert agent.presences == [("op1", "pad", 9.0), ("op1", "pad", float(PRESENCE_EXPIRY_S)), ("op1", "pad")]
