"""The proxy's front on a serial line: RTU frames from a pseudo-terminal, relayed to the simulator's TCP port."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from itertools import count as count_up

from drivers.cell_modbus.connections import Connections
from drivers.cell_modbus.counting import Count
from drivers.cell_modbus.faults import FaultPort
from drivers.cell_modbus.relay import Lane, Relay, through
from drivers.cell_modbus.simulator import mbap, rtu
from drivers.cell_modbus.simulator.mbap import Frame
from drivers.cell_modbus.simulator.pty_line import PtyLine

RECONNECT_S = 0.02
"""After the simulated controller's power was off, or the line was cut."""


class SerialFront:
    """One line; a cable does not end, so a cut one is there again at once."""

    def __init__(self, line: PtyLine, count: Count, faults: FaultPort, connections: Connections) -> None:
        self._line = line
        self._count = count
        self._faults = faults
        self._connections = connections
        self._transactions = count_up(1)

    async def serve(self, host: str, port: int) -> None:
        """Until cancelled."""
        while True:
            with suppress(OSError):
                await self._relay(*await asyncio.open_connection(host, port))
            await asyncio.sleep(RECONNECT_S)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with self._connections.holding(writer):
            requests = Lane(self._request, Frame.encode, through(writer))
            responses = Lane(lambda: mbap.read(reader), rtu.encode, self._line.send)
            await Relay(self._count, self._faults, requests, responses).run()

    async def _request(self) -> Frame:
        """The next frame whose check sum is right; noise is passed over, as a device does."""
        while True:
            chunk = await self._line.chunk()
            frame = rtu.decode(chunk, next(self._transactions) & 0xFFFF)
            if frame is not None:
                return frame
