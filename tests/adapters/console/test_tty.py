"""The port over a pseudo-terminal: it comes and goes, takes nothing, takes too much. (A pty carries no real break.)"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import serial

from edge_agent.adapters.console.tty import PortSettings, TtyPort
from tests.adapters.console.terminal import DEADLINE_S, Terminal

pytestmark = pytest.mark.net
QUICK = PortSettings("", reopen_min_s=0.01, reopen_max_s=0.05)


@dataclass
class Near:
    """What the agent's side of the line got."""

    data: bytearray = field(default_factory=bytearray)
    changes: list[bool] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def bytes(self, data: bytes) -> None:
        self.data += data
        self.news.set()

    def change(self, there: bool) -> None:
        self.changes.append(there)
        self.news.set()

    async def until_changes(self, wanted: list[bool]) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while self.changes != wanted:
                self.news.clear()
                await self.news.wait()

    async def until_bytes(self, count: int) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while len(self.data) < count:
                self.news.clear()
                await self.news.wait()


@asynccontextmanager
async def line(
    folder: Path, settings: PortSettings = QUICK, *, plugged: bool = True
) -> AsyncIterator[tuple[Terminal, Near, TtyPort]]:
    terminal, near = Terminal(folder / "console"), Near()
    if plugged:
        terminal.plug()
    port = TtyPort(replace(settings, path=str(terminal.path)), near.bytes, near.change)
    running = asyncio.create_task(port.run())
    try:
        if plugged:
            await near.until_changes([True])
        yield terminal, near, port
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        terminal.unplug()


async def test_bytes_go_both_ways(tmp_path: Path) -> None:
    async with line(tmp_path) as (terminal, near, port):
        await terminal.send(b"\x00\x03\x11\x13\xff\r\n")
        await near.until_bytes(7)
        assert bytes(near.data) == b"\x00\x03\x11\x13\xff\r\n"
        port.write("停止\r\n".encode())
        await terminal.until("停止\r\n")


async def test_a_port_that_is_not_there_yet_is_opened_when_it_comes(tmp_path: Path) -> None:
    async with line(tmp_path, plugged=False) as (terminal, near, port):
        port.write(b"nobody hears this")
        assert not port.is_open
        terminal.plug()
        await near.until_changes([True])
        port.write(b"hello")
        assert "nobody" not in await terminal.until("hello")


async def test_unplugged_and_plugged_in_again(tmp_path: Path) -> None:
    async with line(tmp_path) as (terminal, near, port):
        for n in range(3):
            terminal.unplug()
            await near.until_changes([True, False] * (n + 1))
            port.write(b"into the air")
            terminal.plug()
            await near.until_changes([True, False] * (n + 1) + [True])
            port.write(f"again {n}".encode())
            assert "air" not in await terminal.until(f"again {n}")


async def test_unplugged_while_output_waits(tmp_path: Path) -> None:
    async with line(tmp_path) as (terminal, near, port):
        port.write(b"x" * 60_000)
        terminal.unplug()
        await near.until_changes([True, False])
        terminal.plug()
        await near.until_changes([True, False, True])
        port.write(b"fresh")
        assert "x" not in await terminal.until("fresh")


async def test_a_terminal_that_takes_nothing_costs_what_waits_and_no_more(tmp_path: Path) -> None:
    """The master is not read, so the line fills up; after the deadline the line is used again."""
    async with line(tmp_path, replace(QUICK, write_s=0.1, max_pending=40_000)) as (terminal, _, port):
        assert terminal._fds is not None
        asyncio.get_running_loop().remove_reader(terminal._fds[0])
        for _ in range(20):
            port.write(b"x" * 10_000)
        assert len(port._pending) <= 40_000
        for _ in range(500):
            if not port._pending:
                break
            await asyncio.sleep(0.02)
        asyncio.get_running_loop().add_reader(terminal._fds[0], terminal._read)
        port.write(b"fresh")
        await terminal.until("fresh")


async def test_a_slow_reader_gets_everything(tmp_path: Path) -> None:
    async with line(tmp_path) as (terminal, _, port):
        text = "".join(f"{n}\r\n" for n in range(9_000))
        port.write(text.encode())
        assert await terminal.until("8999\r\n") == text


async def test_a_megabyte_is_read_in_small_turns(tmp_path: Path) -> None:
    """Another task of the loop gets its turn between every two of them."""
    async with line(tmp_path) as (terminal, near, _):
        turns = 0

        async def others() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0)
                turns += 1

        other = asyncio.create_task(others())
        await terminal.send(b"x" * 1_000_000)
        await near.until_bytes(1_000_000)
        other.cancel()
        assert turns >= 1_000_000 // 1_024


async def test_the_line_is_ours_alone(tmp_path: Path) -> None:
    async with line(tmp_path) as (terminal, _, _):
        with pytest.raises(serial.SerialException):
            serial.Serial(str(terminal.path), exclusive=True)


async def test_a_path_that_is_no_line_is_not_opened_and_not_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried, open_now = asyncio.Event(), TtyPort._open_now
    loop = asyncio.get_running_loop()

    def opening(self: TtyPort) -> serial.Serial:
        try:
            return open_now(self)
        except OSError:
            loop.call_soon_threadsafe(tried.set)
            raise

    monkeypatch.setattr(TtyPort, "_open_now", opening)
    (tmp_path / "console").write_text("a file")
    async with line(tmp_path, plugged=False) as (terminal, near, port):
        async with asyncio.timeout(DEADLINE_S):
            await tried.wait()
        assert not port.is_open
        assert near.changes == []
        terminal.plug()
        await near.until_changes([True])
        assert port.is_open
