"""Every fault of the catalogue, put in over the control pipe, and what the driver then reports.

Whatever strikes: one frame of the command on the wire, at most one motion in the ground truth.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from drivers.cell_modbus.faults import CATALOGUE, FaultPort
from drivers.cell_modbus.rig import ModbusCell
from drivers.contract import Action, ControllerState, DriverError, LinkLost, NotSent, ReceiptState, WrongReply
from drivers.package import FaultArgument
from drivers.wire.modbus import ErrorReply
from tests.drivers.bench import SESSION, driver_at, idle, job_of, later, run, stopped, until_final

pytestmark = pytest.mark.net

JOB = job_of(Action.PICK_PLACE, 0x1092)
LONG_MS = 100
"""Longer than the controller's slowest beat; read on the controller's own clock."""


@dataclass(frozen=True)
class Strike:
    """A fault and what must come of one job under it."""

    fault: str
    args: dict[str, FaultArgument] = field(default_factory=dict)
    send: type[DriverError] | None = None
    final: tuple[ReceiptState, int] | None = None
    differs: tuple[str, ...] = ()
    moved: bool = True

    def __str__(self) -> str:
        return "-".join([self.fault, *map(str, self.args.values())])


DONE, REJECTED, ABORTED = ReceiptState.DONE, ReceiptState.REJECTED, ReceiptState.ABORTED
MIDWAY: dict[str, FaultArgument] = {"when": "executing"}

WITH_RECEIPT = (
    Strike("unreachable", final=(REJECTED, 0x0302), moved=False),
    Strike("no_part", final=(REJECTED, 0x0601), moved=False),
    Strike("ttl_exceeded", final=(REJECTED, 0x0106), moved=False),
    Strike("part_lost", final=(ABORTED, 0x0602)),
    Strike("controller_estop", MIDWAY, final=(ABORTED, 0x0502)),
    Strike("guard_open", MIDWAY, final=(ABORTED, 0x0503)),
    Strike("heartbeat_frozen", MIDWAY, final=(DONE, 0)),
    Strike("receipt_late", {"delay_ms": 50}, final=(DONE, 0)),
    Strike("receipt_wrong_device", final=(DONE, 0), differs=("device_id",)),
    Strike("receipt_wrong_echo", final=(DONE, 0), differs=("fingerprint",)),
    Strike("duplicate_reply", final=(DONE, 0)),
    Strike("duplicate", final=(DONE, 0)),
)


@pytest.mark.parametrize("strike", WITH_RECEIPT, ids=str)
async def test_fault_that_leaves_a_receipt(cell: ModbusCell, strike: Strike) -> None:
    async with driver_at(cell.wire) as driver:
        await driver.identify(SESSION)
        await cell.put_fault(strike.fault, seed=3, args=strike.args)
        receipt = await run(driver, JOB)
        assert (receipt.state, receipt.code) == strike.final
        assert receipt.differs_from(JOB.order, driver.fingerprint(JOB)) == strike.differs
    await one_frame(cell, moved=strike.moved)


BREAKING = (
    Strike("reply_lost_after_execution", send=LinkLost),
    Strike("reply_wrong_address", send=WrongReply),
    Strike("reply_wrong_count", send=WrongReply),
    Strike("exception_after_execution", send=ErrorReply),
    Strike("drop", {"direction": "response"}, send=LinkLost),
    Strike("drop", {"direction": "request"}, send=LinkLost, moved=False),
    Strike("delay", {"direction": "response"}, send=LinkLost),
    Strike("garbage", {"direction": "response"}, send=LinkLost),
    Strike("garbage", {"direction": "request"}, send=LinkLost, moved=False),
    Strike("cut", {"direction": "request"}, send=LinkLost),
)


@pytest.mark.parametrize("strike", BREAKING, ids=str)
async def test_h1_h3_h6_fault_that_breaks_the_write(cell: ModbusCell, strike: Strike) -> None:
    """The outcome is unknown, the link is closed, and nothing brings the command on the wire again."""
    assert strike.send is not None
    async with driver_at(cell.wire) as driver:
        await driver.identify(SESSION)
        await cell.put_fault(strike.fault, seed=3, args=strike.args)
        with pytest.raises(strike.send) as raised:
            await driver.send(JOB)
        assert not isinstance(raised.value, NotSent)
        with pytest.raises(NotSent):
            await driver.send(job_of(Action.HOME, 0x1093))
        await stopped(driver)
        with pytest.raises(NotSent):
            await driver.send(job_of(Action.HOME, 0x1093))
    await one_frame(cell, moved=strike.moved)


UNREADABLE = ("receipt_missing", "receipt_bad_crc", "receipt_torn")


@pytest.mark.parametrize("fault", UNREADABLE)
async def test_unreadable_receipt_is_none_and_never_a_mismatch(cell: ModbusCell, fault: str) -> None:
    async with driver_at(cell.wire) as driver:
        await driver.identify(SESSION)
        await cell.put_fault(fault)
        await driver.send(JOB)
        await idle(driver)
        assert await driver.receipt(JOB.order.command_id) is None
    await one_frame(cell)


async def test_wrong_id_and_wrong_parameter_are_reported_as_read(cell: ModbusCell) -> None:
    async with driver_at(cell.wire) as driver:
        await driver.identify(SESSION)
        for number, fault in enumerate(("receipt_wrong_id", "receipt_wrong_parameter"), start=1):
            await cell.put_fault(fault, seed=number)
            job = job_of(Action.MOVE, 16 * number)
            await driver.send(job)
            await idle(driver)
            receipt = await driver.receipt(job.order.command_id)
            assert receipt is not None
            assert len(receipt.differs_from(job.order, driver.fingerprint(job))) == 1


async def test_h1_swallowed_write_leaves_the_old_receipt(cell: ModbusCell) -> None:
    async with driver_at(cell.wire) as driver:
        await driver.identify(SESSION)
        await run(driver, job_of(Action.HOME, 1))
        await cell.put_fault("command_swallowed")
        await driver.send(job_of(Action.PARK, 2))
        receipt = await driver.receipt(2)
        assert receipt is not None
        assert (receipt.echo.command_id, receipt.state) == (1, ReceiptState.DONE)
    assert [motion.command_id for motion in await cell.executed()] == [1]


async def test_h15_late_receipt_shows_the_last_job_first(cell: ModbusCell) -> None:
    async with driver_at(cell.wire) as driver:
        await driver.identify(SESSION)
        await run(driver, job_of(Action.HOME, 1))
        await cell.put_fault("receipt_late", args={"delay_ms": 200})
        await driver.send(job_of(Action.PARK, 2))
        receipt = await driver.receipt(2)
        assert receipt is not None
        assert receipt.echo.command_id == 1
        assert (await until_final(driver, job_of(Action.PARK, 2))).state is ReceiptState.DONE


async def test_h14_never_finishing_motion_ends_by_stop(cell: ModbusCell) -> None:
    job = job_of(Action.PARK, 5, max_duration_ms=100)
    async with driver_at(cell.wire) as driver:
        await driver.identify(SESSION)
        await cell.put_fault("never_finishes")
        await driver.send(job)
        before = await driver.snapshot()
        while (now := await driver.snapshot()).uptime_ms < before.uptime_ms + 2 * job.max_duration_ms:
            await driver.heartbeat(now.uptime_ms)
        receipt = await driver.receipt(5)
        assert receipt is not None
        assert receipt.state is ReceiptState.EXECUTING
        await driver.request_stop()
        ended = await until_final(driver, job)
        assert (ended.state, ended.code) == (ReceiptState.ABORTED, 0x0206)


async def test_reboot_midway_cuts_the_link_and_changes_the_boot_id(cell: ModbusCell) -> None:
    async with driver_at(cell.wire) as driver:
        before = await driver.identify(SESSION)
        await cell.put_fault("controller_reboot", args=MIDWAY)
        with pytest.raises(LinkLost):
            await run(driver, JOB)
        after = await driver.identify(SESSION + 1)
        assert after.boot_id != before.boot_id
        assert (await driver.snapshot()).last_command_id == 0
        assert await driver.receipt(JOB.order.command_id) is None
        assert (await driver.snapshot()).executed == 0
        await idle(driver)
        old = job_of(Action.HOME, JOB.order.command_id, session=SESSION + 1)
        assert (await run(driver, old)).code == 0x0105
    assert len(await cell.executed()) == 1


async def test_h16_estop_released_moves_nothing_and_asks_for_the_key(cell: ModbusCell) -> None:
    async with driver_at(cell.wire) as driver:
        await driver.identify(SESSION)
        await cell.put_fault("controller_estop", args=MIDWAY)
        await run(driver, JOB)
        pressed = await driver.snapshot()
        assert (pressed.state, pressed.interlocks.estop_ok) == (ControllerState.CONTROLLER_ESTOP, False)
        await cell.set_input("estop", True)
        released = await driver.snapshot()
        assert (released.interlocks.estop_ok, released.interlocks.reset_required) == (True, True)
        assert (released.state, released.pose) == (pressed.state, pressed.pose)
        await cell.press_key()
        assert (await driver.snapshot()).state is ControllerState.IDLE
    assert len(await cell.executed()) == 1


async def test_frozen_heartbeat_stands_while_the_clock_runs(cell: ModbusCell) -> None:
    async with driver_at(cell.wire) as driver:
        await driver.identify(SESSION)
        await cell.put_fault("heartbeat_frozen")
        first = await driver.snapshot()
        last = await later(driver, first.uptime_ms + LONG_MS)
        assert last.controller_heartbeat == first.controller_heartbeat
        await cell.clear_faults()
        assert (await later(driver, last.uptime_ms + LONG_MS)).controller_heartbeat != first.controller_heartbeat


async def test_unavailable_refuses_the_link_and_proves_that_nothing_was_sent(cell: ModbusCell) -> None:
    async with driver_at(cell.wire) as driver:
        await driver.identify(SESSION)
        await cell.put_fault("unavailable")
        with pytest.raises(NotSent):
            await driver.send(JOB)
        with pytest.raises(LinkLost):
            await driver.identify(SESSION)
        with pytest.raises(LinkLost):
            await driver.snapshot()
        await cell.clear_faults()
        await driver.identify(SESSION)
        assert (await run(driver, JOB)).state is ReceiptState.DONE
    await one_frame(cell)


async def test_guard_open_now_is_an_interlock_until_cleared_and_reset(cell: ModbusCell) -> None:
    async with driver_at(cell.wire) as driver:
        await driver.identify(SESSION)
        await cell.put_fault("guard_open")
        assert not (await driver.snapshot()).interlocks.guard_closed
        assert [fault.name for fault in await cell.active_faults()] == ["guard_open"]
        assert (await run(driver, JOB)).code == 0x0503
        await cell.clear_faults()
        assert (await driver.snapshot()).interlocks.reset_required
        await cell.press_key()
        assert (await run(driver, job_of(Action.HOME, 0x1093))).state is ReceiptState.DONE


BAD: tuple[tuple[str, int, dict[str, FaultArgument]], ...] = (
    ("no_such_fault", 1, {}),
    ("drop", 0, {}),
    ("drop", 10_001, {}),
    ("drop", 1, {"frames": "all"}),
    ("receipt_late", 1, {"delay_ms": -1}),
    ("receipt_torn", 1, {"when": "now"}),
)


@pytest.mark.parametrize(("name", "count", "args"), BAD)
async def test_bad_fault_is_refused_by_name(
    cell: ModbusCell, name: str, count: int, args: dict[str, FaultArgument]
) -> None:
    with pytest.raises(DriverError, match=r"fault|count|frames|delay_ms|argument"):
        await cell.put_fault(name, count=count, args=args)
    assert await cell.active_faults() == ()


async def test_count_is_the_number_of_strikes(cell: ModbusCell) -> None:
    async with driver_at(cell.wire) as driver:
        await driver.identify(SESSION)
        await cell.put_fault("no_part", count=2)
        codes = [(await run(driver, job_of(Action.PICK, number))).code for number in (1, 2, 3)]
        assert codes == [0x0601, 0x0601, 0]


@pytest.mark.parametrize("name", CATALOGUE)
def test_same_seed_same_chance(name: str) -> None:
    drawn = []
    for seed in (5, 5, 6):
        port = FaultPort()
        port.put(name, seed=seed, count=1, args={})
        taken = port.take(name)
        assert taken is not None
        drawn.append(taken.chance.random())
        assert port.take(name) is None
    assert drawn[0] == drawn[1] != drawn[2]


def test_every_fault_is_told_in_both_languages() -> None:
    assert all(info.zh and info.en and info.zh != info.en for info in CATALOGUE.values())


async def one_frame(cell: ModbusCell, *, moved: bool = True) -> None:
    assert await cell.motion_frames() == {JOB.order.command_id: 1}
    assert [motion.command_id for motion in await cell.executed()] == [JOB.order.command_id] * moved
