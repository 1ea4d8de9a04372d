"""People who mean harm at the broker: at foreign topics, and after the agent's own client id."""

from __future__ import annotations

import asyncio
import re
import secrets

import pytest

from edge_agent.adapters.mqtt import broker
from edge_agent.messages.topics import TopicKind, Topics
from edge_agent.run.journal import Kind
from tests.chaos.amount import amount
from tests.chaos.figures import note
from tests.chaos.hostile import connect_as, ids_of_the_agent, listening, times_thrown_off, until_another_id
from tests.chaos.site import PREFIX, Lane, Site, lane
from tests.chaos.test_once import a_day
from tests.chaos.visitor import HOME, message

pytestmark = [pytest.mark.net, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(amount(300, 3_600))]

TOPICS = Topics(PREFIX)
GUESSES = amount(150, 600)
FOREIGN: dict[str, bytes] = {
    TOPICS.of(TopicKind.REQ, user="op1"): message("ask", text=HOME).payload,
    TOPICS.of(TopicKind.STOP, user="op1"): message("stop").payload,
    TOPICS.of(TopicKind.PRESENCE, user="op1", client="say-1"): b"HERE",
    TOPICS.of(TopicKind.STOP, user="agent"): b"PROBE 0 1",
    TOPICS.of(TopicKind.STATUS): b"{}",
    TOPICS.of(TopicKind.STATE_CELL): b"{}",
    TOPICS.of(TopicKind.RUN, user="op1", run="r1"): b"{}",
    f"{PREFIX}/op/op2/req/more": b"{}",
    f"{PREFIX}/op/OP1/req": b"{}",
}


async def test_identity_foreign_topics_are_closed_to_a_login(here: Lane) -> None:
    """As somebody else, as the agent, as somebody else's presence: the broker takes none of it, the agent sees none."""
    await _foreign_topics(here)


async def test_identity_catches_a_broker_that_lets_everybody_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker, "access_list", lambda *_: "pattern readwrite #\n")
    async with lane() as open_to_all:
        with pytest.raises(AssertionError, match="taken: "):
            await _foreign_topics(open_to_all)


async def _foreign_topics(here: Lane) -> None:
    site = await here.fresh()
    await site.start()
    await site.ready("READY")
    async with listening(site, "op2") as harm:
        for topic, payload in FOREIGN.items():
            assert not await harm.publish(topic, payload), f"taken: {topic}"
    assert site.rows(Kind.REQUEST, Kind.REJECTION, Kind.STOP) == []
    await site.leave()


async def test_identity_the_agents_client_id_is_in_nothing_that_a_user_may_read(here: Lane) -> None:
    """Everything that looks like an id, in all that a login hears, is tried as the agent's own: it is never thrown
    off. With its true id, which only the broker's own log has, it would be."""
    site, guessed = await _guessed(here)
    note("client ids guessed / agent thrown off", f"{guessed} / 0")
    own = ids_of_the_agent(site)
    before = times_thrown_off(site)
    await asyncio.to_thread(connect_as, site, own[-1])
    await until_another_id(site, own)
    assert times_thrown_off(site) == before + 1
    await site.leave()


async def test_identity_catches_an_agent_that_shows_its_client_id(here: Lane) -> None:
    with pytest.raises(AssertionError, match="thrown off"):
        await _guessed(here, broken="shows_its_client_id")


async def _guessed(here: Lane, broken: str | None = None) -> tuple[Site, int]:
    site = await here.fresh()
    await site.start(broken=broken)
    await site.ready("READY")
    before = times_thrown_off(site)
    async with listening(site, "op1", "#", "$SYS/#") as ears:
        await a_day(site, 2)
        heard = [m.topic + " " + m.payload.decode("utf-8", "replace") for m in ears.heard]
    words = {word for text in heard for word in re.findall(r"[A-Za-z0-9_-]{8,64}", text)}
    guesses = sorted(words)[:GUESSES]
    assert len(guesses) > 20
    for guess in (*guesses, *(secrets.token_hex(16) for _ in range(5))):
        await asyncio.to_thread(connect_as, site, guess)
        assert times_thrown_off(site) == before, f"thrown off by {guess}"
    return site, len(guesses) + 5
