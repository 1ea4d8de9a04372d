"""What others met between host and broker, told to the whole agent: each row by its number in the table."""

from __future__ import annotations

import asyncio

import pytest

from edge_agent.adapters.mqtt.broker import Broker
from edge_agent.messages.topics import TopicKind, Topics
from edge_agent.run.journal import Kind
from tests.chaos.figures import note
from tests.chaos.hostile import connect_as, ids_of_the_agent, listening, until_another_id
from tests.chaos.site import PREFIX, Lane, Site
from tests.chaos.visitor import HOME, ByMqtt, ask, confirmation, logged_in
from tests.messages.test_parse import HOSTILE

pytestmark = [pytest.mark.net, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(180)]

REQ = Topics(PREFIX).of(TopicKind.REQ, user="op1")
QUESTION = "which bin does glass go into"
CUTS = 20


async def _ready(here: Lane, broken: str | None = None) -> Site:
    site = await here.fresh()
    await site.start(broken=broken)
    await site.ready("READY")
    return site


async def test_broker_h17_killed_and_back_and_the_same_comes_again(here: Lane) -> None:
    """No packet id and no DUP flag is believed: the id in the journal is. The first run's state is the answer."""
    await _killed_and_back(here)


async def test_broker_h17_catches_an_agent_that_forgets_what_was_said(here: Lane) -> None:
    with pytest.raises(AssertionError, match="duplicate"):
        await _killed_and_back(here, broken="forgets_what_was_said")


async def _killed_and_back(here: Lane, broken: str | None = None) -> None:
    site = await _ready(here, broken)
    assert isinstance(site.broker, Broker)
    async with logged_in(site, "op1") as session:
        who = ByMqtt(session)
        asked, prompt = await ask(who, HOME)
        answer = confirmation(who, prompt)
        await who.send(answer)
        assert (await who.content(answer.run))["command_state"] == "VERIFIED"
        site.broker.kill()
    site.broker.start()
    await site.ready("READY")
    async with logged_in(site, "op1") as session:
        who = ByMqtt(session)
        for again in (asked, answer):
            await who.send(again)
        await site.until_rows(4, Kind.REQUEST, Kind.REJECTION)
        assert [(row.body["name"], row.body["detail"]) for row in site.rows(Kind.REJECTION)] == [
            ("duplicate", "first run: FALLBACK"),
            ("duplicate", "first run: SUCCESS"),
        ]
    assert len(await site.cell.executed()) == 1
    await site.leave()


async def test_broker_h18_hostile_bytes_and_the_next_request_is_answered(here: Lane) -> None:
    await _hostile_bytes(here)


async def test_broker_h18_catches_an_agent_that_reads_doubtful_json(here: Lane) -> None:
    with pytest.raises(AssertionError, match="duplicate_key"):
        await _hostile_bytes(here, broken="reads_doubtful_json")


async def _hostile_bytes(here: Lane, broken: str | None = None) -> None:
    site = await _ready(here, broken)
    async with logged_in(site, "op1") as session, listening(site, "op1") as harm:
        for number, (name, payload) in enumerate(HOSTILE.items(), 1):
            assert await harm.publish(REQ, payload), name
            row = (await site.until_rows(number, Kind.REQUEST, Kind.REJECTION))[-1]
            assert (row.kind, row.body.get("name")) == (Kind.REJECTION, "malformed"), name
        assert await harm.publish(REQ, b"{" * 9_000)
        rows = await site.until_rows(len(HOSTILE) + 1, Kind.REJECTION)
        assert rows[-1].body["name"] == "too_large"
        _, content = await ask(ByMqtt(session), QUESTION)
        assert content["kind"] == "answer"
    assert not site.rows(Kind.COMMAND, Kind.LOCKOUT)
    note("hostile payloads, each refused with its name", len(HOSTILE) + 1)
    await site.leave()


async def test_broker_h20_thrown_off_twenty_times_and_each_question_is_answered(here: Lane) -> None:
    """Somebody takes the agent's connections over by their own ids: it is back each time, under others."""
    await _thrown_off(here, CUTS)


async def test_broker_h20_catches_an_agent_that_keeps_its_client_ids(here: Lane) -> None:
    with pytest.raises(AssertionError, match="an id that it had before"):
        await _thrown_off(here, 1, broken="keeps_its_client_ids")


async def _thrown_off(here: Lane, times: int, broken: str | None = None) -> None:
    site = await _ready(here, broken)
    async with logged_in(site, "op1") as session:
        who = ByMqtt(session)
        alive = ids_of_the_agent(site)[-2:]
        for _ in range(times):
            before = ids_of_the_agent(site)
            await asyncio.to_thread(connect_as, site, alive.pop(0))
            await until_another_id(site, before)
            alive.append(ids_of_the_agent(site)[-1])
            await site.ready("READY")
            _, content = await ask(who, QUESTION)
            assert content["kind"] == "answer", content
    assert len(site.rows(Kind.REQUEST)) >= times
    await site.leave()
