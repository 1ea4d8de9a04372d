"""The serial line: late replies, echoes, slow bytes and stalled ports, over pseudo-terminals."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import count

import pytest
from pymodbus.client import AsyncModbusSerialClient

from drivers.cell_modbus.registers import Reg
from drivers.cell_modbus.rig import ModbusCell
from drivers.cell_modbus.simulator import mbap, rtu
from drivers.cell_modbus.simulator.mbap import Frame
from drivers.cell_modbus.simulator.pty_line import PtyLine
from drivers.contract import Action, DriverError, LinkLost, NotSent, ReceiptState
from drivers.wire.endpoints import SerialEndpoint
from drivers.wire.modbus import ModbusLink, assert_pinned
from tests.drivers.bench import SESSION, driver_at, idle, job_of, run, stopped
from tests.drivers.scripted import honest

pytestmark = pytest.mark.net
DRAIN_S = 0.15
Script = Callable[[Frame], list[tuple[float, bytes]]]
"""Pauses in seconds and bytes that answer one request."""


@dataclass
class Device:
    line: PtyLine
    frames: list[Frame] = field(default_factory=list)


def answer(frame: Frame) -> bytes:
    """The honest reply, in RTU."""
    return rtu.encode(frame.reply(honest(frame)[0][7:]))


@asynccontextmanager
async def device(script: Script) -> AsyncIterator[Device]:
    far = Device(PtyLine())
    numbers = count(1)

    async def serve() -> None:
        while True:
            frame = rtu.decode(await far.line.chunk(), next(numbers))
            if frame is None:
                continue
            far.frames.append(frame)
            for pause_s, data in script(frame):
                await asyncio.sleep(pause_s)
                await far.line.send(data)

    serving = asyncio.create_task(serve())
    try:
        yield far
    finally:
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving
        far.line.close()


def link_on(far: Device, *, reply_timeout_s: float = 0.1, drain_s: float = DRAIN_S) -> ModbusLink:
    endpoint = SerialEndpoint(far.line.path, 115_200, drain_s)
    return ModbusLink(endpoint, unit=1, reply_timeout_s=reply_timeout_s, connect_timeout_s=0.5)


async def test_h2_late_reply_is_never_the_answer_to_the_next_request() -> None:
    """Both requests have replies of one shape; only the drain keeps them apart."""
    sevens = (7,) * 4

    def script(frame: Frame) -> list[tuple[float, bytes]]:
        late = rtu.encode(frame.reply(mbap.read_reply(sevens)))
        return [(0.15, late)] if len(far.frames) == 1 else [(0.0, answer(frame))]

    async with device(script) as far:
        link = link_on(far)
        await link.open()
        with pytest.raises(LinkLost):
            await link.read(0, 4)
        assert not link.is_open
        await link.open()
        assert await link.read(0, 4) == (0,) * 4
        link.close()


async def test_h2_planted_without_the_drain_the_late_reply_is_taken() -> None:
    """What the drain is for: with none, the very story above hands over the wrong words."""
    sevens = (7,) * 4

    def script(frame: Frame) -> list[tuple[float, bytes]]:
        return [(0.15, rtu.encode(frame.reply(mbap.read_reply(sevens))))] if len(far.frames) == 1 else []

    async with device(script) as far:
        link = link_on(far, drain_s=0.0)
        await link.open()
        with pytest.raises(LinkLost):
            await link.read(0, 4)
        await link.open()
        assert await link.read(0, 4) == sevens
        link.close()


async def test_line_that_never_falls_silent_is_not_used() -> None:
    async with device(lambda _: []) as far:

        async def chatter() -> None:
            while True:
                await far.line.send(b"\x55")
                await asyncio.sleep(0.01)

        talking = asyncio.create_task(chatter())
        link = link_on(far, drain_s=0.05)
        with pytest.raises(LinkLost, match="silent"):
            await link.open()
        assert (link.is_open, far.frames) == (False, [])
        talking.cancel()


async def test_h4_echo_without_a_device_is_not_identified() -> None:
    async with device(lambda frame: [(0.0, rtu.encode(frame))]) as far:
        async with driver_at({"serial_port": far.line.path}, reply_timeout_ms=100, drain_ms=20) as driver:
            with pytest.raises(DriverError):
                await driver.identify(SESSION)
            with pytest.raises(NotSent):
                await driver.send(job_of(Action.HOME, 1))
        link = link_on(far)
        await link.open()
        with pytest.raises(DriverError):
            await link.write_once(Reg.MAILBOX, tuple(range(28)))


async def test_h9_one_byte_at_a_time_is_put_together_or_a_deadline() -> None:
    slow: Script = lambda frame: [(0.01, bytes((byte,))) for byte in answer(frame)]  # noqa: E731 - a table's row
    async with device(slow) as far:
        link = link_on(far, reply_timeout_s=1.0)
        await link.open()
        assert await link.read(0, 4) == (0,) * 4
        link.close()
        hasty = link_on(far, reply_timeout_s=0.05)
        await hasty.open()
        with pytest.raises(LinkLost):
            await hasty.read(0, 4)


async def test_h8_line_that_takes_nothing_meets_its_deadline_and_stop_has_its_own() -> None:
    """Nobody reads at the far end and the terminal's buffer is full: no write goes through, none blocks."""
    async with device(lambda _: []) as far:
        asyncio.get_running_loop().remove_reader(far.line._far)
        link = link_on(far, drain_s=0.02)
        await link.open()
        assert link._client is not None
        link._client.ctx.transport.sync_serial.write(b"\0" * 65_536)  # type: ignore[attr-defined]
        with pytest.raises(LinkLost):
            await link.write_once(Reg.MAILBOX, tuple(range(28)))
        with pytest.raises(LinkLost):
            await link.write_urgent(Reg.STOP, (2,))


