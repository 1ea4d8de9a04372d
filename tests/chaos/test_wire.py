"""What others met on the wire between host and arm, told to the whole agent: each row by its number in the table.

The receipts, replies and cables lie; the journal, the proxy's count and the controller's own history say what was.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from edge_agent.run.journal import Kind
from tests.chaos.checker import Evidence, violations
from tests.chaos.episode import all_ended
from tests.chaos.site import POLL_S, WITHIN_S, Lane, NotReached, Site, lane
from tests.chaos.visitor import PARK, PICK_AND_PLACE, AtTheConsole, Message, ask, confirmation, message, move

pytestmark = [pytest.mark.net, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(120)]

MIDWAY, LATE = {"when": "executing"}, {"delay_ms": 150}


@dataclass(frozen=True, slots=True)
class Row:
    """A fault under one pick-and-place, and what must come of it. `executed`: whether it had in truth run."""

    fault: str
    ends: frozenset[str]
    cell: str
    code: str | None = None
    executed: int = 1
    stops: bool = True
    args: dict[str, Any] = field(default_factory=dict)


UNKNOWN, ABORTED, VERIFIED = frozenset({"UNKNOWN"}), frozenset({"ABORTED", "UNKNOWN"}), frozenset({"VERIFIED"})

ROWS: dict[str, Row] = {
    "h1 the controller swallows the write": Row("command_swallowed", UNKNOWN, "LOCKED_OUT", executed=0),
    "h3 acknowledged at another address": Row("reply_wrong_address", UNKNOWN, "LOCKED_OUT", "RECEIPT_MISMATCH"),
    "h3 acknowledged with another count": Row("reply_wrong_count", UNKNOWN, "LOCKED_OUT", "RECEIPT_MISMATCH"),
    "h6 an exception though it runs": Row("exception_after_execution", UNKNOWN, "LOCKED_OUT", "OUTCOME_UNKNOWN"),
    "h6 the reply is lost though it runs": Row("reply_lost_after_execution", UNKNOWN, "LOCKED_OUT", "OUTCOME_UNKNOWN"),
    "h10 the controller restarts midway": Row("controller_reboot", UNKNOWN, "LOCKED_OUT", args=MIDWAY),
    "h14 accepted and never finished": Row("never_finishes", UNKNOWN, "LOCKED_OUT", "RECEIPT_LATE"),
    "h15 the last job's receipt still stands": Row("receipt_late", VERIFIED, "READY", stops=False, args=LATE),
    "h16 the controller's own stop midway": Row("controller_estop", ABORTED, "LOCKED_OUT", args=MIDWAY),
    "h32 it runs on and no receipt comes": Row("receipt_missing", UNKNOWN, "LOCKED_OUT", "RECEIPT_MISSING"),
}  # fmt: skip


async def _ready(here: Lane, broken: str | None = None, **settings: Any) -> tuple[Site, AtTheConsole]:
    site = await here.fresh(**settings)
    await site.start(broken=broken)
    await site.ready("READY")
    return site, AtTheConsole(site)


async def _until(site: Site, holds: Callable[[], Awaitable[bool]], what: str) -> None:
    deadline_s = time.monotonic() + WITHIN_S
    while not await holds():
        if time.monotonic() > deadline_s:
            raise NotReached(f"{what}\n{site.agent_log()}")
        await asyncio.sleep(POLL_S)


async def _found(site: Site) -> Evidence:
    await all_ended(site)
    view = await site.console.ask(op="view")
    assert view is not None
    found = await site.evidence(view["state"])
    wrong = violations(found)
    assert not wrong, "\n".join(wrong)
    return found


async def _first_job(site: Site, who: AtTheConsole) -> None:
    """So that the counters, the receipt and the last id are those of another command."""
    done = await move(who, PARK)
    assert done.get("command_state") == "VERIFIED", done
    assert (await site.console.ask(op="view") or {})["state"] == "READY"


@pytest.mark.parametrize("name", ROWS)
async def test_wire(here: Lane, name: str) -> None:
    await _told(here, ROWS[name])


@pytest.mark.parametrize(
    ("broken", "name", "says"),
    [
        ("believes_the_last_receipt", "h15 the last job's receipt still stands", "without a receipt that says DONE"),
        ("late_means_failed", "h1 the controller swallows the write", "REJECTED"),
    ],
)
async def test_wire_catches_an_agent_that_is_broken(here: Lane, broken: str, name: str, says: str) -> None:
    with pytest.raises(AssertionError, match=says):
        await _told(here, ROWS[name], broken)


async def _told(here: Lane, row: Row, broken: str | None = None) -> None:
    site, who = await _ready(here, broken, cell="short_cell.toml")
    await _first_job(site, who)
    await site.cell.put_fault(row.fault, args=row.args)
    told = await move(who, PICK_AND_PLACE)
    assert told.get("command_state") in row.ends, told
    if row.code is not None:
        assert told["error"]["code"] == row.code, told
    found = await _found(site)
    assert found.cell_state == row.cell
    assert [sight.command_id for sight in found.motions] == [1, 2]
    assert sum(motion.command_id == 2 for motion in found.executed) == row.executed
    assert any(sight.kind == "stop" for sight in found.sights) is row.stops
    if row.cell == "LOCKED_OUT":
        await _stays_locked(site, who)
    await site.leave()


async def _stays_locked(site: Site, who: AtTheConsole) -> None:
    """Nothing moves: not by the fault going away, not by the controller's key, not by asking."""
    await site.cell.clear_faults()
    for name in ("estop", "guard"):
        await site.cell.set_input(name, True)
    await site.cell.press_key()
    _, refused = await ask(who, PICK_AND_PLACE)
    assert refused["reason"] == "locked_out", refused
    assert len(await site.cell.motion_frames()) == 2
    assert (await site.cell.state())["running"] == 0


