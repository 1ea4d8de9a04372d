"""A lockout as the operator sees it: why, what is not sure, and that the way out is not on this page."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from tests.hmi.person import PHONE, somebody
from tests.hmi.place import Place

pytestmark = [pytest.mark.net, pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def test_a_lockout_tells_its_reason_and_the_way_out(place: Place, browser: Browser) -> None:
    async with somebody(browser, place.url) as person:
        await person.log_in(place.url, "op1")
        await person.of("tab-lab").click()
        await person.of("fault-name").select_option("arm.receipt_wrong_id")
        await person.of("put").click()
        await expect(person.of("fault").first).to_contain_text("arm.receipt_wrong_id")
        await person.of("tab-talk").click()
        await person.say("动作=回零 设备=arm_01")
        await person.confirm()
        await person.cell("LOCKED_OUT")
        await expect(person.of("lockout-reason")).to_contain_text("回执对不上")
        await expect(person.of("way-out")).to_contain_text("reset_lockout")
        await expect(person.of("banner")).to_contain_text("结果未知的指令：1 条")
        await expect(person.of("release")).to_have_count(0)
        await person.shot("locked-out")
        frames = await place.frames()
        await person.say("动作=回零 设备=arm_01")
        await expect(person.answer("rejection")).to_contain_text("LOCKED_OUT")
        assert await place.frames() == frames

        await person.of("tab-alarms").click()
        alarm = person.page.locator("[data-alarm='arm.receipt_mismatch']")
        await expect(alarm).to_contain_text("command_id")
        await person.shot("alarm")
        await alarm.locator("[data-id=acknowledge]").click()
        await expect(alarm).to_contain_text("已确认")
        await expect(alarm.locator("[data-id=acknowledge]")).to_have_count(0)


async def test_it_is_told_on_a_phone_in_english_too(place: Place, browser: Browser) -> None:
    async with somebody(browser, place.url, size=PHONE, lang="en-US") as person:
        await person.log_in(place.url, "guest")
        await person.cell("LOCKED_OUT")
        await expect(person.of("way-out")).to_contain_text("technician")
        await person.of("tab-alarms").click()
        await expect(person.page.locator("[data-alarm='arm.receipt_mismatch']")).to_contain_text("Go and look")
        await expect(person.of("acknowledge")).to_have_count(0)
        await person.shot("locked-out-phone-en")
