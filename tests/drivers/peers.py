"""Modbus that we did not write, and the two stories it is told: by their client, to our simulated controller; by our
driver, to their server. Addresses are 0-based; everything blocks; a peer is a test's, never the product's.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from drivers.cell_modbus.mailbox import mailbox_words
from drivers.cell_modbus.registers import MAGIC_WORD, MAP_VERSION, Reg
from drivers.cell_modbus.rig import ModbusCell
from drivers.cell_modbus.simulator.command import Command
from drivers.cell_modbus.simulator.receipt_slot import Publication, encode
from drivers.cell_modbus.simulator.words import crc16_words
from drivers.contract import Action, ReceiptState
from tests.drivers.bench import SESSION, driver_at, job_of

JOB = job_of(Action.PICK, 0x1092)
SESSION_WORDS = (SESSION >> 16, SESSION & 0xFFFF)
POLLS = 400
WITHIN_S = 20.0


def needed(what: str | None, package: str) -> str:
    """Skips, and says what to install, where a Debian package is not there and may not be installed by the tests."""
    if what is None:
        pytest.skip(f"{package} is not installed, nothing was tested against it. Type: .ci/debian peers")
    return what


class Client(Protocol):
    """Refused or unanswered: None, False."""

    def read(self, address: int, count: int) -> list[int] | None: ...

    def write(self, address: int, words: Sequence[int]) -> bool: ...


class Bank(Protocol):
    """Holding registers of their server."""

    def get(self, address: int, count: int) -> list[int]: ...

    def put(self, address: int, words: Sequence[int]) -> None: ...


@dataclass(frozen=True, slots=True)
class Seen:
    identity: list[int] | None
    written: bool
    receipt: list[int] | None
    stop: list[int] | None
    outside: list[int] | None
    read_only: bool


def picked_by(client: Client) -> Seen:
    """One pick, from the identity to the receipt, and a stop. A beat goes with the session it belongs to: a tool that
    writes one word by another function code than sixteen can tell this story, too."""
    identity = client.read(0, 42)
    client.write(Reg.AGENT_HEARTBEAT, [1, *SESSION_WORDS, 1])
    written = client.write(Reg.MAILBOX, mailbox_words(JOB))
    receipt = None
    for beat in range(2, POLLS):
        client.write(Reg.AGENT_HEARTBEAT, [beat, *SESSION_WORDS])
        receipt = client.read(Reg.RECEIPT, 32)
        if receipt and receipt[6] == ReceiptState.DONE:
            break
    client.write(Reg.SESSION_OP, [1, 2])
    return Seen(
        identity,
        written,
        receipt,
        stop=client.read(Reg.STOP, 2),
        outside=client.read(42, 1),
        read_only=client.write(Reg.STOP_ECHO - 1, [2, 1]),
    )


async def check_picked(cell: ModbusCell, seen: Seen) -> None:
    """What they saw, and what the proxy counted."""
    assert seen.identity is not None
    assert seen.identity[:3] == [MAGIC_WORD, MAP_VERSION, 7]
    assert seen.written
    assert seen.receipt is not None
    assert seen.receipt[24:27] == [0, 0x1092, mailbox_words(JOB)[26]]
    assert seen.receipt[30] == crc16_words(seen.receipt[1:30])
    assert seen.receipt[29] == 0b011
    assert seen.stop == [2, 2]
    assert (seen.outside, seen.read_only) == (None, False)
    assert await cell.motion_frames() == {0x1092: 1}
    assert await cell.stop_frames() >= 1
    assert [motion.command_id for motion in await cell.executed()] == [0x1092]


def fill(bank: Bank) -> None:
    """An idle controller's status, as our driver wants to find it."""
    words = [0] * 42
    words[:3], words[Reg.CONFIG_CRC] = [MAGIC_WORD, MAP_VERSION, 7], 0x1A2B
    words[Reg.MODE], words[Reg.STATE], words[Reg.POSE] = 3, 1, 0xFFFF
    bank.put(0, words)


async def drive(wire: Mapping[str, object], bank: Bank) -> None:
    """Our driver at their server: identified, commanded, answered, stopped; each word where it belongs."""

    async def get(address: int, count: int) -> list[int]:
        return await asyncio.to_thread(bank.get, address, count)

    async with driver_at(wire, reply_timeout_ms=2_000, drain_ms=50) as driver:
        assert (await driver.identify(SESSION)).device_id == 7
        assert (await driver.snapshot()).pose == (-1, 0, 0, 0, 0, 0)
        await driver.send(JOB)
        assert await get(Reg.MAILBOX, 28) == list(mailbox_words(JOB))
        assert await driver.receipt(0x1092) is None
        await driver.heartbeat(77)
        await driver.request_stop()
        assert await get(Reg.AGENT_HEARTBEAT, 5) == [77, *SESSION_WORDS, 1, 2]
        await driver.release_stop()
        assert await get(Reg.STOP, 1) == [0]
        body = encode(Publication(Command(mailbox_words(JOB)), ReceiptState.DONE, progress=100))
        await asyncio.to_thread(bank.put, Reg.RECEIPT, [2, *body, crc16_words(body), 2])
        receipt = await driver.receipt(0x1092)
        assert receipt is not None
        assert receipt.differs_from(JOB.order, driver.fingerprint(JOB)) == ()


@contextmanager
def serial_pair(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Two ends of one line."""
    ends = folder / "theirs", folder / "ours"
    socat = needed(shutil.which("socat"), "socat")
    with subprocess.Popen([socat, *(f"pty,raw,echo=0,link={end}" for end in ends)]) as line:
        try:
            deadline_s = time.monotonic() + WITHIN_S
            while not all(end.exists() for end in ends):
                assert time.monotonic() < deadline_s, "socat made no line"
                time.sleep(0.01)
            yield ends
        finally:
            line.terminate()
