"""What the tests of this room share: one arm's settings, its driver, jobs, and a supervisor in ten lines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from itertools import count

from drivers.cell_modbus.entry import open_driver
from drivers.contract import (
    Action,
    ControllerState,
    Driver,
    Job,
    LinkLost,
    Order,
    PoseTenths,
    Receipt,
    ReceiptState,
    Snapshot,
)

SETTINGS: dict[str, object] = {"device_id": 7, "config_crc": 0x1A2B, "time_scale": 0.1}
SESSION = 0x0001A2B3
TARGET: PoseTenths = (2500, -100, 1200, 0, 0, 0)
FINAL = (ReceiptState.DONE, ReceiptState.REJECTED, ReceiptState.ABORTED)
MAX_POLLS = 400

USED: dict[Action, dict[str, object]] = {
    Action.HOME: {"speed_pct": 40},
    Action.PARK: {"speed_pct": 40},
    Action.MOVE: {"target": TARGET, "speed_pct": 40, "station": 1},
    Action.PICK: {"target": TARGET, "speed_pct": 40, "grip_force_n": 30, "item_class": 3, "bin": 3},
    Action.PLACE: {"speed_pct": 40, "bin": 3},
    Action.PICK_PLACE: {"target": TARGET, "speed_pct": 40, "grip_force_n": 30, "item_class": 3, "bin": 2},
    Action.OPEN_GRIPPER: {"grip_force_n": 10},
    Action.CLOSE_GRIPPER: {"grip_force_n": 10},
}


def job_of(
    action: Action, command_id: int, *, session: int = SESSION, max_duration_ms: int = 3_000, **changes: object
) -> Job:
    values = {**USED[action], "order_hash": 0xC0FFEE, **changes}
    order = Order(command_id=command_id, device_id=7, session=session, action=action, **values)  # type: ignore[arg-type]
    return Job(order, ttl_ms=500, max_duration_ms=max_duration_ms)


@asynccontextmanager
async def driver_at(wire: Mapping[str, object], **changes: object) -> AsyncIterator[Driver]:
    settings = {**wire, "device_id": 7, "config_crc": 0x1A2B, "simulated": True, **changes}
    driver = open_driver(settings)
    try:
        yield driver
    finally:
        await driver.close()


async def until_final(driver: Driver, job: Job, *, beat: bool = True) -> Receipt:
    """Polls with heartbeats, as an agent does, until this job's receipt is final."""
    beats = count(2)
    for _ in range(MAX_POLLS):
        if beat:
            await driver.heartbeat(next(beats))
        receipt = await driver.receipt(job.order.command_id)
        if receipt is not None and receipt.echo.command_id == job.order.command_id and receipt.state in FINAL:
            return receipt
        await asyncio.sleep(0.01)
    raise AssertionError(f"no final receipt of {job.order.command_id} in {MAX_POLLS} polls")


async def run(driver: Driver, job: Job) -> Receipt:
    await driver.send(job)
    return await until_final(driver, job)


async def stopped(driver: Driver) -> None:
    """What the agent does after any failed send: stop, over a link opened for that alone."""
    await driver.request_stop()
    await until(driver, lambda snapshot: snapshot.state is ControllerState.STOPPED)


async def idle(driver: Driver) -> None:
    await until(driver, lambda snapshot: snapshot.state is ControllerState.IDLE)


async def later(driver: Driver, uptime_ms: int) -> Snapshot:
    return await until(driver, lambda snapshot: snapshot.uptime_ms >= uptime_ms)


async def until(driver: Driver, reached: Callable[[Snapshot], bool]) -> Snapshot:
    for beat in range(MAX_POLLS):
        if reached(snapshot := await driver.snapshot()):
            return snapshot
        with suppress(LinkLost):  # silent on a link that was opened for a stop alone
            await driver.heartbeat(beat)
        await asyncio.sleep(0.01)
    raise AssertionError(f"not reached in {MAX_POLLS} polls: {snapshot}")
