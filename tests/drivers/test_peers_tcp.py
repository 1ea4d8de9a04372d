"""Against Modbus/TCP that we did not write: their client on our simulator, our driver on their server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from pyModbusTCP.client import ModbusClient
from pyModbusTCP.server import DataBank, DataHandler, ModbusServer

from drivers.cell_modbus.mailbox import mailbox_words
from drivers.cell_modbus.registers import MAGIC_WORD, MAP_VERSION, Reg
from drivers.cell_modbus.rig import ModbusCell
from drivers.cell_modbus.simulator.command import Command
from drivers.cell_modbus.simulator.receipt_slot import Publication, encode
from drivers.cell_modbus.simulator.words import crc16_words
from drivers.contract import Action, NotSent, ReceiptState, WrongDevice
from drivers.wire.modbus import ErrorReply
from tests.drivers.bench import SESSION, driver_at, job_of

pytestmark = pytest.mark.net
JOB = job_of(Action.PICK, 0x1092)


def their_story(port: int) -> dict[str, object]:
    """One pick by pyModbusTCP's client, blocking."""
    client = ModbusClient("127.0.0.1", port, unit_id=1, auto_open=True, timeout=5)
    seen: dict[str, object] = {"identity": client.read_holding_registers(0, 42)}
    client.write_multiple_registers(Reg.SESSION, [SESSION >> 16, SESSION & 0xFFFF, 1])
    seen["written"] = client.write_multiple_registers(Reg.MAILBOX, list(mailbox_words(JOB)))
    for beat in range(1, 200):
        client.write_multiple_registers(Reg.AGENT_HEARTBEAT, [beat])
        seen["receipt"] = words = client.read_holding_registers(Reg.RECEIPT, 32)
        if words and words[6] == ReceiptState.DONE:
            break
    client.write_multiple_registers(Reg.STOP, [2])
    seen["stop"] = client.read_holding_registers(Reg.STOP, 2)
    seen["outside"] = client.read_holding_registers(42, 1)
    seen["read-only"] = client.write_multiple_registers(Reg.STOP_ECHO, [1])
    seen["single"] = client.write_single_register(Reg.STOP, 0)
    client.close()
    return seen


async def test_their_client_on_our_simulator(cell: ModbusCell) -> None:
    seen = await asyncio.to_thread(their_story, cell.port)
    identity, receipt = seen["identity"], seen["receipt"]
    assert isinstance(identity, list)
    assert identity[:3] == [MAGIC_WORD, MAP_VERSION, 7]
    assert isinstance(receipt, list)
    assert receipt[24:27] == [0, 0x1092, mailbox_words(JOB)[26]]
    assert receipt[30] == crc16_words(receipt[1:30])
    assert receipt[29] == 0b011
    assert seen["written"] is True
    assert seen["stop"] == [2, 2]
    assert (seen["outside"], seen["read-only"], seen["single"]) == (None, False, False)
    assert await cell.motion_frames() == {0x1092: 1}
    assert await cell.stop_frames() == 1


class Handler(DataHandler):  # type: ignore[misc]  # untyped library
    """Their server's judgement; with `fails` it answers exception 4 after the registers were written."""

    fails = False

    def write_h_regs(self, address: int, words_l: list[int], srv_info: object) -> object:
        answer = super().write_h_regs(address, words_l, srv_info)
        return self.Return(exp_code=4) if self.fails else answer


@contextmanager
def their_server() -> Iterator[tuple[int, DataBank, Handler]]:
    bank = DataBank()
    words = [0] * 42
    words[:3], words[Reg.CONFIG_CRC] = [MAGIC_WORD, MAP_VERSION, 7], 0x1A2B
    words[Reg.MODE], words[Reg.STATE], words[Reg.POSE] = 3, 1, 0xFFFF
    bank.set_holding_registers(0, words)
    handler = Handler(bank)
    server = ModbusServer("127.0.0.1", 0, no_block=True, data_hdl=handler)
    server.start()
    try:
        yield server._service.socket.getsockname()[1], bank, handler
    finally:
        server.stop()


async def test_our_driver_on_their_server() -> None:
    with their_server() as (port, bank, _):
        async with driver_at({"host": "127.0.0.1", "port": port}, reply_timeout_ms=2_000) as driver:
            assert (await driver.identify(SESSION)).device_id == 7
            snapshot = await driver.snapshot()
            assert snapshot.pose == (-1, 0, 0, 0, 0, 0)
            await driver.send(JOB)
            assert bank.get_holding_registers(Reg.MAILBOX, 28) == list(mailbox_words(JOB))
            assert await driver.receipt(0x1092) is None
            await driver.heartbeat(77)
            await driver.request_stop()
            assert bank.get_holding_registers(Reg.AGENT_HEARTBEAT, 5) == [77, SESSION >> 16, SESSION & 0xFFFF, 1, 2]
            await driver.release_stop()
            body = encode(Publication(Command(mailbox_words(JOB)), ReceiptState.DONE, progress=100))
            bank.set_holding_registers(Reg.RECEIPT, [2, *body, crc16_words(body), 2])
            receipt = await driver.receipt(0x1092)
            assert receipt is not None
            assert receipt.differs_from(JOB.order, driver.fingerprint(JOB)) == ()


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
