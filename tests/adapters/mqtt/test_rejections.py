"""Every rejection that the bytes, the topic and the facts decide, through a real broker and back to the sender."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from edge_agent.adapters.mqtt.broker import Broker, running_broker
from edge_agent.messages.content import RejectionContent
from edge_agent.messages.event import parse_event
from edge_agent.messages.examples import REQUEST_EXAMPLES
from edge_agent.messages.parse import payload_key
from edge_agent.messages.rate import RateLimit
from edge_agent.messages.rejection import RejectionName
from edge_agent.messages.states import CellStateWord
from edge_agent.messages.topics import TopicKind, Topics
from edge_agent.messages.wire import utc_text
from tests.adapters.mqtt.peers import USERS, Peer, peer, until
from tests.adapters.mqtt.scripted import scripted_agent
from tests.messages.test_parse import HOSTILE

pytestmark = pytest.mark.net
N = RejectionName
K = TopicKind


def message(word: str = "ask", *, ago_s: float = 0.0, number: int = 0, **changes: Any) -> bytes:
    issued = utc_text(datetime.now(UTC) - timedelta(seconds=ago_s))
    own_id = f"01JQ3XK5T8M4N6P7R9S0VWX{number:03d}"
    return json.dumps(REQUEST_EXAMPLES[word] | {"issued_at": issued, "id": own_id} | changes).encode()


@dataclass(frozen=True)
class Refused:
    topic: str
    run: str
    content: RejectionContent


def rejections(user: Peer) -> list[Refused]:
    events = [(m.topic, parse_event(m.payload)) for m in user.received if "/run/" in m.topic]
    return [Refused(t, e.envelope.run, e.body) for t, e in events if isinstance(e.body, RejectionContent)]


async def refused(broker: Broker, user: Peer, payload: bytes, *, retain: bool = False) -> Refused:
    """The one rejection that follows `payload`."""
    before = len(rejections(user))
    assert await user.publish(Topics(broker.prefix).of(K.REQ, user="op1"), payload, retain=retain)
    await until(lambda: len(rejections(user)) > before, "a rejection")
    return rejections(user)[before]


def own(broker: Broker) -> str:
    return f"{broker.prefix}/op/op1/run/#"


async def test_h18_hostile_payloads_and_the_next_request(shared_broker: Broker) -> None:
    async with (
        scripted_agent(shared_broker, rate=RateLimit(200, 100.0)) as one,
        peer(shared_broker, "op1", own(shared_broker)) as user,
    ):
        for name, payload in HOSTILE.items():
            answer = await refused(shared_broker, user, payload)
            assert answer.content.reason == "malformed", name
            unreadable = answer.topic.endswith("/run/-")
            assert answer.run == (payload_key(payload) if unreadable else answer.topic.rsplit("/", 1)[1]), name
        large = await refused(shared_broker, user, b"x" * 9000)
        assert large.content.reason == "too_large"
        assert not one.requests
        await user.publish(Topics(shared_broker.prefix).of(K.REQ, user="op1"), message(number=1))
        await until(lambda: bool(one.requests), "the next request is answered")


@pytest.mark.parametrize(
    ("payload", "retain", "cell_state", "name"),
    [
        (message, True, "READY", N.RETAINED),
        (lambda: message(ago_s=6), False, "READY", N.EXPIRED),
        (lambda: message(ago_s=-60), False, "READY", N.CLOCK),
        (lambda: message(epoch=1741), False, "READY", N.STALE_EPOCH),
        (lambda: message("confirm", epoch=1741), False, "READY", N.STALE_EPOCH),
        (lambda: message("confirm", attached=None), False, "READY", N.NOT_LIVE),
        (lambda: message("confirm"), False, "LOCKED_OUT", N.LOCKED_OUT),
        (lambda: message("confirm"), False, "MANUAL", N.MODE),
        (lambda: message("confirm"), False, "EXECUTING", N.BUSY),
        (lambda: message("confirm"), True, "READY", N.RETAINED),
    ],
)
async def test_named(
    shared_broker: Broker, payload: Any, retain: bool, cell_state: CellStateWord, name: RejectionName
) -> None:
    async with (
        scripted_agent(shared_broker, cell_state=cell_state) as one,
        peer(shared_broker, "op1", own(shared_broker)) as user,
    ):
        answer = await refused(shared_broker, user, payload(), retain=retain)
        assert answer.content.reason == name.value
        assert not one.requests
        if retain:
            await user.publish(Topics(shared_broker.prefix).of(K.REQ, user="op1"), b"", retain=True)


async def test_h17_three_hundred_times_the_same_is_run_once(shared_broker: Broker) -> None:
    async with (
        scripted_agent(shared_broker, rate=RateLimit(2000, 100.0)) as one,
        peer(shared_broker, "op1", own(shared_broker)) as user,
    ):
        again = message(number=7)
        for _ in range(300):
            await user.publish(Topics(shared_broker.prefix).of(K.REQ, user="op1"), again)
        await until(lambda: len(rejections(user)) >= 299, "the duplicates' answers", within_s=30)
        assert {answer.content.reason for answer in rejections(user)} == {"duplicate"}
        assert len(one.requests) == 1


async def test_rate_is_a_users_own(shared_broker: Broker) -> None:
    async with (
        scripted_agent(shared_broker, rate=RateLimit(2, 0.001)) as one,
        peer(shared_broker, "op1", own(shared_broker)) as user,
        peer(shared_broker, "op2") as other,
    ):
        topics = Topics(shared_broker.prefix)
        for number in range(2):
            await user.publish(topics.of(K.REQ, user="op1"), message(number=number))
        answer = await refused(shared_broker, user, message(number=2))
        assert answer.content.reason == "rate_limited"
        await other.publish(topics.of(K.REQ, user="op2"), message(number=3))
        await until(lambda: len(one.requests) == 3, "the other user's")


@pytest.fixture
def broker_with_a_strange_login() -> Iterator[Broker]:
    USERS["Op.X"] = "word"
    try:
        with running_broker(USERS) as broker:
            yield broker
    finally:
        del USERS["Op.X"]


async def test_identity_of_a_login_out_of_form(broker_with_a_strange_login: Broker) -> None:
    broker = broker_with_a_strange_login
    async with scripted_agent(broker) as one, peer(broker, "Op.X", f"{broker.prefix}/op/Op.X/run/#") as user:
        await user.publish(f"{broker.prefix}/op/Op.X/req", message())
        await until(lambda: bool(rejections(user)), "the rejection")
        assert rejections(user)[0].content.reason == "identity"
        assert not one.requests
