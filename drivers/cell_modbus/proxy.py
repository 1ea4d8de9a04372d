"""The counting proxy: relays Modbus frames one by one and counts the motion and stop writes that pass.

`python -m drivers.cell_modbus.proxy --upstream PORT --control PATH [--wire tcp|rtu] [--port 0] [--log PATH]`

It counts what the agent put on the wire, before any fault of the wire strikes, and writes one JSON line for each
such frame to the log. The faults of the wire (drop, delay, duplicate, garbage, cut) and `unavailable` act here.
Prints one JSON line when it is ready: `{"host", "port", "serial_port", "control", "pid"}`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TextIO

from drivers.cell_modbus.connections import Connections
from drivers.cell_modbus.control_port import ControlServer, Handler, until_stdin_ends
from drivers.cell_modbus.counting import Count
from drivers.cell_modbus.faults import FaultPort
from drivers.cell_modbus.relay import Lane, Relay, through
from drivers.cell_modbus.serial_front import SerialFront
from drivers.cell_modbus.simulator import mbap
from drivers.cell_modbus.simulator.mbap import Frame
from drivers.cell_modbus.simulator.pty_line import PtyLine
from drivers.package import FaultArgument

HOST = "127.0.0.1"
MAX_CONNECTIONS = 8


class Proxy:
    """One front for the agent, one connection to the simulator for each of the agent's."""

    def __init__(self, upstream_port: int, count: Count) -> None:
        self._upstream_port = upstream_port
        self._count = count
        self._faults = FaultPort()
        self._server: asyncio.Server | None = None
        self._connections = Connections(MAX_CONNECTIONS)
        self.port = 0
        """The TCP port that was bound; 0 on a serial line."""
        self.serial_port = ""

    @asynccontextmanager
    async def on_tcp(self, port: int) -> AsyncIterator[None]:
        """Relays what comes to `port` inside this block."""
        await self._listen(port)
        try:
            yield
        finally:
            await self._refuse()

    @asynccontextmanager
    async def on_serial(self) -> AsyncIterator[None]:
        """Relays what comes over a fresh pseudo-terminal inside this block."""
        line = PtyLine()
        self.serial_port = line.path
        front = SerialFront(line, self._count, self._faults, self._connections)
        serving = asyncio.create_task(front.serve(HOST, self._upstream_port))
        try:
            yield
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
            line.close()

    def ops(self) -> Mapping[str, Handler]:
        """The control pipe's words."""
        return {
            "counts": lambda: {"motions": dict(self._count.motions), "stops": self._count.stops},
            "put_fault": self._put_fault,
            "clear_faults": self._clear_faults,
            "renew": self._renew,
            "active_faults": lambda: [
                {"name": f.name, "seed": f.seed, "left": f.left, "args": dict(f.args)} for f in self._faults.active()
            ],
        }

    async def _put_fault(self, name: str, seed: int, count: int, args: Mapping[str, FaultArgument]) -> None:
        self._faults.put(name, seed=seed, count=count, args=args)
        if name == "unavailable":
            await self._refuse()

    async def _clear_faults(self) -> None:
        """The listener is back, on the same port, when this returns."""
        self._faults.clear()
        if self._server is None and not self.serial_port:
            await self._listen(self.port)

    async def _renew(self) -> None:
        """No fault, no connection, nothing counted."""
        await self._clear_faults()
        self._connections.cut()
        self._count.clear()

    async def _listen(self, port: int) -> None:
        self._server = await asyncio.start_server(self._serve, HOST, port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _refuse(self) -> None:
        """No listener and no connection any more when this returns."""
        if self._server is not None:
            self._server.close()
            self._server = None
        await self._connections.leave()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of the agent's; when either side ends, both do."""
        with self._connections.serving(writer) as has_room, suppress(OSError):
            if has_room:
                await self._relay(reader, writer)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream_reader, upstream = await asyncio.open_connection(HOST, self._upstream_port)
        with self._connections.holding(upstream):
            await Relay(
                self._count, self._faults, _tcp_lane(reader, upstream), _tcp_lane(upstream_reader, writer)
            ).run()


def _tcp_lane(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Lane:
    return Lane(lambda: mbap.read(reader), Frame.encode, through(writer))


async def run(arguments: argparse.Namespace, log: TextIO | None) -> None:
    proxy = Proxy(arguments.upstream, Count(log))
    front = proxy.on_serial() if arguments.wire == "rtu" else proxy.on_tcp(arguments.port)
    async with ControlServer(proxy.ops()).listening(arguments.control), front:
        ready = {
            "host": HOST,
            "port": proxy.port,
            "serial_port": proxy.serial_port,
            "control": str(arguments.control),
            "pid": os.getpid(),
        }
        print(json.dumps(ready), flush=True)
        await until_stdin_ends()


def main() -> None:
    parser = argparse.ArgumentParser(prog="drivers.cell_modbus.proxy", description="Counts motion writes on the wire.")
    parser.add_argument("--port", type=int, default=0, help="TCP port on loopback for the agent; 0 takes a free one")
    parser.add_argument("--wire", choices=("tcp", "rtu"), default="tcp", help="what the agent speaks")
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