async def test_wire_h5_the_peer_hangs_up_while_idle(here: Lane) -> None:
    """No silent reconnect: OFFLINE, identified again, and what was asked before must be asked again."""
    site, who = await _ready(here)
    _, prompt = await ask(who, PICK_AND_PLACE)
    await site.cell.put_fault("unavailable")
    await site.ready("OFFLINE")
    await site.cell.clear_faults()
    await site.ready("READY")
    answer = confirmation(who, prompt)
    await who.send(answer)
    told = await who.content(answer.run)
    assert told["reason"] == "prompt_void", told
    assert not await site.cell.motion_frames()
    assert (await move(who, PARK)).get("command_state") == "VERIFIED"
    await _found(site)
    await site.leave()


async def test_wire_h10_the_controller_restarts_while_idle(here: Lane) -> None:
    site, who = await _ready(here)
    await _first_job(site, who)
    await site.cell.put_fault("controller_reboot", args={"when": "now"})
    await site.ready("LOCKED_OUT")
    await site.until_rows(1, Kind.LOCKOUT)
    found = await _found(site)
    assert found.of(Kind.LOCKOUT)[0].body["reason"] in ("controller_rebooted", "integrity_lost")
    await site.leave()


@pytest.mark.parametrize("ahead_s", [3600, -3600])
async def test_wire_h11_the_wall_clock_jumps_during_a_move(here: Lane, ahead_s: int) -> None:
    site, who = await _ready(here)
    _, prompt = await ask(who, PICK_AND_PLACE)
    answer = confirmation(who, prompt)
    await who.send(answer)
    await site.ready("EXECUTING")
    await site.console.ask(op="wall", ahead_s=ahead_s)
    told = await who.content(answer.run)
    assert told["command_state"] == "VERIFIED", told
    assert (await site.console.ask(op="view") or {})["state"] == "READY"
    await site.leave()


async def test_wire_h34_the_cable_is_pulled_during_a_move() -> None:
    """The controller stops by its own dead-man; the agent locks out and says that it does not know."""
    async with lane(time_scale=4.0) as slow:
        site, who = await _ready(slow)
        _, prompt = await ask(who, PICK_AND_PLACE)
        answer = confirmation(who, prompt)
        await who.send(answer)
        await site.ready("EXECUTING")
        await site.cell.put_fault("unavailable")
        told = await who.content(answer.run)
        assert told["command_state"] == "UNKNOWN", told

        async def at_rest() -> bool:
            return (await site.cell.state())["running"] == 0

        await _until(site, at_rest, "the controller's own stop")
        assert (await site.cell.state())["fault_code"] == 0x0401
        await site.ready("LOCKED_OUT")
        await site.cell.clear_faults()
        assert (await _found(site)).cell_state == "LOCKED_OUT"
        await site.leave()


async def test_wire_h7_beats_looks_and_a_command_share_one_wire(here: Lane) -> None:
    """Ten commands with everything else going on beside them: one frame each, nothing overlapping, nothing lost."""
    site, who = await _ready(here)
    for number in range(10):
        text = ("action=open_gripper device=arm_01", "action=close_gripper device=arm_01")[number % 2]
        assert (await move(who, text)).get("command_state") == "VERIFIED"
    found = await _found(site)
    assert [sight.command_id for sight in found.motions] == list(range(1, 11))
    assert [motion.command_id for motion in found.executed] == list(range(1, 11))
    await site.leave()


async def test_wire_h22_killed_with_five_requests_queued(here: Lane) -> None:
    """What has a row has an end; what has none was never accepted, and is answered when it is sent again."""
    site = await here.fresh()
    await site.start(spoilt_disk=True)
    await site.ready("READY")
    who = AtTheConsole(site)
    said = [message("ask", text="which bin does glass go into") for _ in range(5)]
    await site.console.ask(op="disk", set={"hold_s": 5.0})
    waiting = [asyncio.create_task(who.send(each)) for each in said]

    async def held() -> bool:
        return bool((await site.console.ask(op="disk", set={}) or {}).get("held"))

    await _until(site, held, "the first of them waits for the disk")
    await site.kill()
    await asyncio.gather(*waiting)
    await site.start()
    await site.ready("READY")
    stored = {row.run for row in site.rows(Kind.REQUEST)}
    for each in said:
        await who.send(each)
    await _until_all_told(site, said)
    await _found(site)
    refused = {row.run or row.body.get("name") for row in site.rows(Kind.REJECTION)}
    assert len(site.rows(Kind.REQUEST)) == 5
    assert len(site.rows(Kind.REJECTION)) == len(stored), refused
    await site.leave()


async def _until_all_told(site: Site, said: list[Message]) -> None:
    async def told() -> bool:
        return {row.run for row in site.rows(Kind.TERMINAL)} >= {each.run for each in said}

    await _until(site, told, "each has its end")
