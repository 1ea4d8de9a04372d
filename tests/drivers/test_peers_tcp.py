"""Against Modbus/TCP that we did not write: their client on our simulator, our driver on their server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from pyModbusTCP.client import ModbusClient
from pyModbusTCP.server import DataBank, DataHandler, ModbusServer

from drivers.cell_modbus.mailbox import mailbox_words
from drivers.cell_modbus.registers import Reg
from drivers.cell_modbus.rig import ModbusCell
from drivers.contract import Action, NotSent, WrongDevice
from drivers.wire.modbus import ErrorReply
from tests.drivers.bench import SESSION, driver_at, job_of
from tests.drivers.peers import JOB, Seen, check_picked, drive, fill, picked_by

pytestmark = pytest.mark.net


class TheirClient:
    def __init__(self, client: ModbusClient) -> None:
        self._client = client

    def read(self, address: int, count: int) -> list[int] | None:
        found: list[int] | None = self._client.read_holding_registers(address, count)
        return found

    def write(self, address: int, words: Sequence[int]) -> bool:
        return bool(self._client.write_multiple_registers(address, list(words)))


def told_by_their_client(port: int) -> Seen:
    client = ModbusClient("127.0.0.1", port, unit_id=1, auto_open=True, timeout=5)
    try:
        return picked_by(TheirClient(client))
    finally:
        client.close()


async def test_their_client_on_our_simulator(cell: ModbusCell) -> None:
    await check_picked(cell, await asyncio.to_thread(told_by_their_client, cell.port))


class Handler(DataHandler):  # type: ignore[misc]  # untyped library
    """Their server's judgement; with `fails` it answers exception 4 after the registers were written."""

    fails = False

    def write_h_regs(self, address: int, words_l: list[int], srv_info: object) -> object:
        answer = super().write_h_regs(address, words_l, srv_info)
        return self.Return(exp_code=4) if self.fails else answer


class TheirBank:
    def __init__(self, bank: DataBank) -> None:
        self._bank = bank

    def get(self, address: int, count: int) -> list[int]:
        return list(self._bank.get_holding_registers(address, count))

    def put(self, address: int, words: Sequence[int]) -> None:
        self._bank.set_holding_registers(address, list(words))


@contextmanager
def their_server() -> Iterator[tuple[int, DataBank, Handler]]:
    bank = DataBank()
    fill(TheirBank(bank))
    handler = Handler(bank)
    server = ModbusServer("127.0.0.1", 0, no_block=True, data_hdl=handler)
    server.start()
    try:
        yield server._service.socket.getsockname()[1], bank, handler
    finally:
        server.stop()


async def test_our_driver_on_their_server() -> None:
    with their_server() as (port, bank, _):
        await drive({"host": "127.0.0.1", "port": port}, TheirBank(bank))


async def test_h6_their_exception_after_the_registers_were_written() -> None:
    with their_server() as (port, bank, handler):
        async with driver_at({"host": "127.0.0.1", "port": port}, reply_timeout_ms=2_000) as driver:
            await driver.identify(SESSION)
            handler.fails = True
            with pytest.raises(ErrorReply):
                await driver.send(JOB)
            assert bank.get_holding_registers(Reg.MAILBOX, 28) == list(mailbox_words(JOB))
            with pytest.raises(NotSent):
                await driver.send(job_of(Action.HOME, 0x1093))


@pytest.mark.parametrize(
    ("register", "field"),
    [(Reg.MAGIC, "magic"), (Reg.VERSION, "map_version"), (Reg.DEVICE_ID, "device_id"), (Reg.CONFIG_CRC, "config_crc")],
)
async def test_another_device_is_not_identified(register: Reg, field: str) -> None:
    with their_server() as (port, bank, _):
        bank.set_holding_registers(register, [0x7777])
        async with driver_at({"host": "127.0.0.1", "port": port}, reply_timeout_ms=2_000) as driver:
            with pytest.raises(WrongDevice) as raised:
                await driver.identify(SESSION)
            assert raised.value.field == field
            with pytest.raises(NotSent):
                await driver.send(JOB)
            assert bank.get_holding_registers(Reg.AGENT_HEARTBEAT, 4) == [0] * 4
