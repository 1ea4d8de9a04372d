"""The same thing said again, by whomever, however often, in whatever life of the agent: the arm moves once or not."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

import pytest

from edge_agent.messages.topics import TopicKind, Topics
from edge_agent.run.journal import Kind
from tests.chaos.amount import amount
from tests.chaos.checker import violations
from tests.chaos.episode import all_ended
from tests.chaos.figures import note
from tests.chaos.hostile import listening
from tests.chaos.site import POLL_S, PREFIX, WITHIN_S, Lane, Site
from tests.chaos.visitor import ByMqtt, Message, ask, confirmation, logged_in, message

pytestmark = [pytest.mark.net, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(amount(300, 3_600))]

TOPICS = Topics(PREFIX)
REQ = TOPICS.of(TopicKind.REQ, user="op1")
DUPLICATES = 1_000
BATCH = 100
"""At once; the broker keeps two hundred for a client that is behind, and drops the rest."""
DAY = amount(10, 60)
"""Motions of the day that is replayed."""
ACTIONS = ("action=open_gripper device=arm_01", "action=close_gripper device=arm_01", "action=home device=arm_01")

_again = {"messages": 0, "motions": 0}


def count(messages: int, motions: int) -> None:
    _again["messages"] += messages
    _again["motions"] += motions
    note("duplicates and replays / motions by them", f"{_again['messages']} / {_again['motions']}")


@dataclass(slots=True)
class Day:
    """All that was said, in order, as bytes."""

    said: list[Message] = field(default_factory=list)


async def a_day(site: Site, motions: int) -> Day:
    day = Day()
    async with logged_in(site, "op1") as session:
        who = ByMqtt(session)
        for number in range(motions):
            asked, prompt = await ask(who, ACTIONS[number % len(ACTIONS)])
            answer = confirmation(who, prompt)
            await who.send(answer)
            done = await who.content(answer.run)
            assert done.get("command_state") == "VERIFIED", done
            day.said += [asked, answer]
    return day


async def _replay(site: Site, day: Day, user: str = "op1") -> None:
    async with listening(site, user) as again:
        for said in day.said:
            assert await again.publish(TOPICS.of(TopicKind.REQ, user=user), said.payload)


async def _rejected(site: Site, answered: int) -> list[str]:
    """Why, of each that was refused, once so many have their answer."""
    await _all_answered(site, answered)
    return [row.body["name"] for row in site.rows(Kind.REJECTION)]


async def _moved(site: Site) -> int:
    return len(await site.cell.executed())


async def _adds_up(site: Site) -> None:
    await all_ended(site)
    view = await site.console.ask(op="view")
    assert view is not None
    wrong = violations(await site.evidence(view["state"]))
    assert not wrong, "\n".join(wrong)
    await site.leave()


async def test_once_a_day_that_is_replayed_moves_nothing(here: Lane) -> None:
    """To the same life, to the next one, and under another login: each message gets its reason."""
    count(*await _replayed(here, DAY))


async def test_once_catches_an_agent_that_forgets_what_was_said(here: Lane) -> None:
    """Here the prompts alone still hold; that is not the answer that is owed."""
    with pytest.raises(AssertionError, match="duplicate"):
        await _replayed(here, 1, broken="forgets_what_was_said")


async def _replayed(here: Lane, motions: int, broken: str | None = None) -> tuple[int, int]:
    """How many messages were said again, and how many motions came of it."""
    site = await here.fresh()
    await site.start(broken=broken)
    await site.ready("READY")
    day = await a_day(site, motions)
    messages = len(day.said)
    await _replay(site, day)
    assert set(await _rejected(site, 2 * messages)) == {"duplicate"}
    await site.kill()
    await site.start(broken=broken)
    await site.ready("READY")
    await _replay(site, day)
    assert set(await _rejected(site, 3 * messages)) == {"duplicate"}
    await _replay(site, day, "op2")
    await _all_answered(site, 4 * messages)
    assert await _moved(site) == motions
    await _adds_up(site)
    return 3 * messages, await _moved(site) - motions


async def _all_answered(site: Site, rows: int) -> None:
    deadline_s = time.monotonic() + WITHIN_S
    while len(site.rows(Kind.REQUEST, Kind.REJECTION)) < rows:
        assert time.monotonic() < deadline_s, site.agent_log()
        await asyncio.sleep(POLL_S)


async def test_once_a_day_replayed_to_an_agent_that_never_saw_it_moves_nothing(here: Lane) -> None:
    """A journal of its own: no id is known, and still no confirmation opens anything."""
    first = await here.fresh()
    await first.start()
    await first.ready("READY")
    day = await a_day(first, 3)
    await first.kill()
    site = await here.fresh()
    await site.start()
    await site.ready("READY")
    await _replay(site, day)
    await _all_answered(site, len(day.said))
    await all_ended(site)
    assert await _moved(site) == 0
    count(len(day.said), 0)
    await _adds_up(site)


async def test_once_a_thousand_duplicates_of_a_confirmation_move_once(here: Lane) -> None:
    site = await here.fresh(burst=20, per_s=5)
    await site.start()
    await site.ready("READY")
    async with logged_in(site, "op1") as session, listening(site, "op1") as flood:
        who = ByMqtt(session)
        _, prompt = await ask(who, ACTIONS[2])
        answer = confirmation(who, prompt)
        for sent in range(BATCH, DUPLICATES + 1, BATCH):
            taken = await asyncio.gather(*(flood.publish(REQ, answer.payload) for _ in range(BATCH)))
            assert all(taken)
            await _all_answered(site, 1 + sent)
    assert [row.body["name"] for row in site.rows(Kind.REJECTION)] == ["duplicate"] * (DUPLICATES - 1)
    assert await _moved(site) == 1
    assert list((await site.cell.motion_frames()).values()) == [1]
    count(DUPLICATES - 1, 0)
    await _adds_up(site)


async def test_once_h19_what_is_retained_moves_nothing_before_and_after_a_start(here: Lane) -> None:
    """An ask and a confirmation that wait retained at the broker, and the same while the agent listens."""
    await _retained(here)


async def test_once_catches_an_agent_that_takes_what_is_retained(here: Lane) -> None:
    with pytest.raises(AssertionError, match="retained"):
        await _retained(here, broken="takes_what_is_retained")


async def _retained(here: Lane, broken: str | None = None) -> None:
    site = await here.fresh()
    await site.start(broken=broken)
    await site.ready("READY")
    async with logged_in(site, "op1") as session, listening(site, "op1") as harm:
        who = ByMqtt(session)
        _, prompt = await ask(who, ACTIONS[2])
        answer = confirmation(who, prompt)
        try:
            assert await harm.publish(REQ, answer.payload, retain=True)
            assert await _rejected(site, 2) == ["retained"]
            await site.kill()
            await site.start(broken=broken)
            await site.ready("READY")
            assert await harm.publish(REQ, message("ask", text=ACTIONS[2]).payload, retain=True)
            assert await _rejected(site, 3) == ["retained", "retained"]
        finally:
            await harm.publish(REQ, b"", retain=True)  # the broker is the next story's, too
    assert await _moved(site) == 0
    await _adds_up(site)
