"""Against what technicians have at hand: libmodbus, and its command line `mbpoll`. From Debian; `.ci/debian peers`."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence

import pytest

from drivers.cell_modbus.registers import MAGIC_WORD, Reg
from drivers.cell_modbus.rig import ModbusCell
from tests.drivers import libmodbus
from tests.drivers.peers import WITHIN_S, Client, Seen, check_picked, drive, fill, needed, picked_by

pytestmark = pytest.mark.net
READ = re.compile(r"^\[\d+\]:\s+(\d+)", re.MULTILINE)


class Mbpoll:
    """One process a call. Several words go by function code 16, a single one by 6."""

    def __init__(self, *where: str) -> None:
        self._command = (needed(shutil.which("mbpoll"), "mbpoll"), "-0", "-1", "-q", "-a", "1", "-t", "4", *where)

    def read(self, address: int, count: int) -> list[int] | None:
        ended = self._run("-r", str(address), "-c", str(count))
        return [int(word) for word in READ.findall(ended.stdout)] if ended.returncode == 0 else None

    def write(self, address: int, words: Sequence[int]) -> bool:
        return self._run("-r", str(address), words=words).returncode == 0

    def _run(self, *more: str, words: Sequence[int] = ()) -> subprocess.CompletedProcess[str]:
        options, (last,) = self._command[:-1], self._command[-1:]
        return subprocess.run(
            [*options, *more, last, *map(str, words)], capture_output=True, text=True, timeout=WITHIN_S, check=False
        )


def at_tcp(cell: ModbusCell) -> Mbpoll:
    return Mbpoll("-m", "tcp", "-p", str(cell.port), cell.host)


def at_serial(cell: ModbusCell) -> Mbpoll:
    return Mbpoll("-m", "rtu", "-b", "115200", "-P", "none", cell.serial_port)


async def test_mbpoll_on_our_simulator(cell: ModbusCell) -> None:
    await check_picked(cell, await asyncio.to_thread(picked_by, at_tcp(cell)))


async def test_mbpoll_on_our_simulators_serial_line(serial_cell: ModbusCell) -> None:
    await check_picked(serial_cell, await asyncio.to_thread(picked_by, at_serial(serial_cell)))


async def test_a_single_word_by_function_code_six_is_refused(cell: ModbusCell) -> None:
    """Nothing of the map is written that way, so that an echo on the line is never taken for a write."""
    poll = at_tcp(cell)
    assert not await asyncio.to_thread(poll.write, Reg.STOP, [2])
    assert await cell.stop_frames() == 0
    assert (await asyncio.to_thread(poll.read, Reg.MAGIC, 1)) == [MAGIC_WORD]


async def test_libmodbus_on_our_simulator(cell: ModbusCell) -> None:
    await check_picked(cell, await asyncio.to_thread(_with_libmodbus, cell.port, picked_by))


def _with_libmodbus(port: int, story: Callable[[Client], Seen]) -> Seen:
    with libmodbus.client(port) as client:
        return story(client)


async def test_our_driver_on_libmodbus() -> None:
    with libmodbus.server() as (port, bank):
        fill(bank)
        await drive({"host": libmodbus.HOST, "port": port}, bank)
