"""The far end of a serial line: a pseudo-terminal's master, read and typed on as a person's terminal does."""

from __future__ import annotations

import asyncio
import os
import tty
from pathlib import Path

DEADLINE_S = 15.0
KEY_S = 0.03
"""Between two keys of fast fingers."""


class Terminal:
    """`path` is a link to the line's other end, as a udev rule makes it; it comes and goes with the cable."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = ""
        self._from = 0
        self._fds: tuple[int, int] | None = None
        self._changed = asyncio.Event()

    def plug(self) -> None:
        master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(master, False)
        self._fds = (master, slave)
        new = self.path.with_suffix(".new")
        new.symlink_to(os.ttyname(slave))
        new.replace(self.path)
        asyncio.get_running_loop().add_reader(master, self._read)

    def unplug(self) -> None:
        if self._fds is None:
            return
        asyncio.get_running_loop().remove_reader(self._fds[0])
        for fd in self._fds:
            os.close(fd)
        self._fds = None
        self.path.unlink()

    @property
    def new(self) -> str:
        """What came since the last `until`."""
        return self.text[self._from :]

    async def until(self, wanted: str) -> str:
        """Everything up to and with `wanted`, from where the last one ended. Fails where it does not come."""
        try:
            async with asyncio.timeout(DEADLINE_S):
                while wanted not in self.new:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(f"{wanted!r} did not come; there was:\n{self.new}") from None
        end = self.text.index(wanted, self._from) + len(wanted)
        seen, self._from = self.text[self._from : end], end
        return seen

    async def send(self, data: bytes) -> None:
        """All at once, as a paste; waits where the line is full."""
        async with asyncio.timeout(DEADLINE_S):
            while data:
                data = data[self._write(data) :]
                await asyncio.sleep(0)

    async def line(self, text: str) -> None:
        await self.send(f"{text}\r".encode())

    async def keys(self, text: str) -> None:
        """Key by key."""
        for char in text:
            await self.send(char.encode())
            await asyncio.sleep(KEY_S)

    def _write(self, data: bytes) -> int:
        assert self._fds is not None, "not plugged in"
        try:
            return os.write(self._fds[0], data[:4096])
        except BlockingIOError:
            return 0

    def _read(self) -> None:
        assert self._fds is not None, "not plugged in"
        try:
            data = os.read(self._fds[0], 65_536)
        except BlockingIOError:
            return
        self.text += data.decode("utf-8", "replace")
        self._changed.set()
