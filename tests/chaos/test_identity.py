"""Who may do what, proved at real logins: by password and by client certificate, on a simulated arm and on a real one.

The tables are written by hand: what the product's own tables say is what is tested.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

import pytest

from edge_agent.adapters.mqtt.say import Session
from edge_agent.messages.topics import TopicKind, Topics
from edge_agent.run.ids import ulid
from edge_agent.run.journal import Kind
from tests.chaos.checker import violations
from tests.chaos.hostile import listening
from tests.chaos.site import PREFIX, Lane, Site
from tests.chaos.visitor import ByMqtt, Message, ask, confirmation, logged_in, message

pytestmark = [pytest.mark.net, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(300)]

LOGINS = ("nobody1", "viewer1", "student1", "op1", "tech1")
"""In rising order; `nobody1` may log in and has no role: it may look."""
ALL: Final = frozenset(LOGINS)
STUDENTS: Final = frozenset({"student1", "op1", "tech1"})
OPERATORS: Final = frozenset({"op1", "tech1"})
NOBODY: Final[frozenset[str]] = frozenset()
OTHERS_RUN = ulid(1, bytes(10))

WHO_MAY: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    # what: on a simulated arm, on a real one
    "ask a question": (ALL, ALL),
    "file feedback": (STUDENTS, STUDENTS),
    "move": (STUDENTS, OPERATORS),
    "release a stop": (STUDENTS, OPERATORS),
    "acknowledge an alarm": (STUDENTS, OPERATORS),
    "read the history": (ALL, ALL),
    "resync": (ALL, ALL),
    "put a fault in": (STUDENTS, NOBODY),
    "read another's run": (NOBODY, NOBODY),
}


def says(what: str, epoch: int) -> Message:
    return {
        "ask a question": lambda: message("ask", text="which bin does glass go into"),
        "file feedback": lambda: message("ask", text="submit feedback t001 glass broken"),
        "move": lambda: message("ask", text="action=home device=arm_01"),
        "release a stop": lambda: message("release_stop", epoch=epoch),
        "acknowledge an alarm": lambda: message("ack_alarm", alarm="arm.link_lost", event_id="none"),
        "read the history": lambda: message("history", what="commands"),
        "resync": lambda: message("resync"),
        "put a fault in": lambda: message("lab", epoch=epoch, op="put", fault="query.timeout"),
        "read another's run": lambda: message("explain", run=OTHERS_RUN),
    }[what]()


NOT_YOU = frozenset({"lab_forbidden", "run_unknown"})
"""Besides the code PERMISSION_DENIED. Anything else (no such alarm, not stopped) means that the right was there."""


NEEDED = {"file feedback": ("student", "student"), "put a fault in": ("student", "technician")}
"""The lowest role that may, on a simulated arm and on a real one; for all else a student's and an operator's."""


def check_told_whom_to_ask(what: str, arm: str, content: dict[str, Any]) -> None:
    """Who may not is told the role that may, and who gives it."""
    if content.get("reason") in NOT_YOU:
        return
    needed = NEEDED.get(what, ("student", "operator"))[arm == "real"]
    assert f"needs the role {needed}. Ask the technician" in content["text"], (what, content["text"])
    assert content["not_done"], (what, content)


def is_denied(content: dict[str, Any]) -> bool:
    error = content.get("error") or {}
    return error.get("code") == "PERMISSION_DENIED" or content.get("reason") in NOT_YOU


async def _answer(who: ByMqtt, said: Message) -> dict[str, Any]:
    await who.send(said)
    return await asyncio.wait_for(who.content(said.run), 20)


@pytest.fixture(params=["here", "certified"])
def by(request: pytest.FixtureRequest) -> Lane:
    """Logins by password, and by certificate."""
    found: Lane = request.getfixturevalue(request.param)
    return found


@pytest.mark.parametrize("arm", ["simulated", "real"])
async def test_identity_decides_what_a_login_may_do(by: Lane, arm: str) -> None:
    site = await by.fresh(cell="cell.toml" if arm == "simulated" else "real_cell.toml")
    await site.start()
    await site.ready("READY")
    for user in LOGINS:
        async with logged_in(site, user) as session:
            await session.agent_there(20)
            await _one_login(ByMqtt(session), user, arm, session.epoch or 0)
    assert not await site.cell.motion_frames()
    await site.leave()


async def _one_login(who: ByMqtt, user: str, arm: str, epoch: int) -> None:
    for what, (simulated, real) in WHO_MAY.items():
        content = await _answer(who, says(what, epoch))
        denied = is_denied(content)
        expected = user in (simulated if arm == "simulated" else real)
        assert denied is not expected, (user, what, content)
        if denied:
            check_told_whom_to_ask(what, arm, content)
        if content.get("kind") == "confirmation":
            await _answer(who, confirmation(who, content, yes=False))


async def test_identity_catches_an_agent_that_takes_everybody_for_an_operator(here: Lane) -> None:
    site = await here.fresh()
    await site.start(broken="everybody_is_an_operator")
    await site.ready("READY")
    async with logged_in(site, "viewer1") as session:
        await session.agent_there(20)
        with pytest.raises(AssertionError, match="viewer1"):
            await _one_login(ByMqtt(session), "viewer1", "simulated", session.epoch or 0)
    await site.leave()


async def test_identity_anybody_may_stop(by: Lane) -> None:
    for user in LOGINS:
        site = await by.fresh()
        await site.start()
        await site.ready("READY")
        async with logged_in(site, user) as session:
            await ByMqtt(session).stop()
            await site.ready("STOPPED")
        assert await site.cell.stop_frames() >= 1
        await site.leave()


async def test_identity_is_the_certificates_whatever_the_client_calls_itself(certified: Lane) -> None:
    """op2's certificate under op1's name: the broker binds the certificate, so op1's topic stays closed."""
    site = await certified.fresh()
    await site.start()
    await site.ready("READY")
    async with listening(site, "op1", certificate_of="op2") as liar:
        topics = Topics(PREFIX)
        assert not await liar.publish(topics.of(TopicKind.REQ, user="op1"), message("ask", text="hello").payload)
        assert await liar.publish(topics.of(TopicKind.REQ, user="op2"), message("ask", text="hello").payload)
    (row,) = await site.until_rows(1, Kind.REQUEST)
    assert row.body["user"] == "op2"
    await site.leave()


