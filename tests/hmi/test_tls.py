"""The page with a certificate of its own, where no proxy stands before it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from edge_agent.hmi.launch import running_page
from tests.hmi.place import PREFIX, USERS, Place

pytestmark = [pytest.mark.net, pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def test_it_speaks_tls_by_itself_and_its_cookie_goes_over_nothing_else(
    place: Place, browser: Browser, tmp_path: Path
) -> None:
    certificate, key = _made_in(tmp_path)
    log = tmp_path / "page.log"
    async with running_page(place.broker.port, log=log, prefix=PREFIX, tls=(certificate, key)) as url:
        context = await browser.new_context(ignore_https_errors=True)
        page = await context.new_page()
        await page.goto(f"{url}login")
        await page.fill("input[name=user]", "op1")
        await page.fill("input[name=password]", USERS["op1"])
        await page.keyboard.press("Enter")
        await expect(page.locator("[data-connection=live]")).to_be_visible()
        assert [cookie["secure"] for cookie in await context.cookies()] == [True]
        await context.close()


def _made_in(folder: Path) -> tuple[Path, Path]:
    certificate, key = folder / "page.pem", folder / "page.key"
    made = ("-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=page", "-keyout", key, "-out", certificate)
    subprocess.run(["openssl", "req", "-x509", *made], check=True, capture_output=True)
    return certificate, key
