"""The link's rules against a peer that misbehaves on purpose; also the self-test of the pinned library settings."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from pymodbus.client import AsyncModbusTcpClient

from drivers.cell_modbus.driver import CellModbusDriver
from drivers.cell_modbus.mailbox import mailbox_words
from drivers.cell_modbus.registers import Reg
from drivers.cell_modbus.simulator import mbap
from drivers.cell_modbus.simulator.mbap import Frame
from drivers.contract import DriverError, LinkLost, NotSent, WrongReply
from drivers.wire.modbus import ErrorReply, assert_pinned
from tests.drivers.scripted import Script, honest, link_to, scripted, silent
from tests.drivers.test_cell_modbus_frames import WORKED_FRAME, WORKED_JOB

pytestmark = pytest.mark.net
WORDS = tuple(range(28))


def answering(pdu: bytes) -> Script:
    return lambda frame: [frame.reply(pdu).encode()]


WRONG_WRITES: dict[str, tuple[Script, type[DriverError]]] = {
    "address + 1": (answering(mbap.write_reply(101, 28)), WrongReply),
    "count off": (answering(mbap.write_reply(100, 27)), WrongReply),
    "a read reply": (answering(mbap.read_reply((0,) * 28)), WrongReply),
    "a single write's reply": (answering(b"\x06\x00\x64\x00\x00"), WrongReply),
    "exception": (answering(mbap.exception_pdu(16, 4)), ErrorReply),
    "transaction 0": (lambda f: [replace(f, transaction=0, pdu=mbap.write_reply(100, 28)).encode()], WrongReply),
    "another transaction": (lambda f: [Frame(f.transaction + 1, 1, mbap.write_reply(100, 28)).encode()], LinkLost),
    "another unit": (lambda f: [Frame(f.transaction, 2, mbap.write_reply(100, 28)).encode()], LinkLost),
    "another protocol": (lambda f: [b"\0\1\0\7" + honest(f)[0][4:]], LinkLost),
    "an unknown function": (answering(b"\x63\x00\x00"), LinkLost),
    "half a frame": (lambda f: [honest(f)[0][:9]], LinkLost),
    "silence": (silent, LinkLost),
}


@pytest.mark.parametrize("name", WRONG_WRITES)
async def test_h3_wrong_answer_to_a_write_is_no_success(name: str) -> None:
    script, error = WRONG_WRITES[name]
    async with scripted(script) as peer:
        link = link_to(peer.port)
        await link.open()
        with pytest.raises(error) as raised:
            await link.write_once(Reg.MAILBOX, WORDS)
        assert not isinstance(raised.value, NotSent)
        assert (len(peer.frames), link.is_open) == (1, False)
        with pytest.raises(NotSent):
            await link.write_once(Reg.MAILBOX, WORDS)
        assert (len(peer.frames), peer.connections) == (1, 1)


WRONG_READS: dict[str, Script] = {
    "too few": answering(mbap.read_reply((0,) * 3)),
    "too many": answering(mbap.read_reply((0,) * 5)),
    "a write reply": answering(mbap.write_reply(0, 4)),
}


@pytest.mark.parametrize("name", WRONG_READS)
async def test_wrong_answer_to_a_read(name: str) -> None:
    async with scripted(WRONG_READS[name]) as peer:
        link = link_to(peer.port)
        await link.open()
        with pytest.raises(WrongReply):
            await link.read(0, 4)
        assert not link.is_open


async def test_h9_reply_in_single_bytes_is_put_together() -> None:
    async with scripted(lambda f: [bytes((byte,)) for byte in honest(f)[0]]) as peer:
        link = link_to(peer.port, reply_timeout_s=1.0)
        await link.open()
        assert await link.read(0, 42) == (0,) * 42
        link.close()


async def test_h5_peer_that_hung_up_is_not_called_again() -> None:
    async with scripted(honest) as peer:
        link = link_to(peer.port)
        await link.open()
        await link.read(0, 1)
        await peer.hang_up()
        with pytest.raises(NotSent):
            await link.write_once(Reg.MAILBOX, WORDS)
        with pytest.raises(LinkLost):
            await link.read(0, 1)
        assert (peer.connections, len(peer.frames)) == (1, 1)


async def test_lost_link_ends_the_transaction_before_its_deadline() -> None:
    async with scripted(silent) as peer:
        link = link_to(peer.port, reply_timeout_s=60)
        await link.open()
        asking = asyncio.create_task(link.read(0, 1))
        await peer.asked.wait()
        await peer.hang_up()
        with pytest.raises(LinkLost, match="closed"):
            await asyncio.wait_for(asking, 10)


async def test_cancelled_transaction_closes_the_link() -> None:
    async with scripted(silent) as peer:
        link = link_to(peer.port, reply_timeout_s=60)
        await link.open()
        asking = asyncio.create_task(link.read(0, 1))
        await peer.asked.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert not link.is_open


async def test_stray_reply_before_a_motion_write_means_not_sent() -> None:
    async with scripted(honest) as peer:
        link = link_to(peer.port)
        await link.open()
        await link.read(0, 1)
        peer.writers[0].write(honest(peer.frames[0])[0])
        await peer.writers[0].drain()
        with pytest.raises(NotSent):
            await link.write_once(Reg.MAILBOX, WORDS)
        assert len(peer.frames) == 1


async def test_h7_concurrent_callers_take_turns() -> None:
    async with scripted(honest) as peer:
        link = link_to(peer.port, reply_timeout_s=2)
        await link.open()
        calls = [link.read(0, 42), link.write(Reg.AGENT_HEARTBEAT, (1,)), link.write_once(Reg.MAILBOX, WORDS)]
        await asyncio.gather(*calls, *(link.read(200, 32) for _ in range(20)))
        assert (len(peer.frames), peer.overlapping) == (23, False)
        link.close()


async def test_stop_goes_ahead_of_every_waiting_read() -> None:
    async with scripted(honest) as peer:
        link = link_to(peer.port, reply_timeout_s=2)
        driver = CellModbusDriver(link, device_id=7, config_crc=0, is_real=False)
        await link.open()
        reads = [asyncio.create_task(link.read(0, 1)) for _ in range(20)]
        await asyncio.sleep(0)
        await driver.request_stop()
        place = next(n for n, f in enumerate(peer.frames) if f.pdu[0] == mbap.WRITE_MULTIPLE)
        assert place <= 2
        await asyncio.gather(*reads)
        link.close()


async def test_stop_behind_a_lost_poll_waits_for_that_one_only() -> None:
    """The poll is never answered: the stop word leaves on a fresh link as soon as the poll's deadline has passed."""
    async with scripted(lambda f: honest(f) if f.pdu[0] == mbap.WRITE_MULTIPLE else []) as peer:
        link = link_to(peer.port)
        driver = CellModbusDriver(link, device_id=7, config_crc=0, is_real=False)
        await link.open()
        polls = [asyncio.create_task(link.read(0, 1)) for _ in range(3)]
        await asyncio.sleep(0)
        await driver.request_stop()
        assert [frame.pdu[0] for frame in peer.frames] == [mbap.READ_HOLDING, mbap.WRITE_MULTIPLE]
        assert peer.connections == 2
        assert [(w.address, w.words) for w in peer.written] == [(Reg.STOP, (2,))]
        for result in await asyncio.gather(*polls, return_exceptions=True):
            assert isinstance(result, LinkLost)


