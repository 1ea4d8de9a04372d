"""A simulated cell for each test that asks for one: real processes, real sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from drivers.cell_modbus.rig import ModbusCell, start_simulated
from tests.drivers.bench import SETTINGS


@pytest.fixture
async def cell() -> AsyncIterator[ModbusCell]:
    async with start_simulated(SETTINGS) as started:
        yield started


@pytest.fixture(params=["tcp", "rtu"])
async def any_cell(request: pytest.FixtureRequest) -> AsyncIterator[ModbusCell]:
    async with start_simulated({**SETTINGS, "wire": request.param}) as started:
        yield started


@pytest.fixture
async def serial_cell() -> AsyncIterator[ModbusCell]:
    async with start_simulated({**SETTINGS, "wire": "rtu"}) as started:
        yield started
