"""How the page looks and is used: both sizes, both languages, by keyboard alone, and with letters, not boxes."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from tests.hmi.person import PANEL, PHONE, SHOTS, somebody
from tests.hmi.pictures import keep
from tests.hmi.place import Place

pytestmark = [pytest.mark.net, pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

SIZES = {"panel": PANEL, "phone": PHONE}
LANGS = {
    "zh": ("zh-CN", "停止", "动作=夹取并放置 物品类型=glass 箱号=2 设备=arm_01"),
    "en": ("en-US", "STOP", "action=pick_place item=glass bin=2 device=arm_01"),
}
UNASSIGNED = "\u0378"
"""No character at all: it looks as everything looks that no font here has."""

OUTSIDE = """() => [...document.querySelectorAll('button, input, select, a, h1, h2, h3, p, dd, text')]
  .filter(e => e.checkVisibility({visibilityProperty: true}) && !e.closest('.skip, .scroll, .talk, .tabs'))
  .map(e => [e.className.toString() + ' ' + e.textContent.slice(0, 30), e.getBoundingClientRect()])
  .filter(([, r]) => r.width > 0 && (r.right > innerWidth + 1 || r.left < -1 || r.bottom > innerHeight + 1))
  .map(([name, r]) => `${name} ${Math.round(r.left)} ${Math.round(r.right)} ${Math.round(r.bottom)}`)"""
NAMELESS = """() => {
  const byText = '.hmi button, .hmi input, .hmi select, .hmi a, .hmi summary';
  const byLabel = '.hmi nav, .hmi [role=img], .hmi [role=log], .hmi section:not(.tab, .banner-holder)';
  const named = e => (e.getAttribute('aria-label') || (e.matches(byText) ? e.textContent : '')).trim();
  return [...document.querySelectorAll(byText + ',' + byLabel)]
    .filter(e => e.checkVisibility() && !named(e)).map(e => e.outerHTML.slice(0, 80));
}"""
MISTAKES = """() => {
  const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  const found = ids.filter((id, n) => ids.indexOf(id) !== n);
  if (document.querySelectorAll('main, [role=main]').length !== 1) found.push('not one main');
  if (document.querySelectorAll('h1').length !== 1) found.push('not one h1');
  if (!document.querySelector('.hmi').lang) found.push('no language');
  if (document.querySelector('[tabindex]:not([tabindex="0"], [tabindex="-1"])')) found.push('an order of its own');
  for (const live of ['[role=log][aria-live=polite]', '[data-id=question][aria-live=assertive]', '[role=status]',
                      '[data-id=banner][aria-live=polite]', '[data-id=notice][role=alert]'])
    if (!document.querySelector('.hmi ' + live)) found.push('nothing speaks: ' + live);
  return found;
}"""
REACHABLE = """() => [...document.querySelectorAll('.hmi button, .hmi input, .hmi select, .hmi a, .hmi summary')]
  .filter(e => e.checkVisibility() && !e.disabled).map((e, n) => { e.dataset.reach = n; return String(n); })"""
FOCUSED = """() => { const e = document.activeElement, s = getComputedStyle(e);
  return [e.dataset.reach ?? '', s.outlineStyle !== 'none' || s.boxShadow !== 'none']; }"""
SMALL = """() => [...document.querySelectorAll('.hmi button, .hmi input, .hmi select')]
  .filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 40).map(e => e.textContent)"""
PIXELS = """async (letter) => {
  const canvas = document.createElement('canvas'); canvas.width = canvas.height = 64;
  const on = canvas.getContext('2d'); on.font = '48px ' + getComputedStyle(document.body).fontFamily;
  on.fillText(letter, 4, 52); return [...on.getImageData(0, 0, 64, 64).data].join();
}"""


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("size", SIZES)
async def test_it_fits_in_both_sizes_and_languages(place: Place, browser: Browser, size: str, lang: str) -> None:
    locale, stop, move = LANGS[lang]
    async with somebody(browser, place.url, size=SIZES[size], lang=locale) as person:
        page = person.page
        await person.enter(place.url, "op1", "wrong")
        await person.shot(f"login-{size}-{lang}")
        await person.log_in(place.url, "op1")
        await expect(page.locator("html, #hmi").last).to_have_attribute("lang", locale.replace("-US", ""))
        await person.cell("READY")
        await person.shot(f"ready-{size}-{lang}")
        await person.say("glass")
        await expect(page.locator(".answer")).not_to_have_count(0)
        await person.say(move)
        await expect(person.of("yes")).to_be_visible()
        await person.shot(f"confirm-{size}-{lang}")
        await expect(person.of("stop")).to_have_text(stop)
        box = await person.of("stop").bounding_box()
        assert box is not None
        assert box["height"] >= 60
        assert box["y"] + box["height"] <= SIZES[size][1]
        for name in ("yes", "no", "said"):
            await expect(person.of(name)).to_be_in_viewport(ratio=1)
        assert await page.evaluate(OUTSIDE) == []
        assert await page.evaluate(NAMELESS) == []
        assert await page.evaluate(SMALL) == []
        await person.confirm()
        await expect(page.locator("[data-motion=moving]")).to_have_count(1)
        await page.wait_for_timeout(900)
        await person.shot(f"moving-{size}-{lang}")
        await expect(person.answer("motion")).to_be_visible()
        await person.shot(f"verified-{size}-{lang}")
        for tab in ("alarms", "history", "charts", "lab"):
            await person.of(f"tab-{tab}").click()
            await page.wait_for_timeout(300)
            await expect(person.of("stop")).to_be_in_viewport(ratio=1)
            assert await page.evaluate(OUTSIDE) == []
            await person.shot(f"{tab}-{size}-{lang}")
    keep(SHOTS, size, lang)


async def test_the_language_is_switched_in_place_while_a_question_is_open(place: Place, browser: Browser) -> None:
    async with somebody(browser, place.url) as person:
        await person.log_in(place.url, "op1")
        await person.say("动作=回零 设备=arm_01")
        await expect(person.of("yes")).to_have_text("确认执行")
        await person.page.get_by_role("button", name="Switch to English").click()
        await expect(person.of("yes")).to_have_text("Confirm: do it")
        await expect(person.of("stop")).to_have_text("STOP")
        await person.of("no").click()
        await expect(person.answer("rejection")).to_contain_text("cancelled")
        await person.cell("READY")


async def test_it_can_be_used_by_keyboard_alone(place: Place, browser: Browser) -> None:
    async with somebody(browser, place.url, lang="en-US") as person:
        page = person.page
        await person.log_in(place.url, "op1")
        await person.cell("READY")
        await page.keyboard.press("Tab")
        await expect(page.locator(":focus")).to_have_text("Skip to the request line")
        await person.of("said").focus()
        await page.keyboard.type("action=move station=C device=arm_01")
        await page.keyboard.press("Enter")
        await expect(person.of("yes")).to_be_visible()
        await person.of("yes").focus()
        await page.keyboard.press("Enter")
        await person.cell("EXECUTING")
        await page.keyboard.press("F9")
        await person.cell("STOPPED")
        await person.of("release").focus()
        await page.keyboard.press("Space")
        await expect(person.of("yes")).to_be_visible()
        await person.of("yes").focus()
        await page.keyboard.press("Space")
        await person.cell("READY")


async def test_every_control_of_every_tab_is_reached_by_tab_and_has_a_name(place: Place, browser: Browser) -> None:
    async with somebody(browser, place.url, lang="en-US") as person:
        page = person.page
        await person.log_in(place.url, "op1")
        await person.cell("READY")
        await person.say("which bin for glass?")
        await expect(person.answer("answer")).to_be_visible()
        for tab in ("talk", "alarms", "history", "charts", "lab"):
            await person.of(f"tab-{tab}").click()
            await page.wait_for_timeout(400)  # what the tab asks the agent for is there
            assert await page.evaluate(NAMELESS) == []
            assert await page.evaluate(MISTAKES) == []
            wanted, reached = set(await page.evaluate(REACHABLE)), set()
            for _ in range(2 * len(wanted) + 4):
                await page.keyboard.press("Tab")
                at, seen = await page.evaluate(FOCUSED)
                assert seen or not at, f"the focus is not to be seen on {at}"
                reached.add(at)
            assert wanted <= reached


async def test_a_screen_reader_is_told_what_is_drawn(place: Place, browser: Browser) -> None:
    async with somebody(browser, place.url, lang="en-US") as person:
        await person.log_in(place.url, "op1")
        await person.cell("READY")
        await expect(person.page.get_by_role("img", name="The cell from above: ready, still")).to_be_visible()
        await expect(person.page.get_by_role("status").first).to_contain_text("Live")
        await expect(person.page.get_by_role("log", name="Conversation")).to_be_visible()


async def test_chinese_is_shown_with_letters(place: Place, browser: Browser) -> None:
    """Without a font for it every character is the same empty box, and pictures of these tests are worth nothing."""
    async with somebody(browser, place.url) as person:
        await person.page.goto(f"{place.url}login")
        drawn = {letter: await person.page.evaluate(PIXELS, letter) for letter in ("停", "止", UNASSIGNED)}
    assert len(set(drawn.values())) == 3
