"""A stop goes ahead of everything: of the command that still waits for the wire, of the queue, of the disk."""

from __future__ import annotations

import asyncio

import pytest

from drivers.cell_modbus.driver import CellModbusDriver
from drivers.cell_modbus.registers import Reg
from drivers.contract import Action, NotSent
from tests.drivers.bench import SESSION, job_of
from tests.drivers.scripted import honest, link_to, scripted

pytestmark = [pytest.mark.net, pytest.mark.timeout(120)]


async def test_stop_that_goes_ahead_of_a_waiting_command_calls_it_off() -> None:
    """The command waits for the answer to a read; the stop word leaves next, and the command never."""
    async with scripted(honest) as peer:
        link = link_to(peer.port, reply_timeout_s=5)
        driver = CellModbusDriver(link, device_id=0, config_crc=0, is_real=False)
        await link.open()
        driver._identified = link.generation
        reading = asyncio.create_task(link.read(0, 1))
        await asyncio.sleep(0)
        sending = asyncio.create_task(driver.send(job_of(Action.HOME, 1, session=SESSION)))
        await asyncio.sleep(0)
        await driver.request_stop()
        with pytest.raises(NotSent, match="called off"):
            await sending
        await reading
        assert [written.address for written in peer.written] == [Reg.STOP]
        link.close()
