"""An operator's day before the page, in a real browser, against a real broker, agent and simulated arm."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Browser, expect

from tests.hmi.person import somebody
from tests.hmi.place import Place

pytestmark = [pytest.mark.net, pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

MOVE = "动作=夹取并放置 物品类型=glass 箱号=2 设备=arm_01"
FAR = "动作=移动 工位={station} 设备=arm_01"


async def test_a_wrong_password_logs_nobody_in(place: Place, browser: Browser) -> None:
    async with somebody(browser, place.url) as person:
        await person.enter(place.url, "op1", "wrong")
        await expect(person.page.locator("[role=alert]")).to_contain_text("没有登录")
        await person.shot("login-refused")
        await person.page.goto(place.url)
        assert person.page.url.endswith("/login")


async def test_the_role_is_the_agents_word(place: Place, browser: Browser) -> None:
    async with somebody(browser, place.url) as person:
        await person.log_in(place.url, "op1")
        await expect(person.of("who")).to_have_text("op1 · 操作员")
        await person.cell("READY")
        await person.shot("ready")
    async with somebody(browser, place.url) as guest:
        await guest.log_in(place.url, "guest")
        await expect(guest.of("who")).to_have_text("guest · 观察者")


async def test_a_question_is_answered_with_its_evidence_and_its_story(place: Place, browser: Browser) -> None:
    async with somebody(browser, place.url) as person:
        await person.log_in(place.url, "op1")
        await person.say("查一下 glass 的分拣规则")
        answer = person.answer("answer")
        await expect(answer).to_contain_text("2 号箱")
        await answer.locator("summary").click()
        await expect(answer.locator("details")).to_contain_text("R-GLASS-01")
        await person.shot("answer")
        await answer.locator("[data-id=explain]").click()
        await expect(person.of("timeline")).to_be_visible()
        await expect(person.page.locator(".timeline")).to_contain_text("查询分拣规则，因此直接回答")
        await person.shot("timeline")


async def test_markup_that_somebody_says_is_shown_as_text(place: Place, browser: Browser) -> None:
    said = "查一下 <img src=x onerror=alert(1)><script>alert(2)</script> glass ${1+1} `x`"
    async with somebody(browser, place.url) as person:
        await person.log_in(place.url, "op1")
        await person.say(said)
        await expect(person.page.locator("p.said").last).to_have_text(said)
        await expect(person.page.locator(".answer")).not_to_have_count(0)
        await person.of("tab-history").click()
        await expect(person.page.locator("td.asked").first).to_contain_text("<img src=x")
        await person.page.reload()
        await person.connection("live")
        assert await person.page.locator(".hmi img, .hmi script").count() == 0
        assert person.wrong == []


async def test_an_unclear_wish_is_asked_back_and_answered_by_a_button(place: Place, browser: Browser) -> None:
    async with somebody(browser, place.url) as person:
        await person.log_in(place.url, "op1")
        await person.say("帮我处理一下")
        await expect(person.of("clarification")).to_be_visible()
        await person.shot("clarify")
        await person.page.locator(".option", has_text="查询分拣规则").click()
        await expect(person.of("clarification")).to_contain_text("物品类型")
        await person.page.locator(".option", has_text="metal").click()
        await expect(person.answer("answer")).to_contain_text("3 号箱")
        await expect(person.of("clarification")).to_have_count(0)


async def test_a_confirmed_move_is_watched_to_its_receipt(place: Place, browser: Browser) -> None:
    before = await place.frames()
    async with somebody(browser, place.url) as person:
        await person.log_in(place.url, "op1")
        await person.say(MOVE)
        card = person.of("confirmation")
        for told in ("夹取并放置", "arm_01", "glass 取料点", "2 号箱", "已检查", "剩余"):
            await expect(card).to_contain_text(told)
        await person.cell("AWAITING_CONFIRMATION")
        await person.shot("confirm")
        assert await place.frames() == before, "nothing is sent before the yes"
        await person.confirm()
        await expect(person.page.locator("[data-motion=moving]")).to_be_visible()
        await expect(person.of("running")).to_be_visible()
        await person.shot("moving")
        await expect(person.answer("motion")).to_contain_text("已完成并核对")
        await expect(person.page.locator("[data-bin='2'][data-filled=yes]")).to_have_count(1)
        await person.cell("READY")
        await person.shot("verified")
    assert await place.frames() == before + 1


async def test_a_no_sends_nothing(place: Place, browser: Browser) -> None:
    before = await place.frames()
    async with somebody(browser, place.url) as person:
        await person.log_in(place.url, "op1")
        await person.say("动作=回零 设备=arm_01")
        await person.of("no").click()
        await expect(person.answer("rejection")).to_be_visible()
        await person.cell("READY")
    assert await place.frames() == before


async def test_a_viewer_confirms_nothing(place: Place, browser: Browser) -> None:
    before = await place.frames()
    async with somebody(browser, place.url) as guest, somebody(browser, place.url) as person:
        await guest.log_in(place.url, "guest")
        await guest.say("动作=回零 设备=arm_01")
        await expect(guest.answer("rejection")).to_contain_text("PERMISSION_DENIED")
        await person.log_in(place.url, "op1")
        await person.say("动作=回零 设备=arm_01")
        await expect(person.of("yes")).to_be_visible()
        await guest.cell("AWAITING_CONFIRMATION")
        await expect(guest.of("yes")).to_have_count(0)
        await guest.shot("viewer")
        await person.of("no").click()
        await person.cell("READY")
    assert await place.frames() == before


async def test_one_press_stops_a_move(place: Place, browser: Browser) -> None:
    async with somebody(browser, place.url) as person:
        await person.log_in(place.url, "op1")
        await person.say(FAR.format(station="C"))
        await person.confirm()
        await person.cell("EXECUTING")
        await expect(person.page.locator("[data-motion=moving]")).to_be_visible()
        await person.of("stop").click()
        await person.cell("STOPPED")
        await expect(person.of("stop-said")).to_contain_text("两次读回位置不变")
        await expect(person.page.locator("[data-motion=still]")).to_be_visible()
        await person.shot("stopped")
        await person.of("release").click()
        await expect(person.of("confirmation")).to_contain_text("解除停止")
        await person.confirm()
        await person.cell("READY")


async def test_one_press_stops_while_a_question_is_open(place: Place, browser: Browser) -> None:
    before = await place.frames()
    async with somebody(browser, place.url) as person:
        await person.log_in(place.url, "op1")
        await person.say(FAR.format(station="A"))
        await expect(person.of("yes")).to_be_visible()
        await person.of("stop").click()
        await person.cell("STOPPED")
        await expect(person.of("question-over")).to_contain_text("作废")
        await expect(person.of("yes")).to_have_count(0)
        await person.of("release").click()
        await person.confirm()
        await person.cell("READY")
    assert await place.frames() == before


async def test_a_reload_brings_the_question_back(place: Place, browser: Browser) -> None:
    before = await place.frames()
    async with somebody(browser, place.url) as person:
        await person.log_in(place.url, "op1")
        await person.say(FAR.format(station="B"))
        await expect(person.of("yes")).to_be_visible()
        await person.page.reload()
        await expect(person.of("confirmation")).to_contain_text("工位 B")
        await person.connection("live")
        await person.confirm()
        await expect(person.answer("motion")).to_contain_text("已完成并核对")
    assert await place.frames() == before + 1


async def test_another_browser_of_the_same_person_can_answer(place: Place, browser: Browser) -> None:
    async with somebody(browser, place.url) as one, somebody(browser, place.url) as other:
        await one.log_in(place.url, "op1")
        await one.say("动作=回零 设备=arm_01")
        await expect(one.of("yes")).to_be_visible()
        await other.log_in(place.url, "op1")
        await expect(other.of("confirmation")).to_contain_text("回零")
        await other.confirm()
        await expect(other.answer("motion")).to_contain_text("已完成并核对")
        await expect(one.answer("motion")).to_contain_text("已完成并核对")
        await expect(one.of("yes")).to_have_count(0)


async def test_two_operators_at_once(place: Place, browser: Browser) -> None:
    before = await place.frames()
    async with somebody(browser, place.url) as one, somebody(browser, place.url) as two:
        await one.log_in(place.url, "op1")
        await two.log_in(place.url, "op2")
        await one.say(FAR.format(station="A"))
        await expect(one.of("yes")).to_be_visible()
        await two.cell("AWAITING_CONFIRMATION")
        await expect(two.of("yes")).to_have_count(0)
        await one.confirm()
        await two.cell("EXECUTING")
        await two.say("动作=回零 设备=arm_01")
        await expect(two.answer("rejection")).to_be_visible()
        await two.shot("second-operator")
        await two.of("stop").click()
        await one.cell("STOPPED")
        await expect(one.answer("motion")).to_be_visible()
        await one.of("release").click()
        await one.confirm()
        await two.cell("READY")
    assert await place.frames() == before + 1


async def test_a_fault_that_is_in_is_shown_to_everybody(place: Place, browser: Browser) -> None:
    async with somebody(browser, place.url) as person, somebody(browser, place.url) as guest:
        await person.log_in(place.url, "op1")
        await guest.log_in(place.url, "guest")
        await expect(guest.of("tab-lab")).to_be_hidden()
        await person.of("tab-lab").click()
        await person.of("fault-name").select_option("query.timeout")
        await person.of("put").click()
        await expect(guest.of("fault").first).to_contain_text("query.timeout")
        await person.shot("lab")
        await person.of("tab-talk").click()
        await person.say("查一下 paper 的分拣规则")
        await expect(person.answer("answer")).to_contain_text("1 号箱")
        await person.of("tab-lab").click()
        await person.of("clear").click()
        await expect(guest.of("fault")).to_have_count(0)


async def test_charts_and_history_tell_what_was_done(place: Place, browser: Browser) -> None:
    async with somebody(browser, place.url) as person:
        await person.log_in(place.url, "op1")
        await person.of("tab-charts").click()
        for chart in ("items", "outcomes", "latencies", "attempts", "budget"):
            await expect(person.page.locator(f"[data-chart={chart}] svg")).to_be_visible()
        await expect(person.page.locator("[data-chart=items]")).to_contain_text(re.compile("2 号箱: [1-9]"))
        await person.shot("charts")
        await person.of("tab-history").click()
        await expect(person.page.locator("table.rows tbody tr")).not_to_have_count(0)
        await person.shot("history")


async def test_nothing_comes_from_elsewhere(place: Place, browser: Browser) -> None:
    async with somebody(browser, place.url) as person:
        answer = await person.page.goto(f"{place.url}login")
        assert answer is not None
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        await person.log_in(place.url, "op1")
        for tab in ("alarms", "history", "charts", "lab", "talk"):
            await person.of(f"tab-{tab}").click()
        assert person.elsewhere == []
        assert person.wrong == []


async def test_logging_out_ends_it(place: Place, browser: Browser) -> None:
    async with somebody(browser, place.url) as person:
        await person.log_in(place.url, "op1")
        await person.of("logout").click()
        await expect(person.page.locator("input[name=user]")).to_be_visible()
        await person.page.goto(place.url)
        assert person.page.url.endswith("/login")