async def test_identity_a_prompt_is_answered_by_its_own_user_alone(here: Lane) -> None:
    await _answered_by_whom(here)


async def test_identity_catches_an_agent_that_lets_anybody_answer(here: Lane) -> None:
    with pytest.raises(AssertionError, match="another's"):
        await _answered_by_whom(here, broken="anybody_may_answer")


async def _answered_by_whom(here: Lane, broken: str | None = None) -> None:
    site = await here.fresh()
    await site.start(broken=broken)
    await site.ready("READY")
    async with logged_in(site, "op1") as mine, logged_in(site, "op2") as theirs:
        _, prompt = await ask(ByMqtt(mine), "action=home device=arm_01")
        table = {
            "another's": (ByMqtt(theirs), {}, "prompt_foreign"),
            "of another prompt": (ByMqtt(mine), {"prompt_id": "prompt-unknown"}, "prompt_wrong"),
            "of another picture": (ByMqtt(mine), {"digest": "ab" * 32}, "prompt_wrong"),
            "of another life": (ByMqtt(mine), {"epoch": prompt["epoch"] + 1}, "stale_epoch"),
        }
        for name, (who, changes, reason) in table.items():
            content = await _answer(who, confirmation(who, {**prompt, **changes}))
            assert content.get("reason") == reason, (name, content)
        loose = message("confirm", **{k: prompt[k] for k in ("prompt_id", "digest", "epoch")}, confirm=True)
        assert (await _answer(ByMqtt(mine), loose))["reason"] == "not_live"
        right = await _answer(ByMqtt(mine), confirmation(ByMqtt(mine), prompt))
        assert right["command_state"] == "VERIFIED", right
        again = await _answer(ByMqtt(mine), confirmation(ByMqtt(mine), prompt))
        assert again["reason"] == "prompt_used"
    assert list((await site.cell.motion_frames()).values()) == [1]
    await _adds_up(site)


async def test_identity_rate_is_each_users_own_and_never_a_stops(here: Lane) -> None:
    """Thirty at once of one user: five are taken, the others told once a second; who waits is not punished."""
    await _flooded(here)


async def test_identity_catches_an_agent_that_takes_all_that_comes(here: Lane) -> None:
    with pytest.raises(AssertionError, match="30 taken"):
        await _flooded(here, broken="has_no_rate")


async def _flooded(here: Lane, broken: str | None = None) -> None:
    site = await here.fresh(burst=5, per_s=0.5)
    await site.start(broken=broken)
    await site.ready("READY")
    async with logged_in(site, "op1") as flood, logged_in(site, "op2") as calm:
        await _flood(flood, 30)
        content = await _answer(ByMqtt(calm), message("ask", text="which bin does glass go into"))
        assert content["kind"] == "answer"
        taken = [row for row in site.rows(Kind.REQUEST) if row.body["user"] == "op1"]
        told = [row for row in site.rows(Kind.REJECTION) if row.body["name"] == "rate_limited"]
        assert len(taken) <= 6 + 10, f"{len(taken)} taken"
        assert 1 <= len(told) < 30 - len(taken)
        await ByMqtt(flood).stop()
        await site.ready("STOPPED")
    await _adds_up(site)


async def _flood(session: Session, count: int) -> None:
    who = ByMqtt(session)
    said = [message("ask", text="which bin does glass go into") for _ in range(count)]
    await asyncio.gather(*(who.send(each) for each in said))


async def _adds_up(site: Site) -> None:
    await site.kill()
    await site.start()
    state = await site.ready()
    assert not violations(await site.evidence(state))
    await site.leave()
