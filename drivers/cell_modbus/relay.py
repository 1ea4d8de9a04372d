"""Frames from agent to simulator and back, one by one, counted; the faults of the wire strike here."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from drivers.cell_modbus.counting import Count, Kind, look
from drivers.cell_modbus.faults import FaultPort, Taken
from drivers.cell_modbus.simulator import mbap
from drivers.cell_modbus.simulator.mbap import Frame

GARBAGE_BYTES = 40
MAX_OUTSTANDING = 64
"""Requests without a reply that are remembered; one is usual."""

Direction = Literal["request", "response"]


@dataclass(frozen=True, slots=True)
class Lane:
    """Frames of one direction: where they come from, and how they go on."""

    receive: Callable[[], Awaitable[Frame | None]]
    """None at the end."""
    encode: Callable[[Frame], bytes]
    send: Callable[[bytes], Awaitable[None]]


def through(writer: asyncio.StreamWriter) -> Callable[[bytes], Awaitable[None]]:
    """A lane's `send` on a TCP connection: returns when there is room for more."""

    async def send(data: bytes) -> None:
        writer.write(data)
        await writer.drain()

    return send


@dataclass(slots=True)
class Relay:
    """Both directions of one connection; remembers which reply belongs to which kind of request."""

    count: Count
    faults: FaultPort
    requests: Lane
    responses: Lane
    _kinds: dict[int, Kind] = field(default_factory=dict)

    async def run(self) -> None:
        """Ends when either direction does."""
        tasks = [
            asyncio.create_task(self._pass_all(self.requests, "request")),
            asyncio.create_task(self._pass_all(self.responses, "response")),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _pass_all(self, lane: Lane, direction: Direction) -> None:
        with suppress(mbap.BadFrame, OSError):
            while (frame := await lane.receive()) is not None:
                kind = self._kind(frame, direction)
                if not await self._pass_on(lane, lane.encode(frame), kind, direction):
                    return

    def _kind(self, frame: Frame, direction: Direction) -> Kind:
        if direction == "response":
            return self._kinds.pop(frame.transaction, "other")
        sight = look(frame)
        self.count.add(sight)
        if len(self._kinds) >= MAX_OUTSTANDING:
            self._kinds.clear()
        self._kinds[frame.transaction] = sight.kind
        return sight.kind

    async def _pass_on(self, lane: Lane, data: bytes, kind: Kind, direction: Direction) -> bool:
        """False when the link is to be cut."""
        if self.faults.holds("unavailable") or self._strikes("drop", kind, direction):
            return True
        if (late := self._strikes("delay", kind, direction)) is not None:
            await asyncio.sleep(late.number("delay_ms") / 1000)
        if (noise := self._strikes("garbage", kind, direction)) is not None:
            data = noise.chance.randbytes(GARBAGE_BYTES)
        for _ in range(2 if self._strikes("duplicate", kind, direction) else 1):
            await lane.send(data)
        return self._strikes("cut", kind, direction) is None

    def _strikes(self, name: str, kind: Kind, direction: Direction) -> Taken | None:
        for frames in (kind, "any"):
            if (taken := self.faults.take(name, frames=frames, direction=direction)) is not None:
                return taken
        return None
