"""With the model up, a wish that may be an order is asked about by name, and the page shows a yes and a no to it."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from edge_agent.demo.person import Person
from tests.hmi.person import running_browser, somebody
from tests.hmi.place import PREFIX, USERS, running_place

pytestmark = [pytest.mark.net, pytest.mark.model]

READY_S = 60.0
WISH = "爪子张到最大，就现在"


async def test_a_wish_is_asked_about_by_name_and_a_yes_moves_nothing_yet() -> None:
    async with running_place(model=True) as place, running_browser() as browser, somebody(browser, place.url) as person:
        before = await place.frames()
        async with Person.at(place.broker.port, "op2", USERS["op2"], PREFIX) as other:
            await other.until_model(READY_S)
        await person.log_in(place.url, "op1")
        await person.say(WISH)
        asked = person.of("clarification")
        await expect(asked).to_contain_text("你是要：张开夹爪吗")
        await expect(asked).to_contain_text("目前没有下发任何指令")
        await person.shot("wish")
        await person.page.locator(".option", has_text="不是这个意思").click()
        await expect(person.answer("done_ack")).to_contain_text("没有")
        await person.say(WISH)
        await person.page.locator(".option", has_text="张开夹爪").click()
        await expect(person.of("confirmation")).to_contain_text("张开夹爪")
        assert await place.frames() == before, "a yes to this question is no confirmation"
        await person.confirm()
        await expect(person.answer("motion")).to_contain_text("已完成并核对")
        assert await place.frames() == before + 1
