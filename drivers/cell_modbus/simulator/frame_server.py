"""The simulated controller on TCP: one frame in, the reply (or what a fault makes of it) out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress

from drivers.cell_modbus.connections import Connections
from drivers.cell_modbus.registers import MAILBOX_WORDS, Reg
from drivers.cell_modbus.simulator import image, mbap
from drivers.cell_modbus.simulator.controller import Controller
from drivers.cell_modbus.simulator.mbap import Frame, ReadRequest, WriteRequest

MAX_CONNECTIONS = 8
IDLE_TIMEOUT_S = 600
"""A peer that says nothing for ten minutes is dropped."""

WriteReplies = Callable[[], list[bytes]]
REPLY_FAULTS: Mapping[str, WriteReplies] = {
    "reply_lost_after_execution": list,
    "duplicate_reply": lambda: [mbap.write_reply(Reg.MAILBOX, MAILBOX_WORDS)] * 2,
    "reply_wrong_address": lambda: [mbap.write_reply(Reg.MAILBOX + 1, MAILBOX_WORDS)],
    "reply_wrong_count": lambda: [mbap.write_reply(Reg.MAILBOX, MAILBOX_WORDS - 1)],
    "exception_after_execution": lambda: [mbap.exception_pdu(mbap.WRITE_MULTIPLE, mbap.DEVICE_FAILURE)],
}
"""What the acknowledgement of a mailbox write becomes; the write itself has taken effect before."""


class FrameServer:
    """Answers every connection from one controller; `now_ms` is its clock."""

    def __init__(self, controller: Controller, now_ms: Callable[[], float]) -> None:
        self._controller = controller
        self._now_ms = now_ms
        self._connections = Connections(MAX_CONNECTIONS)

    @asynccontextmanager
    async def listening(self, host: str, port: int) -> AsyncIterator[int]:
        """Answers on `host` inside this block; yields the port."""
        server = await asyncio.start_server(self._serve, host, port)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            await self._connections.leave()

    def cut_all(self) -> None:
        """Power is off: no connection survives."""
        self._connections.cut()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with self._connections.serving(writer) as has_room, suppress(mbap.BadFrame, ConnectionError, TimeoutError):
            if has_room:
                await self._answer_all(reader, writer)

    async def _answer_all(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            async with asyncio.timeout(IDLE_TIMEOUT_S):
                frame = await mbap.read(reader)
            if frame is None:
                return
            for pdu in self.replies(frame):
                writer.write(frame.reply(pdu).encode())
            await writer.drain()

    def replies(self, frame: Frame) -> list[bytes]:
        """PDUs that answer `frame`: one, but for another unit (none) or a fault."""
        if frame.unit != self._controller.profile.unit:
            return []
        request = mbap.parse_request(frame.pdu)
        try:
            match request:
                case ReadRequest(address, count):
                    return [mbap.read_reply(image.read(self._controller, address, count, self._now_ms()))]
                case WriteRequest(address, words):
                    return self._write(address, words)
                case code:
                    return [mbap.exception_pdu(frame.pdu[0], code)]
        except image.IllegalAddress:
            return [mbap.exception_pdu(frame.pdu[0], mbap.ILLEGAL_ADDRESS)]

    def _write(self, address: int, words: tuple[int, ...]) -> list[bytes]:
        faults = self._controller.faults
        acknowledged = [mbap.write_reply(address, len(words))]
        is_command = (address, len(words)) == (Reg.MAILBOX, MAILBOX_WORDS)
        if is_command and faults.take("command_swallowed"):
            return acknowledged
        image.write(self._controller, address, words, self._now_ms())
        if is_command:
            for name, replies in REPLY_FAULTS.items():
                if faults.take(name):
                    return replies()
        return acknowledged
