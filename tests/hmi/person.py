"""Somebody in front of the page: a browser context of their own, and what they do with it."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Browser, Locator, Page, async_playwright, expect

from edge_agent.places import checkout
from tests.hmi.place import USERS

CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
PANEL, PHONE = (1024, 600), (390, 844)
WAIT_MS = 20_000
SHOTS = Path(os.environ.get("SCREENSHOTS", (checkout() or Path()) / ".state" / "screenshots"))
"""Where pictures are kept for a person to look at."""


@dataclass(slots=True)
class Person:
    page: Page
    elsewhere: list[str] = field(default_factory=list)
    """Requests that went anywhere but to the page server."""
    wrong: list[str] = field(default_factory=list)
    """Scripts that failed, and dialogs, of which there should be none."""

    def of(self, name: str) -> Locator:
        return self.page.locator(f"[data-id={name}]")

    async def enter(self, url: str, user: str, password: str | None = None) -> None:
        await self.page.goto(f"{url}login")
        await self.page.fill("input[name=user]", user)
        await self.page.fill("input[name=password]", password or USERS[user])
        await self.page.keyboard.press("Enter")

    async def log_in(self, url: str, user: str) -> None:
        await self.enter(url, user)
        await self.connection("live")

    async def connection(self, word: str) -> None:
        await expect(self.page.locator(f"[data-connection={word}]")).to_be_visible()

    async def cell(self, state: str) -> None:
        await expect(self.page.locator(f"[data-state={state}]")).to_be_visible()

    async def say(self, said: str) -> None:
        await self.of("said").fill(said)
        await self.of("said").press("Enter")

    def answer(self, kind: str) -> Locator:
        """The newest answer of a kind."""
        return self.page.locator(f".answer[data-kind={kind}]").last

    async def confirm(self) -> None:
        await self.of("yes").click()

    async def shot(self, name: str) -> None:
        await self.page.wait_for_timeout(350)  # an arm or a button that is being moved into its place
        await self.page.screenshot(path=SHOTS / f"{name}.png")


@asynccontextmanager
async def running_browser() -> AsyncIterator[Browser]:
    assert shutil.which(CHROMIUM), "Chromium is missing. Type: sudo apt-get install -y chromium fonts-wqy-microhei"
    expect.set_options(timeout=WAIT_MS)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def somebody(
    browser: Browser, url: str, *, size: tuple[int, int] = PANEL, lang: str = "zh-CN"
) -> AsyncIterator[Person]:
    context = await browser.new_context(viewport={"width": size[0], "height": size[1]}, locale=lang)
    context.set_default_timeout(WAIT_MS)
    person = Person(await context.new_page())
    person.page.on("request", lambda request: _note(person, request.url, url))
    person.page.on("pageerror", lambda error: person.wrong.append(str(error)))
    person.page.on("dialog", lambda dialog: person.wrong.append(f"dialog: {dialog.message}"))
    try:
        yield person
    finally:
        await context.close()


def _note(person: Person, asked: str, url: str) -> None:
    own = (url, url.replace("http:", "ws:"), "data:", "blob:")
    if not asked.startswith(own):
        person.elsewhere.append(asked)
