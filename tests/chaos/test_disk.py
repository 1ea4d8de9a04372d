"""The disk fails under a motion, at each of its syncs and writes: what cannot be written down is not done."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from edge_agent.run.journal import Kind
from tests.chaos.amount import amount
from tests.chaos.checker import violations
from tests.chaos.disk import FULL, IOERR_FSYNC
from tests.chaos.episode import EVERY_ACTION, all_ended
from tests.chaos.figures import note
from tests.chaos.site import POLL_S, WITHIN_S, Lane, NotReached, Site, lane
from tests.chaos.visitor import AtTheConsole, confirmation, message

pytestmark = [pytest.mark.net, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(amount(300, 3_600))]

SYNCS = range(0, 24, amount(2, 1))
"""A motion's own are about twenty; the last ones come after its end."""
LIMIT_S = WITHIN_S
"""An agent that cannot write locks out, and is waited for no longer."""
SAYS_NOTHING_S = 6.0
"""One that is deaf to it does neither; a motion is over in one."""
WRITES = range(0, 160, amount(16, 2))
"""Five to nine a commit."""


_done: list[Mapping[str, Any]] = []


async def _spoilt_motion(
    site: Site, disk: Mapping[str, Any], broken: str | None = None, limit_s: float = LIMIT_S
) -> list[str]:
    """What the checker says after a motion on such a disk and another life on a sound one."""
    await site.start(spoilt_disk=True, broken=broken)
    await site.ready("READY")
    await site.console.ask(op="disk", set=disk)
    await _try_to_move(site, limit_s)
    struck = await site.console.ask(op="disk", set={})
    on_the_way = bool(site.rows(Kind.COMMAND))
    view = await site.console.ask(op="view")
    await site.kill()
    await site.start()
    state = await site.ready()
    await all_ended(site)
    wrong = violations(await site.evidence(state))
    assert struck is not None
    assert view is not None
    if struck["failed"] and on_the_way and view["state"] != "LOCKED_OUT":
        wrong.append(f"the disk failed under a command and the cell went on: {view}")
    return [f"{dict(disk)}: {what}" for what in wrong]


async def _try_to_move(site: Site, limit_s: float) -> None:
    """As far as it goes."""
    who = AtTheConsole(site)
    said = message("ask", text=EVERY_ACTION["close"])
    await who.send(said)
    prompt = await _content(site, said.run, limit_s)
    if prompt is not None and prompt.get("kind") == "confirmation":
        answer = confirmation(who, prompt)
        await who.send(answer)
        await _content(site, answer.run, limit_s)


async def _content(site: Site, run: str, limit_s: float) -> dict[str, Any] | None:
    """None when the cell locked out instead, or nothing came of it."""
    loop = asyncio.get_running_loop()
    deadline_s = loop.time() + limit_s
    while loop.time() < deadline_s:
        events = [row.body["event"] for row in site.rows(Kind.EVENT, run=run)]
        found: dict[str, Any] | None = next((e for e in events if e["type"] in ("content", "failure")), None)
        if found is not None and site.rows(Kind.TERMINAL, run=run):
            return found
        view = await site.console.ask(op="view")
        if view is None or view["state"] == "LOCKED_OUT":
            return found
        await asyncio.sleep(POLL_S)
    return None


async def _all(disks: list[dict[str, Any]]) -> list[str]:
    wrong: list[str] = []
    waiting = list(disks)

    async def work(here: Lane) -> None:
        while waiting:
            site, disk = await here.fresh(), waiting.pop(0)
            try:
                wrong.extend(await _spoilt_motion(site, disk))
            except NotReached as late:
                wrong.append(f"{disk}: {late}")
            finally:
                await site.leave()

    async with lane() as first, lane() as second:
        await asyncio.gather(work(first), work(second))
    _done.extend(disks)
    note("motions over a disk that fails", len(_done))
    return wrong


async def test_powercut_sync_fails_at_each_place() -> None:
    wrong = await _all([{"fail_at": "sync", "fail_after": n, "code": IOERR_FSYNC} for n in SYNCS])
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("once", [True, False])
async def test_powercut_disk_is_full_at_each_place(once: bool) -> None:
    """`once`: the ballast makes room again."""
    wrong = await _all([{"fail_at": "write", "fail_after": n, "code": FULL, "once": once} for n in WRITES])
    assert not wrong, "\n".join(wrong)


async def test_powercut_catches_an_agent_that_is_deaf_to_its_journal(here: Lane) -> None:
    """The disk is full just before the intent; this agent sends all the same."""
    said = list[str]()
    for number in (70, 76, 82, 88):
        site = await here.fresh()
        disk = {"fail_at": "write", "fail_after": number, "code": FULL}
        said += await _spoilt_motion(site, disk, broken="deaf_to_the_journal", limit_s=SAYS_NOTHING_S)
    assert "its intent is not in the journal" in "\n".join(said)
