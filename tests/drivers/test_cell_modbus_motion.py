"""Every action over real sockets: one frame, a receipt of the order as used, and the end state that fits."""

from __future__ import annotations

from importlib.metadata import entry_points

import pytest

from drivers.cell_modbus.rig import ModbusCell, attach_simulated
from drivers.cell_modbus.simulator.profile import BINS, HOME, PARK
from drivers.contract import Action, ControllerState, EndState, PoseTenths, ReceiptLevel, ReceiptState
from drivers.package import DriverPackage
from tests.drivers.bench import SESSION, TARGET, driver_at, job_of, run

pytestmark = pytest.mark.net

OPEN = EndState(at_target=True, holding=False, released=True)
CLOSED = EndState(at_target=True, holding=False, released=False)
HOLDING = EndState(at_target=True, holding=True, released=False)

STORY: tuple[tuple[Action, EndState, PoseTenths], ...] = (
    (Action.HOME, OPEN, HOME),
    (Action.PICK, HOLDING, TARGET),
    (Action.PLACE, OPEN, BINS[3]),
    (Action.PICK_PLACE, OPEN, BINS[2]),
    (Action.MOVE, OPEN, TARGET),
    (Action.CLOSE_GRIPPER, CLOSED, TARGET),
    (Action.OPEN_GRIPPER, OPEN, TARGET),
    (Action.PARK, OPEN, PARK),
)


async def test_every_action_once_with_its_end_state(any_cell: ModbusCell) -> None:
    async with driver_at(any_cell.wire) as driver:
        await driver.identify(SESSION)
        for number, (action, end, pose) in enumerate(STORY, start=1):
            job = job_of(action, number)
            receipt = await run(driver, job)
            snapshot = await driver.snapshot()
            assert (receipt.state, receipt.code, receipt.end) == (ReceiptState.DONE, 0, end), action
            assert receipt.differs_from(job.order, driver.fingerprint(job)) == ()
            assert (snapshot.state, snapshot.pose) == (ControllerState.IDLE, pose)
            assert (snapshot.executed, snapshot.accepted, snapshot.duplicates) == (number, number, 0)
            assert snapshot.holds_part == end.holding
            assert snapshot.last_command_id == number
        assert snapshot.bin_bits == 0b110
    assert await any_cell.motion_frames() == dict.fromkeys(range(1, len(STORY) + 1), 1)
    assert [motion.action for motion in await any_cell.executed()] == [action for action, _, _ in STORY]


async def test_identity_is_read_from_the_wire(cell: ModbusCell) -> None:
    async with driver_at(cell.wire) as driver:
        identity = await driver.identify(SESSION)
        assert (identity.device_id, identity.config_crc, identity.map_version) == (7, 0x1A2B, 0x0101)
        assert (identity.longest_command_ms, identity.heartbeat_timeout_ms) == (60_000, 500)
        assert (identity.level, identity.is_real) == (ReceiptLevel.L3_FULL_ECHO, False)
        assert identity.boot_id == (await cell.state())["boot_id"]


async def test_validate_only_checks_and_moves_nothing(cell: ModbusCell) -> None:
    async with driver_at(cell.wire) as driver:
        await driver.identify(SESSION)
        receipt = await run(driver, job_of(Action.MOVE, 1, validate_only=True))
        assert (receipt.state, receipt.echo.validate_only) == (ReceiptState.DONE, True)
        far = (9000, 0, 0, 0, 0, 0)
        refused = await run(driver, job_of(Action.MOVE, 2, validate_only=True, target=far))
        assert (refused.state, refused.code) == (ReceiptState.REJECTED, 0x0302)
        assert (await driver.snapshot()).executed == 0
    assert await cell.executed() == ()


async def test_a_second_process_attaches_by_the_descriptor(cell: ModbusCell) -> None:
    attached = attach_simulated(dict(cell.descriptor))
    await attached.put_fault("no_part")
    assert [fault.name for fault in await cell.active_faults()] == ["no_part"]
    await attached.clear_faults()
    assert await cell.active_faults() == ()


def test_the_entry_point_is_a_driver_package() -> None:
    (found,) = entry_points(group="edge_agent.drivers", name="cell_modbus")
    package = found.load()
    assert isinstance(package, DriverPackage)
    assert package.KIND == "cell_modbus"
    assert "receipt_torn" in package.FAULTS
