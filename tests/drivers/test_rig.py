"""The bench's processes: started, described, renewed, and gone with whoever started them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from drivers.cell_modbus.entry import pace_of
from drivers.cell_modbus.rig import ModbusCell, start_simulated
from drivers.contract import Action, DriverError, LinkLost, ReceiptState
from tests.drivers.bench import SESSION, SETTINGS, driver_at, job_of, run

pytestmark = pytest.mark.net

OWNER = """
import asyncio, json
from drivers.cell_modbus.rig import start_simulated
async def main():
    async with start_simulated({"device_id": 7}) as cell:
        print(json.dumps(dict(cell.descriptor)), flush=True)
        await asyncio.sleep(600)
asyncio.run(main())
"""


def permissions(path: Path) -> int:
    return path.stat().st_mode


async def test_start_and_end() -> None:
    async with start_simulated(SETTINGS) as cell, driver_at(cell.wire) as driver:
        await driver.identify(SESSION)
        assert permissions(cell.simulator) & 0o077 == 0
    with pytest.raises(LinkLost):
        await cell.state()
    assert not cell.simulator.exists()


async def test_both_processes_end_when_their_owner_is_killed() -> None:
    owner = await asyncio.create_subprocess_exec(
        sys.executable, "-c", OWNER, stdout=asyncio.subprocess.PIPE, start_new_session=True
    )
    assert owner.stdout is not None
    port = json.loads(await asyncio.wait_for(owner.stdout.readline(), 30))["port"]
    os.kill(owner.pid, signal.SIGKILL)
    await owner.wait()
    for _ in range(500):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except ConnectionRefusedError:
            return
        writer.close()
        await asyncio.sleep(0.02)
    raise AssertionError("the proxy outlived its owner")


async def test_profile_that_is_refused_says_so() -> None:
    with pytest.raises(DriverError, match="simulator did not start"):
        async with start_simulated({"device_id": 0}):
            pass


async def test_renewed_cell_has_forgotten_everything(cell: ModbusCell) -> None:
    before = (await cell.state())["boot_id"]
    for _ in range(2):
        async with driver_at(cell.wire) as driver:
            await driver.identify(SESSION)
            assert (await run(driver, job_of(Action.PICK, 1))).state is ReceiptState.DONE
            await driver.request_stop()
        await cell.set_input("guard", False)
        await cell.renew()
        assert await cell.motion_frames() == {}
        assert await cell.stop_frames() == 0
        assert await cell.executed() == ()
        state = await cell.state()
        assert (state["state"], state["holding"], state["last_id"], state["stop_level"]) == ("IDLE", False, 0, 0)
        assert state["boot_id"] != before


async def test_restored_cell_is_ready_and_remembers(cell: ModbusCell) -> None:
    async with driver_at(cell.wire) as driver:
        await driver.identify(SESSION)
        await run(driver, job_of(Action.PICK, 1))
        await driver.request_stop()
        await cell.put_fault("controller_estop")
        await cell.restore()
        assert (await run(driver, job_of(Action.PICK, 2))).state is ReceiptState.DONE
        assert (await run(driver, job_of(Action.PICK, 2))).state is ReceiptState.DONE
        assert (await driver.snapshot()).duplicates == 1
    assert [motion.command_id for motion in await cell.executed()] == [1, 2]


PACES = [
    ({"host": "127.0.0.1"}, (20, 1, 250, 150)),
    ({"serial_port": "/dev/ttyUSB0", "baudrate": 115_200}, (50, 4, 250, 300)),
    ({"serial_port": "/dev/ttyUSB0", "baudrate": 19_200}, (221, 4, 250, 600)),
]


@pytest.mark.parametrize(("wire", "expected"), PACES)
def test_pace_follows_the_wire(wire: dict[str, object], expected: tuple[int, int, int, int]) -> None:
    pace = pace_of({**wire, "device_id": 7, "config_crc": 1})
    assert (pace.receipt_ms, pace.receipts_per_status, pace.idle_status_ms, pace.accept_ms) == expected


@pytest.mark.parametrize("wire", [{}, {"host": "a", "serial_port": "/dev/ttyUSB0"}, {"host": "a", "port": 0}])
def test_settings_name_exactly_one_wire(wire: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"host|port"):
        pace_of({**wire, "device_id": 7, "config_crc": 1})
