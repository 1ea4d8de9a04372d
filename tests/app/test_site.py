"""The wiring of a site's agent at a real broker: what it tells of itself unasked, and beside its answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from edge_agent.adapters.clock import SystemClock
from edge_agent.adapters.journal.making import create
from edge_agent.adapters.journal.store import SqliteJournal
from edge_agent.adapters.mqtt.broker import Broker, running_broker
from edge_agent.adapters.mqtt.traffic import Published
from edge_agent.app.running import Running
from edge_agent.app.site import Options, site
from edge_agent.desk.stream import Address, Stream
from edge_agent.health import LOOK_EVERY_S
from edge_agent.messages.topics import TopicKind, Topics
from edge_agent.messages.wire import utc_text
from edge_agent.run.ids import RunId
from edge_agent.settings import Journal, Model, Mqtt, Settings
from tests.adapters.mqtt.peers import USERS, WITHIN_S, Peer, peer, until
from tests.desk.test_stream import Heard, done, failure, metadata

pytestmark = pytest.mark.net

ID = "01M8P4K5FJFYX602N84P8GV11H"


@pytest.fixture
def broker() -> Iterator[Broker]:
    with running_broker(USERS) as one:
        yield one


@asynccontextmanager
async def living(broker: Broker, folder: Path) -> AsyncIterator[Running]:
    if not (folder / "state").exists():
        create(folder / "state", SystemClock().wall_ms())
    password = folder / "password"
    password.write_text(USERS["agent"])
    settings = Settings(
        lang="en",
        journal=Journal(folder=folder / "state"),
        mqtt=Mqtt(port=broker.port, password_file=password),
        model=Model(enabled=False),
        users={"op1": "operator"},
    )
    stopping = asyncio.Event()
    async with site(settings, Options()) as running:
        life = asyncio.create_task(running.until(stopping))
        assert await running.link.wait_online(WITHIN_S), running.link.reason
        yield running
        stopping.set()
        await life


def newest(user: Peer, topic: str) -> dict[str, Any]:
    payloads = user.payloads(topic)
    return json.loads(payloads[-1]) if payloads else {}


async def test_the_arm_that_was_identified_is_told_with_its_receipt_level(broker: Broker, tmp_path: Path) -> None:
    topic = Topics(broker.prefix).of(TopicKind.CAPABILITIES)
    async with living(broker, tmp_path), peer(broker, "op1", topic) as user:
        await until(lambda: newest(user, topic).get("devices", [{}])[0].get("receipt_level") == 3, "level 3")
        assert [device["receipt_level"] for device in newest(user, topic)["devices"]] == [3]


async def test_a_lockout_is_told_in_words(broker: Broker, tmp_path: Path) -> None:
    topic = Topics(broker.prefix).of(TopicKind.STATE_CELL)
    async with living(broker, tmp_path) as running, peer(broker, "op1", topic) as user:
        running.agent.supervisor.lock_out("receipt_missing")
        await until(lambda: newest(user, topic).get("state") == "LOCKED_OUT", "the lockout")
        told = newest(user, topic)
        assert (told["lockout_reason"], told["lockout_text"]) == ("receipt_missing", "no receipt came")


async def test_an_answer_brings_the_senders_correlation_and_the_historian_a_line(
    broker: Broker, tmp_path: Path
) -> None:
    topics = Topics(broker.prefix)
    run, audit = topics.of(TopicKind.RUN, user="op1", run=ID), topics.of(TopicKind.AUDIT)
    async with (
        living(broker, tmp_path) as running,
        peer(broker, "op1", run) as user,
        peer(broker, "historian", audit) as historian,
    ):
        text = "what is the rule for glass"
        said = {"v": 1, "id": ID, "type": "ask", "issued_at": utc_text(running.clock.now()), "text": text}
        topic = topics.of(TopicKind.REQ, user="op1")
        assert isinstance(user.connection.publish(topic, json.dumps(said).encode(), correlation=b"c-7"), Published)
        await until(lambda: newest(user, run).get("type") == "done", "the end")
        assert {inbound.correlation for inbound in user.received} == {b"c-7"}
        await until(lambda: bool(historian.received), "the line")
        [line] = historian.payloads(audit)
        assert f" user=op1 channel=mqtt run={ID} outcome=SUCCESS fallback=- state=SUCCESS".encode() in line
        assert b"glass" not in line


async def test_a_login_that_uses_a_right_it_has_not_is_an_alarm(broker: Broker, tmp_path: Path) -> None:
    topics = Topics(broker.prefix)
    alarm = topics.of(TopicKind.ALARM, alarm="auth.violation")
    async with living(broker, tmp_path) as running, peer(broker, "op2", alarm) as user:
        said = {"v": 1, "id": ID, "type": "lab", "op": "clear", "issued_at": utc_text(running.clock.now())}
        said["epoch"] = running.journal.epoch
        user.connection.publish(topics.of(TopicKind.REQ, user="op2"), json.dumps(said).encode())
        await until(lambda: newest(user, alarm).get("active") is True, "the alarm", 4 * LOOK_EVERY_S)
        assert "op2" in newest(user, alarm)["cause"]


async def killed_before_it_was_sent(folder: Path) -> None:
    """A life that wrote a run's events down, and no more."""
    clock = SystemClock()
    create(folder, clock.wall_ms())
    journal = await SqliteJournal.open(folder, wall_ms=clock.wall_ms)
    address = Address("op1", "mqtt", ID)
    stream = Stream(RunId(ID), address, journal=journal, publisher=Heard(), now=clock.now)
    await stream.emit(metadata(), failure(), done())
    await journal.close()


async def test_what_was_written_down_before_a_kill_is_told_by_the_next_life(broker: Broker, tmp_path: Path) -> None:
    run = Topics(broker.prefix).of(TopicKind.RUN, user="op1", run=ID)
    await killed_before_it_was_sent(tmp_path / "state")
    async with peer(broker, "op1", run) as user, living(broker, tmp_path):
        await until(lambda: newest(user, run).get("type") == "done", "the end")
        # What the broker had not acknowledged when it came online is said again, to the letter (`outbox`).
        told = [json.loads(each) for each in dict.fromkeys(user.payloads(run))]
        assert [(each["seq"], each["type"]) for each in told] == [(0, "metadata"), (1, "failure"), (2, "done")]