async def test_unanswered_write_leaves_once() -> None:
    async with device(lambda _: []) as far:
        link = link_on(far)
        await link.open()
        with pytest.raises(LinkLost):
            await link.write_once(Reg.MAILBOX, tuple(range(28)))
        await asyncio.sleep(0)
        assert len(far.frames) == 1
        with pytest.raises(DriverError, match="not armed"):
            assert_pinned(AsyncModbusSerialClient(far.line.path))


async def test_missing_port_is_a_lost_link() -> None:
    async with driver_at({"serial_port": "/dev/no-such-port"}) as driver:
        with pytest.raises(LinkLost):
            await driver.identify(SESSION)


async def test_lost_reply_on_the_line_moves_once_and_the_stop_goes_out_after_the_drain(serial_cell: ModbusCell) -> None:
    async with driver_at(serial_cell.wire, drain_ms=50) as driver:
        await driver.identify(SESSION)
        await serial_cell.put_fault("reply_lost_after_execution")
        with pytest.raises(LinkLost):
            await driver.send(job_of(Action.PICK_PLACE, 1))
        await stopped(driver)
    assert await serial_cell.motion_frames() == {1: 1}
    assert await serial_cell.stop_frames() == 1
    assert len(await serial_cell.executed()) == 1


async def test_power_cycle_on_the_line_shows_as_another_boot_id(serial_cell: ModbusCell) -> None:
    """H10: no connection breaks on a serial line; the boot id tells."""
    async with driver_at(serial_cell.wire, drain_ms=20, reply_timeout_ms=500) as driver:
        before = await driver.identify(SESSION)
        await serial_cell.put_fault("controller_reboot")
        with suppress(LinkLost):
            assert (await driver.snapshot()).boot_id != before.boot_id
        assert (await driver.identify(SESSION + 1)).boot_id != before.boot_id
        await idle(driver)
        job = job_of(Action.HOME, 1, session=SESSION + 1)
        assert (await run(driver, job)).state is ReceiptState.DONE
