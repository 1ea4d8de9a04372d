"""The far end of a serial line, as a pseudo-terminal: chunks of bytes parted by silence in, bytes out."""

from __future__ import annotations

import asyncio
import os
import pty
import termios
import tty
from contextlib import suppress

SILENCE_S = 0.004
"""Ends a frame. Longer than the 3.5 characters of the standard: this machine is no UART."""
MAX_CHUNK = 4096
MAX_WAITING = 16
"""Chunks nobody has read; a device that does not listen loses the rest."""


class PtyLine:
    """Opened at once; `path` is what the agent's driver opens. Needs a running loop."""

    def __init__(self) -> None:
        self._far, self._near = pty.openpty()
        tty.setraw(self._near, termios.TCSANOW)
        os.set_blocking(self._far, False)
        self.path = os.ttyname(self._near)
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue(MAX_WAITING)
        self._pending = b""
        self._silence: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._far, self._on_bytes)

    async def chunk(self) -> bytes:
        """Bytes that came without a pause."""
        return await self._chunks.get()

    async def send(self, data: bytes) -> None:
        """Into the line, whether or not somebody listens; what does not fit is lost, as on a real one."""
        with suppress(BlockingIOError):
            os.write(self._far, data)

    def close(self) -> None:
        self._loop.remove_reader(self._far)
        if self._silence is not None:
            self._silence.cancel()
        os.close(self._far)
        os.close(self._near)

    def _on_bytes(self) -> None:
        self._pending = (self._pending + os.read(self._far, MAX_CHUNK))[-MAX_CHUNK:]
        if self._silence is not None:
            self._silence.cancel()
        self._silence = self._loop.call_later(SILENCE_S, self._on_silence)

    def _on_silence(self) -> None:
        chunk, self._pending, self._silence = self._pending, b"", None
        with suppress(asyncio.QueueFull):
            self._chunks.put_nowait(chunk)
