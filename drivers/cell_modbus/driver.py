"""The cell-modbus driver: words in, values out; judges nothing, repeats nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from drivers.cell_modbus.mailbox import OutOfRange, fingerprint, mailbox_words, u32_words
from drivers.cell_modbus.receipt import COMMAND_ID, decode_receipt, is_torn
from drivers.cell_modbus.registers import (
    RECEIPT_WORDS,
    STATUS_WORDS,
    Reg,
    SessionOp,
    StopLevel,
)
from drivers.cell_modbus.status import check_device, decode_identity, decode_snapshot, u32
from drivers.contract import DriverError, Identity, Job, LinkLost, NotSent, Receipt, Snapshot, WrongReply
from drivers.wire.modbus import ModbusLink

STOP_TRIES = 3
STOP_PAUSE_S = 0.1
"""A stop request on a broken link: at most 3 tries, 100 ms apart."""
FIRST_HEARTBEAT = 1

Sleep = Callable[[float], Awaitable[None]]


class CellModbusDriver:
    """`drivers.contract.Driver` over one `ModbusLink`.

    A link that was opened for a stop request alone carries reads and stops; for motion and heartbeat it must be
    identified again.
    """

    def __init__(
        self, link: ModbusLink, *, device_id: int, config_crc: int, is_real: bool, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._link = link
        self._device_id = device_id
        self._config_crc = config_crc
        self._is_real = is_real
        self._sleep = sleep
        self._identified = 0
        self._last_command_id = 0
        self._stops = 0
        """Stops that were asked for so far: a command that still waits for the wire meanwhile is not sent."""

    async def identify(self, session: int) -> Identity:
        """Opens the link, compares 0..41 with the settings, opens session `session` and reads it back."""
        await self._link.open()
        words = await self._link.read(Reg.MAGIC, STATUS_WORDS)
        check_device(words, device_id=self._device_id, config_crc=self._config_crc)
        opening = (FIRST_HEARTBEAT, *u32_words(session), SessionOp.OPEN)
        await self._link.write(Reg.AGENT_HEARTBEAT, opening)
        if (found := await self._link.read(Reg.AGENT_HEARTBEAT, len(opening))) != opening:
            raise WrongReply(f"session words read back {found}, written {opening}")
        self._last_command_id = u32(await self._link.read(Reg.RECEIPT_COMMAND_ID, 2), 0)
        self._identified = self._link.generation
        return decode_identity(words, is_real=self._is_real)

    async def snapshot(self) -> Snapshot:
        """One read of 0..41. `last_command_id` is the id on the receipt as last read (identify, receipt)."""
        words = await self._link.read(Reg.MAGIC, STATUS_WORDS)
        return decode_snapshot(words, last_command_id=self._last_command_id)

    def fingerprint(self, job: Job) -> int:
        return fingerprint(job)

    async def send(self, job: Job, wanted: Callable[[], bool] = lambda: True) -> None:
        """One FC16 of 28 words. `NotSent` when it does not fit the map, the link is not identified and open, a stop
        went ahead of it, or it is not `wanted` any more when its turn has come."""
        try:
            words = mailbox_words(job)
        except OutOfRange as error:
            raise NotSent(f"{error}; nothing was sent") from error
        if not self._is_identified():
            raise NotSent("the link is closed or was reopened since identify; nothing was sent")
        before = self._stops
        await self._link.write_once(Reg.MAILBOX, words, wanted=lambda: self._stops == before and wanted())

    async def receipt(self, command_id: int) -> Receipt | None:
        """What stands in 200..231 now, whatever its id; None while nothing is readable."""
        del command_id  # the controller has one receipt; the agent compares the id
        return await self._read_receipt()

    async def request_stop(self) -> None:
        """Writes STOP = 2, ahead of waiting reads; reopens a closed link, ≤ 3 tries. Raises the last error."""
        self._stops += 1
        for left in reversed(range(STOP_TRIES)):
            try:
                await self._link.write_urgent(Reg.STOP, (StopLevel.CONTROLLED_STOP,))
                return
            except DriverError:
                if left == 0:
                    raise
            await self._sleep(STOP_PAUSE_S)

    async def release_stop(self) -> None:
        await self._link.write(Reg.STOP, (StopLevel.RELEASED,))

    async def heartbeat(self, count: int) -> None:
        """Writes the agent's heartbeat; only on an identified link, so that silence stays silence."""
        if not self._is_identified():
            raise LinkLost("the link is closed or was reopened since identify; no heartbeat was sent")
        await self._link.write(Reg.AGENT_HEARTBEAT, (count & 0xFFFF,))

    async def close(self) -> None:
        """Closes the session where the link still stands, then the link."""
        if self._is_identified():
            with suppress(DriverError):  # leaving anyway; the controller's dead-man does not need our goodbye
                await self._link.write(Reg.SESSION_OP, (SessionOp.CLOSE,))
        self._link.close()

    def _is_identified(self) -> bool:
        return self._link.is_open and self._identified == self._link.generation

    async def _read_receipt(self) -> Receipt | None:
        words = await self._link.read(Reg.RECEIPT, RECEIPT_WORDS)
        if not is_torn(words):
            self._last_command_id = u32(words, COMMAND_ID)
        return decode_receipt(words)
