"""What a page shows and does when broker, agent or page server are gone: never a green light that is not so."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from tests.hmi.person import Person, somebody
from tests.hmi.place import Place, running_place

pytestmark = [pytest.mark.net, pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

SHORT_S = 5.0
"""How long a question stays open here, so that its end can be waited for."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hasty() -> AsyncIterator[Place]:
    async with running_place(prompt_s=SHORT_S) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def operator(place: Place, browser: Browser) -> AsyncIterator[Person]:
    async with somebody(browser, place.url) as person:
        await person.log_in(place.url, "op1")
        await person.cell("READY")
        yield person


async def test_the_broker_is_killed_and_comes_back_while_a_question_is_open(place: Place, operator: Person) -> None:
    before = await place.frames()
    await operator.say("动作=回零 设备=arm_01")
    await expect(operator.of("yes")).to_be_visible()
    place.broker.kill()
    await operator.connection("no_broker")
    await expect(operator.of("lost")).to_contain_text("停止请求现在发不出去")
    await expect(operator.of("yes")).to_be_disabled()
    await operator.of("stop").click()
    await expect(operator.of("stop-said")).to_contain_text("没有发出")
    await operator.shot("broker-lost")
    place.broker.start()
    await operator.connection("live")
    # Open still, or over and said so: what must not be is a button that answers nothing.
    await operator.page.wait_for_function(
        "document.querySelector('[data-id=yes]') || document.querySelector('[data-id=question-over]')"
    )
    if await operator.of("no").count():
        await operator.of("no").click()
    await operator.cell("READY")
    assert await place.frames() == before


async def test_a_killed_agent_is_seen_and_its_questions_are_void(place: Place, operator: Person) -> None:
    before = await place.frames()
    await operator.say("动作=回零 设备=arm_01")
    await expect(operator.of("yes")).to_be_visible()
    await place.site.kill_agent()
    await operator.connection("broken")
    await expect(operator.page.locator("[data-current=no]")).to_be_visible()
    await operator.shot("agent-lost")
    await place.site.start_agent()
    await operator.connection("live")
    await expect(operator.of("yes")).to_have_count(0)
    await operator.cell("READY")
    assert await place.frames() == before


async def test_a_frozen_agent_counts_as_silent_though_the_retained_word_is_online(
    place: Place, operator: Person
) -> None:
    place.freeze_agent()
    try:
        await operator.connection("silent")
        await operator.shot("agent-silent")
        await operator.page.reload()
        # Its connection times out at the broker some seconds later, and from then on the retained word says so itself.
        await expect(operator.page.locator("[data-connection=silent], [data-connection=broken]")).to_be_visible()
    finally:
        place.thaw_agent()
    await operator.connection("live")


async def test_a_question_whose_time_is_over_is_said_to_be(hasty: Place, browser: Browser) -> None:
    before = await hasty.frames()
    async with somebody(browser, hasty.url) as person:
        await person.log_in(hasty.url, "op1")
        await person.say("动作=回零 设备=arm_01")
        await expect(person.of("yes")).to_be_visible()
        await expect(person.of("question-over")).to_contain_text("已过期")
        await person.shot("expired")
        await person.page.reload()
        await person.connection("live")
        await expect(person.of("question-over")).to_contain_text("已过期")
        await expect(person.of("yes")).to_have_count(0)
    assert await hasty.frames() == before


async def test_a_reload_after_the_question_was_brought_to_an_end(hasty: Place, browser: Browser) -> None:
    """The page is away while the question expires; what is retained at the broker is older than that."""
    async with somebody(browser, hasty.url) as person:
        await person.log_in(hasty.url, "op2")
        await person.say("动作=回零 设备=arm_01")
        await expect(person.of("yes")).to_be_visible()
        await person.page.goto("about:blank")
        await person.page.wait_for_timeout(SHORT_S * 1000)
        await person.page.goto(hasty.url)
        await person.connection("live")
        await expect(person.of("question-over")).to_be_visible()
        await expect(person.of("yes")).to_have_count(0)


async def test_a_page_whose_server_is_frozen_says_so_and_so_does_its_stop(hasty: Place, browser: Browser) -> None:
    async with somebody(browser, hasty.url) as person:
        await person.log_in(hasty.url, "op1")
        pid = hasty.page_pid()
        os.kill(pid, signal.SIGSTOP)
        try:
            await person.of("stop").click()
            await expect(person.page.locator(".stop-unserved")).to_be_visible()
            await expect(person.page.locator(".unserved")).to_be_visible()
            await person.shot("server-lost")
        finally:
            os.kill(pid, signal.SIGCONT)
        await expect(person.page.locator(".unserved")).to_be_hidden()
