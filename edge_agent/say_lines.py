"""Lines from a terminal, pipe or file, without blocking the loop and with a deadline."""

from __future__ import annotations

import asyncio
import os
import termios
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

MAX_LINE_BYTES: Final = 65_536
"""More without a line end is no sentence; it is cut there."""
_CHUNK: Final = 4096


class Lines:
    """Reads the file descriptor itself: a buffer below would hide from the loop what is there already."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = b""
        self._ended = False

    async def next(self, timeout_s: float | None) -> str | None:
        """The next line, stripped; None at the end of input or when the time is over. `timeout_s` None: waits for
        the person, who can always end it."""
        try:
            async with asyncio.timeout(timeout_s):
                while b"\n" not in self._buffer and len(self._buffer) < MAX_LINE_BYTES and not self._ended:
                    async with _readable(self._descriptor) as readable:
                        await readable.wait()
                    chunk = os.read(self._descriptor, _CHUNK)
                    self._buffer += chunk
                    self._ended = not chunk
        except TimeoutError:
            return None
        if not self._buffer:
            return None
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode("utf-8", "replace").strip()

    def forget(self) -> None:
        """At a terminal: what was typed so far. A yes that was typed before its question must not answer it."""
        if os.isatty(self._descriptor):
            termios.tcflush(self._descriptor, termios.TCIFLUSH)
            self._buffer = b""


@asynccontextmanager
async def _readable(descriptor: int) -> AsyncIterator[asyncio.Event]:
    """Set when a read would not block. A plain file never blocks, and no loop can watch it."""
    event, loop = asyncio.Event(), asyncio.get_running_loop()
    try:
        loop.add_reader(descriptor, event.set)
    except PermissionError:
        event.set()
        yield event
        return
    try:
        yield event
    finally:
        loop.remove_reader(descriptor)