async def test_stop_tries_a_closed_link_three_times_100_ms_apart() -> None:
    async with scripted(silent) as peer:
        port = peer.port
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    driver = CellModbusDriver(link_to(port), device_id=7, config_crc=0, is_real=False, sleep=sleep)
    with pytest.raises(LinkLost):
        await driver.request_stop()
    assert pauses == [0.1, 0.1]


async def test_wire_self_test_unanswered_write_leaves_once() -> None:
    """The library's own defaults would put it on the wire four times; ours once, and so the pins hold."""
    async with scripted(silent) as peer:
        link = link_to(peer.port, reply_timeout_s=0.1)
        await link.open()
        with pytest.raises(LinkLost):
            await link.write_once(Reg.MAILBOX, WORDS)
        assert len(peer.frames) == 1
    async with scripted(silent) as peer:
        default = AsyncModbusTcpClient("127.0.0.1", port=peer.port, timeout=0.1)
        await default.connect()
        with pytest.raises(Exception, match="No response"):
            await default.write_registers(100, list(WORDS))
        default.close()
        assert len(peer.frames) == 4


async def test_worked_frame_leaves_byte_for_byte() -> None:
    async with scripted(honest) as peer:
        link = link_to(peer.port)
        await link.open()
        await link.write_once(Reg.MAILBOX, mailbox_words(WORKED_JOB))
        assert replace(peer.frames[0], transaction=0x1234).encode() == WORKED_FRAME
        link.close()


async def test_unpinned_client_is_not_armed() -> None:
    with pytest.raises(DriverError, match="not armed"):
        assert_pinned(AsyncModbusTcpClient("127.0.0.1"))
    with pytest.raises(DriverError, match="not armed"):
        assert_pinned(AsyncModbusTcpClient("127.0.0.1", retries=0))
