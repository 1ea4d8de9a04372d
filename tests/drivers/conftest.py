"""A simulated cell for each test that asks for one: real processes, real sockets; started once, renewed for each."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from queue import Queue

import pytest

from drivers.cell_modbus.rig import ModbusCell, start_simulated
from tests.drivers.bench import SETTINGS


def _started(wire: str) -> Iterator[ModbusCell]:
    """Processes that outlive every test's loop: they are started and ended by a thread of their own."""
    cells: Queue[ModbusCell] = Queue()
    over = threading.Event()

    async def host() -> None:
        async with start_simulated({**SETTINGS, "wire": wire}) as cell:
            cells.put(cell)
            await asyncio.to_thread(over.wait)

    hosting = threading.Thread(target=lambda: asyncio.run(host()))
    hosting.start()
    try:
        yield cells.get(timeout=30)
    finally:
        over.set()
        hosting.join(30)


@pytest.fixture(scope="session")
def tcp_processes() -> Iterator[ModbusCell]:
    yield from _started("tcp")


@pytest.fixture(scope="session")
def rtu_processes() -> Iterator[ModbusCell]:
    yield from _started("rtu")


@pytest.fixture
async def cell(tcp_processes: ModbusCell) -> ModbusCell:
    await tcp_processes.renew()
    return tcp_processes


@pytest.fixture
async def serial_cell(rtu_processes: ModbusCell) -> ModbusCell:
    await rtu_processes.renew()
    return rtu_processes


@pytest.fixture(params=["tcp_processes", "rtu_processes"])
async def any_cell(request: pytest.FixtureRequest) -> ModbusCell:
    started: ModbusCell = request.getfixturevalue(request.param)
    await started.renew()
    return started
