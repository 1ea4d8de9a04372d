"""An independent client: pyserial's own terminal program at the other end of a null-modem cable."""

from __future__ import annotations

import asyncio
import os
import sys
import tty
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from edge_agent.safety.cell import CellState
from tests.adapters.console.terminal import DEADLINE_S, KEY_S, Terminal
from tests.console.bench import CODE, PIN, bench

pytestmark = pytest.mark.net


class Miniterm:
    """The program with its keyboard and its window on a pseudo-terminal of their own."""

    def __init__(self, keyboard: int, process: asyncio.subprocess.Process) -> None:
        self._keyboard, self.process = keyboard, process
        self.text, self._from = "", 0
        self._changed = asyncio.Event()
        asyncio.get_running_loop().add_reader(keyboard, self._read)

    def _read(self) -> None:
        try:
            data = os.read(self._keyboard, 65_536)
        except OSError:
            asyncio.get_running_loop().remove_reader(self._keyboard)
            return
        self.text += data.decode("utf-8", "replace")
        self._changed.set()

    async def keys(self, text: str) -> None:
        for char in text:
            os.write(self._keyboard, char.encode())
            await asyncio.sleep(KEY_S)

    async def until(self, wanted: str) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while wanted not in self.text[self._from :]:
                self._changed.clear()
                await self._changed.wait()
        self._from = self.text.index(wanted, self._from) + len(wanted)


@asynccontextmanager
async def miniterm(near: Terminal) -> AsyncIterator[Miniterm]:
    """A cable: what one end is sent comes out at the other."""
    far_master, far_slave = os.openpty()
    tty.setraw(far_slave)
    os.set_blocking(far_master, False)
    loop = asyncio.get_running_loop()
    assert near._fds is not None
    near_master = near._fds[0]
    loop.remove_reader(near_master)
    loop.add_reader(near_master, lambda: os.write(far_master, os.read(near_master, 4096)))
    loop.add_reader(far_master, lambda: os.write(near_master, os.read(far_master, 4096)))
    keyboard, window = os.openpty()
    command = [sys.executable, "-m", "serial.tools.miniterm", "--quiet", os.ttyname(far_slave), "115200"]
    process = await asyncio.create_subprocess_exec(*command, stdin=window, stdout=window, stderr=window)
    os.close(window)
    try:
        yield Miniterm(keyboard, process)
    finally:
        process.kill()
        await process.wait()
        for fd in (near_master, far_master, keyboard):
            loop.remove_reader(fd)
        for fd in (far_master, far_slave, keyboard):
            os.close(fd)
        loop.add_reader(near_master, near._read)


async def test_a_technicians_visit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell, miniterm(cell.terminal) as window:
        await asyncio.sleep(0.5)  # the program reads its keyboard only now
        await window.keys("statsu\x08\x08us\r")
        await window.until("Cell: ready (READY)")
        await window.keys("login wang\r")
        await window.until("PIN: ")
        await window.keys(f"{PIN}\r")
        await window.until("wang> ")
        assert PIN not in window.text
        await window.keys("home the arm\r")
        await window.until(f"[{CODE}]> ")
        await window.keys(f"{CODE}\r")
        await window.until("receipt and end state were checked")
        await window.keys("stop\r")
        await cell.state(CellState.STOPPED)
        await window.until("stopped")
