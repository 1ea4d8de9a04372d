"""The counting proxy: relays Modbus/TCP frames one by one and counts the motion and stop writes that pass.

`python -m drivers.cell_modbus.proxy --upstream PORT --control PATH [--port 0] [--log PATH]`

It counts what the agent put on the wire, before any fault of the wire strikes, and writes one JSON line for each
such frame to the log. The faults of the wire (drop, delay, duplicate, garbage, cut) and `unavailable` act here.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TextIO

from drivers.cell_modbus.connections import Connections
from drivers.cell_modbus.control_port import ControlServer, Handler, until_stdin_ends
from drivers.cell_modbus.faults import FaultPort, Taken
from drivers.cell_modbus.registers import MAILBOX_WORDS, Reg
from drivers.cell_modbus.simulator import mbap
from drivers.cell_modbus.simulator.mbap import Frame, WriteRequest
from drivers.contract import FaultArgument

HOST = "127.0.0.1"
MAX_IDS = 200_000
"""Command ids that are counted one by one; more end the count, loudly."""
GARBAGE_BYTES = 40
MAX_CONNECTIONS = 8
MAX_OUTSTANDING = 64
"""Requests without a reply that are remembered; one is usual."""
COMMAND_ID_OFFSET = Reg.COMMIT - 3 - Reg.MAILBOX

Kind = Literal["motion", "stop", "other"]
Direction = Literal["request", "response"]


@dataclass(frozen=True, slots=True)
class Sight:
    """What a request is to the counter."""

    kind: Kind
    command_id: int = 0


OTHER = Sight("other")


def look(frame: Frame) -> Sight:
    """A motion write is an FC16 that reaches the commit word; a stop write one that sets the stop word."""
    request = mbap.parse_request(frame.pdu)
    if not isinstance(request, WriteRequest):
        return OTHER
    written = range(request.address, request.address + len(request.words))
    if Reg.COMMIT in written:
        return Sight("motion", _command_id(request))
    if Reg.STOP in written and request.words[Reg.STOP - request.address] != 0:
        return Sight("stop")
    return OTHER


def _command_id(request: WriteRequest) -> int:
    """0 for a write that is no whole mailbox: counted too, it should not be there."""
    if (request.address, len(request.words)) != (Reg.MAILBOX, MAILBOX_WORDS):
        return 0
    high, low = request.words[COMMAND_ID_OFFSET : COMMAND_ID_OFFSET + 2]
    return high << 16 | low


@dataclass(slots=True)
class Count:
    """Motion writes by command id, and stop writes, as they came from the agent."""

    log: TextIO | None = None
    motions: Counter[int] = field(default_factory=Counter)
    stops: int = 0

    def add(self, sight: Sight) -> None:
        if sight.kind == "motion":
            if len(self.motions) >= MAX_IDS and sight.command_id not in self.motions:
                raise RuntimeError(f"more than {MAX_IDS} command ids; the count is full")
            self.motions[sight.command_id] += 1
        elif sight.kind == "stop":
            self.stops += 1
        if sight.kind != "other" and self.log is not None:
            row = {"kind": sight.kind, "command_id": sight.command_id, "t_ms": round(time.monotonic() * 1000, 3)}
            print(json.dumps(row), file=self.log, flush=True)


class Proxy:
    """One listener for the agent, one connection to the simulator for each of the agent's."""

    def __init__(self, upstream_port: int, count: Count) -> None:
        self._upstream_port = upstream_port
        self._count = count
        self._faults = FaultPort()
        self._server: asyncio.Server | None = None
        self._connections = Connections(MAX_CONNECTIONS)
        self.port = 0

    @asynccontextmanager
    async def listening(self, port: int) -> AsyncIterator[None]:
        """Relays what comes to `port` inside this block; `self.port` is the one that was bound."""
        await self._listen(port)
        try:
            yield
        finally:
            await self._refuse()

    async def _listen(self, port: int) -> None:
        self._server = await asyncio.start_server(self._serve, HOST, port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _refuse(self) -> None:
        """No listener and no connection any more when this returns."""
        if self._server is not None:
            self._server.close()
            self._server = None
        await self._connections.leave()

    def ops(self) -> Mapping[str, Handler]:
        return {
            "counts": lambda: {"motions": dict(self._count.motions), "stops": self._count.stops},
            "put_fault": self._put_fault,
            "clear_faults": self._clear_faults,
            "active_faults": lambda: [
                {"name": f.name, "seed": f.seed, "left": f.left, "args": dict(f.args)} for f in self._faults.active()
            ],
            "cut": self._connections.cut,
        }

    async def _put_fault(self, name: str, seed: int, count: int, args: Mapping[str, FaultArgument]) -> None:
        self._faults.put(name, seed=seed, count=count, args=args)
        if name == "unavailable":
            await self._refuse()

    async def _clear_faults(self) -> None:
        """The listener is back, on the same port, when this returns."""
        self._faults.clear()
        if self._server is None:
            await self._listen(self.port)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of the agent's; when either side ends, both do."""
        with self._connections.serving(writer) as has_room, suppress(OSError):
            if has_room:
                await self._relay(reader, writer)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream_reader, upstream = await asyncio.open_connection(HOST, self._upstream_port)
        with self._connections.holding(upstream):
            await _Link(self._count, self._faults, Lane(reader, upstream), Lane(upstream_reader, writer)).relay()


@dataclass(frozen=True, slots=True)
class Lane:
    """Frames of one direction."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


@dataclass(slots=True)
class _Link:
    """Both directions of one connection; remembers which reply belongs to which kind of request."""

    count: Count
    faults: FaultPort
    requests: Lane
    responses: Lane
    kinds: dict[int, Kind] = field(default_factory=dict)

    async def relay(self) -> None:
        """Ends when either direction does."""
        tasks = [
            asyncio.create_task(self._relay(self.requests, "request")),
            asyncio.create_task(self._relay(self.responses, "response")),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _relay(self, lane: Lane, direction: Direction) -> None:
        with suppress(mbap.BadFrame, ConnectionError):
            while (frame := await mbap.read(lane.reader)) is not None:
                kind = self._kind(frame, direction)
                if not await self._pass_on(lane, frame.encode(), kind, direction):
                    return

    def _kind(self, frame: Frame, direction: Direction) -> Kind:
        if direction == "response":
            return self.kinds.pop(frame.transaction, "other")
        sight = look(frame)
        self.count.add(sight)
        if len(self.kinds) >= MAX_OUTSTANDING:
            self.kinds.clear()
        self.kinds[frame.transaction] = sight.kind
        return sight.kind

    async def _pass_on(self, lane: Lane, data: bytes, kind: Kind, direction: Direction) -> bool:
        """False when the link is to be cut."""
        if self._strikes("drop", kind, direction):
            return True
        if (late := self._strikes("delay", kind, direction)) is not None:
            await asyncio.sleep(late.number("delay_ms") / 1000)
        if (noise := self._strikes("garbage", kind, direction)) is not None:
            data = noise.chance.randbytes(GARBAGE_BYTES)
        lane.writer.write(data * 2 if self._strikes("duplicate", kind, direction) else data)
        await lane.writer.drain()
        return self._strikes("cut", kind, direction) is None

    def _strikes(self, name: str, kind: Kind, direction: Direction) -> Taken | None:
        for frames in (kind, "any"):
            if (taken := self.faults.take(name, frames=frames, direction=direction)) is not None:
                return taken
        return None


async def run(arguments: argparse.Namespace, log: TextIO | None) -> None:
    proxy = Proxy(arguments.upstream, Count(log))
    async with ControlServer(proxy.ops()).listening(arguments.control), proxy.listening(arguments.port):
        ready = {"host": HOST, "port": proxy.port, "control": str(arguments.control), "pid": os.getpid()}
        print(json.dumps(ready), flush=True)
        await until_stdin_ends()


def main() -> None:
    parser = argparse.ArgumentParser(prog="drivers.cell_modbus.proxy", description="Counts motion writes on the wire.")
    parser.add_argument("--port", type=int, default=0, help="TCP port on loopback for the agent; 0 takes a free one")
    parser.add_argument("--upstream", type=int, required=True, help="the simulator's TCP port on loopback")
    parser.add_argument("--control", type=Path, required=True, help="path of the control socket to make")
    parser.add_argument("--log", type=Path, help="JSON lines of the frames that were counted; appended to")
    arguments = parser.parse_args()
    if arguments.log is None:
        asyncio.run(run(arguments, None))
        return
    with arguments.log.open("a", encoding="utf-8") as log:
        asyncio.run(run(arguments, log))


if __name__ == "__main__":
    main()
