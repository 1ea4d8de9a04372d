"""A peer that says exactly what a test tells it to, and remembers every frame it got."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from drivers.cell_modbus.simulator import mbap
from drivers.cell_modbus.simulator.mbap import Frame, ReadRequest, WriteRequest
from drivers.wire.endpoints import TcpEndpoint
from drivers.wire.modbus import ModbusLink

UNIT = 1
Script = Callable[[Frame], list[bytes]]
"""Bytes to send for one request; an empty list is silence."""


@dataclass
class Peer:
    port: int = 0
    connections: int = 0
    frames: list[Frame] = field(default_factory=list)
    overlapping: bool = False
    """A request came while another had not been answered."""
    writers: list[asyncio.StreamWriter] = field(default_factory=list)

    asked: asyncio.Event = field(default_factory=asyncio.Event)

    async def hang_up(self) -> None:
        """The end of the stream is on its way when this returns."""
        for writer in self.writers:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    @property
    def written(self) -> list[WriteRequest]:
        parsed = [mbap.parse_request(frame.pdu) for frame in self.frames]
        return [request for request in parsed if isinstance(request, WriteRequest)]


def honest(frame: Frame) -> list[bytes]:
    """Zeros for a read, the right acknowledgement for a write."""
    match mbap.parse_request(frame.pdu):
        case ReadRequest(_, count):
            return [frame.reply(mbap.read_reply((0,) * count)).encode()]
        case WriteRequest(address, words):
            return [frame.reply(mbap.write_reply(address, len(words))).encode()]
        case code:
            return [frame.reply(mbap.exception_pdu(frame.pdu[0], code)).encode()]


def silent(frame: Frame) -> list[bytes]:
    del frame
    return []


@asynccontextmanager
async def scripted(script: Script) -> AsyncIterator[Peer]:
    peer = Peer()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer.connections += 1
        peer.writers.append(writer)
        with suppress(mbap.BadFrame, ConnectionError):
            while (frame := await mbap.read(reader)) is not None:
                peer.frames.append(frame)
                peer.asked.set()
                await asyncio.sleep(0)
                peer.overlapping |= bool(reader._buffer)  # type: ignore[attr-defined]  # the next request is here already
                for data in script(frame):
                    writer.write(data)
                    await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    peer.port = server.sockets[0].getsockname()[1]
    try:
        yield peer
    finally:
        server.close()
        await peer.hang_up()
        await asyncio.sleep(0)


def link_to(port: int, *, reply_timeout_s: float = 0.15) -> ModbusLink:
    return ModbusLink(TcpEndpoint("127.0.0.1", port), unit=UNIT, reply_timeout_s=reply_timeout_s, connect_timeout_s=0.5)
