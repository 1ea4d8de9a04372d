"""Stopping on the real sockets: during a move, with a lost link, by the controller's own dead-man."""

from __future__ import annotations

import asyncio
import time

import pytest

from drivers.cell_modbus.rig import ModbusCell
from drivers.contract import Action, ControllerState, LinkLost, NotSent, ReceiptState
from tests.drivers.bench import SESSION, driver_at, idle, job_of, later, run, stopped, until_final

pytestmark = pytest.mark.net
LONG = job_of(Action.PICK_PLACE, 0x1092, speed_pct=1, max_duration_ms=20_000)


async def test_stop_during_a_move_is_proved_released_and_followed_by_a_new_move(any_cell: ModbusCell) -> None:
    async with driver_at(any_cell.wire) as driver:
        await driver.identify(SESSION)
        await driver.send(LONG)
        await driver.request_stop()
        await stopped(driver)
        ended = await until_final(driver, LONG)
        assert (ended.state, ended.code) == (ReceiptState.ABORTED, 0x0206)
        first = await driver.snapshot()
        second = await later(driver, first.uptime_ms + 50)
        assert first.pose == second.pose
        await driver.release_stop()
        assert (await driver.snapshot()).state is ControllerState.IDLE
        assert (await run(driver, job_of(Action.HOME, 0x1093))).state is ReceiptState.DONE
    assert await any_cell.motion_frames() == {0x1092: 1, 0x1093: 1}


async def test_stop_over_a_link_that_was_cut(cell: ModbusCell) -> None:
    """Reopened for the stop alone: state can be read, nothing can be moved, no heartbeat goes out."""
    async with driver_at(cell.wire) as driver:
        await driver.identify(SESSION)
        await driver.send(LONG)
        await cell.put_fault("cut", args={"frames": "any"})
        with pytest.raises(LinkLost):
            await driver.snapshot()
        await driver.request_stop()
        await stopped(driver)
        with pytest.raises(NotSent):
            await driver.send(job_of(Action.HOME, 0x1093))
        with pytest.raises(LinkLost):
            await driver.heartbeat(1)
        await driver.release_stop()
        await driver.identify(SESSION + 1)
        assert (await run(driver, job_of(Action.HOME, 0x1093, session=SESSION + 1))).state is ReceiptState.DONE


async def test_stop_while_reads_are_under_way(cell: ModbusCell) -> None:
    """The agent's supervisor polls on; a stop from anywhere comes in between."""
    async with driver_at(cell.wire) as driver:
        await driver.identify(SESSION)
        await driver.send(LONG)
        polls = [asyncio.create_task(driver.snapshot()) for _ in range(10)]
        await driver.request_stop()
        assert await cell.stop_frames() == 1
        await asyncio.gather(*polls)
        await stopped(driver)


async def test_h34_cable_pulled_during_a_move_and_the_controller_stops_by_itself(cell: ModbusCell) -> None:
    async with driver_at(cell.wire) as driver:
        await driver.identify(SESSION)
        await driver.send(LONG)
        await cell.put_fault("unavailable")
        with pytest.raises(LinkLost):
            await driver.request_stop()
        for _ in range(200):
            if (state := await cell.state())["state"] == "STOPPED":
                break
            await asyncio.sleep(0.02)
        assert (state["state"], state["fault_code"]) == ("STOPPED", 0x0401)
        await cell.clear_faults()
        await driver.identify(SESSION + 1)
        assert (await driver.snapshot()).last_command_id == LONG.order.command_id
        receipt = await driver.receipt(LONG.order.command_id)
        assert receipt is not None
        assert (receipt.state, receipt.code) == (ReceiptState.ABORTED, 0x0401)
        await driver.release_stop()
        await idle(driver)


async def test_h11_wall_clock_that_jumps_changes_nothing(cell: ModbusCell, monkeypatch: pytest.MonkeyPatch) -> None:
    true_time = time.time
    async with driver_at(cell.wire) as driver:
        await driver.identify(SESSION)
        for number, hours in enumerate((-1, 1), start=1):
            job = job_of(Action.HOME, number)
            await driver.send(job)
            monkeypatch.setattr(time, "time", lambda hours=hours: true_time() + 3_600 * hours)
            assert (await until_final(driver, job)).state is ReceiptState.DONE
