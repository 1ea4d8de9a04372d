"""Against `modbus-tk` on a serial line: their master at our simulated controller, our driver at their slave."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import serial
from modbus_tk import defines, modbus_rtu
from modbus_tk.exceptions import ModbusError

from drivers.cell_modbus.rig import ModbusCell
from tests.drivers.peers import Seen, check_picked, drive, fill, picked_by, serial_pair

pytestmark = [
    pytest.mark.net,
    pytest.mark.filterwarnings("ignore:isSet:DeprecationWarning"),  # in their server's thread, which would end by it
]
BAUD = 115_200
REGISTERS = 256
BLOCK = "all"


class Master:
    def __init__(self, master: Any) -> None:
        self._master = master

    def read(self, address: int, count: int) -> list[int] | None:
        try:
            return list(self._master.execute(1, defines.READ_HOLDING_REGISTERS, address, count))
        except ModbusError:
            return None

    def write(self, address: int, words: Sequence[int]) -> bool:
        try:
            told = self._master.execute(1, defines.WRITE_MULTIPLE_REGISTERS, address, output_value=list(words))
        except ModbusError:
            return False
        return bool(told == (address, len(words)))


def told_by_their_master(port: str) -> Seen:
    with serial.Serial(port, BAUD) as line:
        master = modbus_rtu.RtuMaster(line)
        master.set_timeout(2.0)
        return picked_by(Master(master))


async def test_their_master_on_our_simulators_line(serial_cell: ModbusCell) -> None:
    await check_picked(serial_cell, await asyncio.to_thread(told_by_their_master, serial_cell.serial_port))


class SlaveBank:
    def __init__(self, slave: Any) -> None:
        self._slave = slave

    def get(self, address: int, count: int) -> list[int]:
        return list(self._slave.get_values(BLOCK, address, count))

    def put(self, address: int, words: Sequence[int]) -> None:
        self._slave.set_values(BLOCK, address, list(words))


@contextmanager
def their_slave(port: Path) -> Iterator[SlaveBank]:
    with serial.Serial(str(port), BAUD) as line:
        server = modbus_rtu.RtuServer(line)
        slave = server.add_slave(1)
        slave.add_block(BLOCK, defines.HOLDING_REGISTERS, 0, REGISTERS)
        server.start()
        try:
            yield SlaveBank(slave)
        finally:
            server.stop()


async def test_our_driver_on_their_slave(tmp_path: Path) -> None:
    with serial_pair(tmp_path) as (theirs, ours), their_slave(theirs) as bank:
        fill(bank)
        await drive({"serial_port": str(ours)}, bank)
