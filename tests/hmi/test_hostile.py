"""Somebody in a hurry, somebody careless, and somebody who means harm, before the page and beside it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from edge_agent.adapters.mqtt.client import Connection
from edge_agent.adapters.mqtt.say import Sent, Session, Unsent
from edge_agent.adapters.mqtt.settings import MqttSettings
from edge_agent.adapters.mqtt.traffic import Opened
from edge_agent.messages.event import Event, flat
from edge_agent.messages.examples import RETAINED_EXAMPLES
from tests.hmi.person import Person, somebody
from tests.hmi.place import PREFIX, USERS, Place

pytestmark = [pytest.mark.net, pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

HOME = "动作=回零 设备=arm_01"
MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>"
BROUGHT_IN = ".hmi img, .hmi script, .hmi iframe, .hmi [onerror]"
LONG = "查一下 glass 的分拣规则 " * 200
KEPT = 4000


def settings(place: Place, user: str) -> MqttSettings:
    return MqttSettings(port=place.broker.port, username=user, password=USERS[user], prefix=PREFIX)


@asynccontextmanager
async def by_hand(place: Place, user: str) -> AsyncIterator[Session]:
    """A client of the broker that nobody's page made."""
    session = Session(settings(place, user))
    assert isinstance(await session.open(), Opened)
    async with session:
        assert await session.agent_there(20.0)
        yield session


@asynccontextmanager
async def bare(place: Place, user: str) -> AsyncIterator[Connection]:
    """A connection with a login, and nothing that behaves."""
    connection = Connection(
        settings(place, user), generation=1, receive_maximum=20, on_message=lambda _inbound: None, clock=time.monotonic
    )
    assert isinstance(await connection.open(), Opened)
    try:
        yield connection
    finally:
        await connection.close()


async def content_of(session: Session, sent: Sent | Unsent) -> dict[str, Any]:
    assert isinstance(sent, Sent)
    told = [flat(event) async for event in session.events(sent.run) if isinstance(event, Event)]
    return next(each for each in told if each["type"] in ("content", "failure"))


@pytest_asyncio.fixture(loop_scope="module")
async def operator(place: Place, browser: Browser) -> AsyncIterator[Person]:
    async with somebody(browser, place.url) as person:
        await person.log_in(place.url, "op1")
        await person.cell("READY")
        yield person


async def test_two_tabs_of_one_login_confirm_once(place: Place, operator: Person) -> None:
    before = await place.frames()
    other = await operator.page.context.new_page()
    await other.goto(place.url)
    await expect(other.locator("[data-connection=live]")).to_be_visible()
    await operator.say(HOME)
    await expect(operator.of("yes")).to_be_visible()
    await expect(other.locator("[data-id=yes]")).to_be_visible()
    presses = (operator.of("yes"), other.locator("[data-id=yes]"))
    await asyncio.gather(*(press.evaluate("button => button.click()") for press in presses))
    for page in (operator.page, other):
        await expect(page.locator(".answer[data-kind=motion]").last).to_contain_text("已完成并核对")
        await expect(page.locator(".answer[data-kind=rejection]")).to_have_count(0)
    assert await place.frames() == before + 1


async def test_a_confirmation_written_by_hand_by_the_wrong_one_or_changed_moves_nothing(place: Place) -> None:
    """The viewer knows prompt and digest - over the shoulder, say. The one who was asked changes a digit."""
    before = await place.frames()
    async with by_hand(place, "op2") as asked, by_hand(place, "guest") as guest:
        card = await content_of(asked, await asked.ask(HOME, "zh"))
        prompt, digest = card["prompt_id"], card["digest"]
        foreign = await content_of(guest, await guest.confirm(prompt, digest, yes=True))
        assert foreign["error"]["code"] in ("PERMISSION_DENIED", "INPUT_INVALID")
        for wrong in ((prompt, "0" * len(digest)), (prompt[:-1] + ("0" if prompt[-1] != "0" else "1"), digest)):
            refused = await content_of(asked, await asked.confirm(*wrong, yes=True))
            assert refused["kind"] == "rejection"
            assert refused["error"]["code"] == "INPUT_INVALID"
        await content_of(asked, await asked.cancel())
    assert await place.frames() == before


async def test_markup_is_shown_as_text_wherever_it_comes_from(place: Place, operator: Person) -> None:
    """In a sentence, in feedback, in what the history repeats, and in an alarm whose writer was deceived."""
    await operator.say(f"提交反馈 t001 玻璃破损 {MARKUP}")
    await expect(operator.page.locator(".answer")).to_have_count(1)
    await operator.say(f"查一下 {MARKUP} 的分拣规则")
    await expect(operator.page.locator("p.said").last).to_contain_text(MARKUP)
    await expect(operator.page.locator(".answer")).to_have_count(2)
    alarm = RETAINED_EXAMPLES["alarm"] | {"cause": f"{MARKUP} seen", "active": True, "acked": False}
    topic = f"{PREFIX}/alarm/{alarm['id']}"
    async with bare(place, "agent") as deceived:
        deceived.publish(topic, json.dumps(alarm).encode(), retain=True)
        await operator.of("tab-alarms").click()
        await expect(operator.of("alarms")).to_contain_text(MARKUP)
        deceived.publish(topic, b"", retain=True)
        await expect(operator.of("alarms")).not_to_contain_text(MARKUP)
    for tab in ("history", "charts", "lab", "talk"):
        await operator.of(f"tab-{tab}").click()
        await operator.page.wait_for_timeout(300)
        assert await operator.page.locator(BROUGHT_IN).count() == 0
    await operator.of("tab-history").click()
    await operator.page.locator("[data-id=history] td button").nth(1).click()
    await expect(operator.page.locator(".timeline")).to_contain_text("<img src=x")
    assert await operator.page.locator(BROUGHT_IN).count() == 0
    assert operator.wrong == []


async def test_a_sentence_that_is_too_long_is_not_cut_and_not_lost(operator: Person) -> None:
    said = LONG[:KEPT]
    await operator.say(said)
    await expect(operator.of("notice")).to_contain_text("超过 500 个字符")
    await expect(operator.of("said")).to_have_value(said)
    await expect(operator.page.locator("p.said")).to_have_count(0)
    await operator.say("查一下 glass 的分拣规则")
    await expect(operator.of("notice")).to_be_empty()
    await expect(operator.answer("answer")).to_contain_text("2 号箱")


async def test_a_stop_that_nobody_answers_is_not_waited_for_in_silence(place: Place, operator: Person) -> None:
    place.freeze_agent()
    try:
        await operator.of("stop").click()
        await expect(operator.of("stop-said")).to_contain_text("已发出，但还没有任何停止的迹象")
        await expect(operator.of("stop-said")).to_contain_text("硬接线停止装置")
        await operator.shot("stop-unanswered")
    finally:
        place.thaw_agent()
    await operator.connection("live")
    await operator.cell("STOPPED")
    await operator.of("release").click()
    await operator.confirm()
    await operator.cell("READY")


async def test_logging_out_ends_every_tab_of_that_login(place: Place, operator: Person) -> None:
    other = await operator.page.context.new_page()
    await other.goto(place.url)
    await expect(other.locator("[data-connection=live]")).to_be_visible()
    await operator.of("logout").click()
    await expect(other.locator("input[name=user]")).to_be_visible()
