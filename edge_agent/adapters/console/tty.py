"""The console's serial port: opened for us alone, read and written without ever waiting, opened again when it went.

The one file that imports pyserial for the console. pyserial opens and sets the port; bytes go straight through the
descriptor, because its own `write` spins while the line is full. Opening and closing can hang in a driver, so both
are done in a thread of their own.
"""

from __future__ import annotations

import asyncio
import os
import select
import termios
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import serial

from edge_agent.adapters.log import log
from edge_agent.adapters.one_thread import NoAnswer, OneThread

READ_BYTES: Final = 1_024
"""At once: a flood leaves the loop a turn between every two of these."""

EMPTY_READS: Final = 100
"""A line that says so often that there is something to read, and then has nothing, is gone."""
FAULTS: Final = (OSError, ValueError, termios.error)
"""What a port raises that cannot be opened, set or closed; `SerialException` is an `OSError`."""

_log = log("console")


@dataclass(frozen=True, slots=True)
class PortSettings:
    path: str
    baud: int = 115_200
    max_pending: int = 65_536
    """Bytes waiting for a slow line; at 9600 baud this is a minute, and nobody reads older news."""
    write_s: float = 5.0
    """A terminal that takes nothing for this long has what waits for it thrown away."""
    open_s: float = 5.0
    reopen_min_s: float = 0.2
    reopen_max_s: float = 5.0
    """Of the pauses between two tries to open; soon enough for somebody who has just plugged the cable in."""


class TtyPort:
    """`on_bytes` is given what comes in, `on_change` whether the port is there; both in the loop, neither may wait."""

    def __init__(
        self, settings: PortSettings, on_bytes: Callable[[bytes], None], on_change: Callable[[bool], None]
    ) -> None:
        self._settings, self._on_bytes, self._on_change = settings, on_bytes, on_change
        self._thread = OneThread("console-tty", FAULTS)
        self._port: serial.Serial | None = None
        self._fd = -1
        self._lost = asyncio.Event()
        self._pending = bytearray()
        self._deadline: asyncio.TimerHandle | None = None
        self._reported = ""
        self._empty = 0
        self._dropping = False

    @property
    def is_open(self) -> bool:
        return self._port is not None

    async def run(self) -> None:
        """Opens, serves, opens again; until cancelled."""
        pause_s = self._settings.reopen_min_s
        try:
            while True:
                if await self._open():
                    pause_s = self._settings.reopen_min_s
                    self._on_change(True)
                    await self._lost.wait()
                    await self._close()
                    self._on_change(False)
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, self._settings.reopen_max_s)
        finally:
            await self._close()
            self._thread.close()

    def write(self, data: bytes) -> None:
        """Goes out as the line takes it. Dropped where no port is open, or more waits than anyone will read."""
        if self._port is None or self._lost.is_set():
            return
        if len(self._pending) + len(data) > self._settings.max_pending:
            self._overflow(len(data))
            return
        if not self._pending:
            asyncio.get_running_loop().call_soon(self._flush)
        self._pending += data

    def _overflow(self, count: int) -> None:
        if not self._dropping:
            _log.warning("console_output_dropped", bytes=count)
        self._dropping = True

    # -- opening and closing ----------------------------------------------------------------------------------

    async def _open(self) -> bool:
        try:
            self._port = await self._thread.call(self._open_now, self._settings.open_s)
        except (NoAnswer, *FAULTS) as error:
            self._report(str(error))
            return False
        self._report("")
        self._fd = self._port.fileno()
        os.set_blocking(self._fd, False)
        self._lost.clear()
        asyncio.get_running_loop().add_reader(self._fd, self._readable)
        return True

    def _open_now(self) -> serial.Serial:
        """`exclusive`: a second agent, or another program that asks for the same, is refused."""
        return serial.Serial(self._settings.path, self._settings.baud, timeout=0, write_timeout=0, exclusive=True)

    async def _close(self) -> None:
        port, self._port = self._port, None
        if port is None:
            return
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._fd)
        self._quiet()
        with suppress(NoAnswer, *FAULTS):
            await self._thread.call(lambda: _close_now(port), self._settings.open_s)

    def _report(self, why: str) -> None:
        """Once for each reason: a port that is not there is not news every few seconds."""
        if why and why != self._reported:
            _log.warning("console_port_closed", path=self._settings.path, why=why)
        if not why:
            _log.info("console_port_open", path=self._settings.path, baud=self._settings.baud)
        self._reported = why

    # -- bytes ------------------------------------------------------------------------------------------------

    def _readable(self) -> None:
        try:
            data = os.read(self._fd, READ_BYTES)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._gone(error)
            return
        self._empty = 0 if data else self._empty + 1
        if data:
            self._on_bytes(data)
        elif self._empty >= EMPTY_READS or _hung_up(self._fd):
            self._gone(None)

    def _flush(self) -> None:
        """As much as the line takes now; the rest when it says so, and not at all after the deadline."""
        if self._port is None or self._lost.is_set():
            return
        try:
            sent = os.write(self._fd, self._pending) if self._pending else 0
        except (BlockingIOError, InterruptedError):
            sent = 0
        except OSError as error:
            self._gone(error)
            return
        del self._pending[:sent]
        if not self._pending:
            self._quiet()
        elif sent or self._deadline is None:
            self._wait_for_the_line()

    def _wait_for_the_line(self) -> None:
        loop = asyncio.get_running_loop()
        if self._deadline is None:
            loop.add_writer(self._fd, self._flush)
        else:
            self._deadline.cancel()
        self._deadline = loop.call_later(self._settings.write_s, self._overdue)

    def _overdue(self) -> None:
        _log.warning("console_takes_nothing", bytes=len(self._pending))
        self._quiet()
        if self._port is not None:
            with suppress(*FAULTS):
                self._port.reset_output_buffer()

    def _quiet(self) -> None:
        """Nothing waits to be written any more."""
        self._dropping = False
        self._pending.clear()
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
            asyncio.get_running_loop().remove_writer(self._fd)

    def _gone(self, error: OSError | None) -> None:
        _log.warning("console_port_lost", path=self._settings.path, why=str(error or "end of line"))
        asyncio.get_running_loop().remove_reader(self._fd)
        self._quiet()
        self._lost.set()


def _close_now(port: serial.Serial) -> None:
    """What is still in the driver is dropped first: closing would else wait for a terminal that takes nothing."""
    with suppress(*FAULTS):
        port.reset_output_buffer()
    port.close()


def _hung_up(descriptor: int) -> bool:
    """Whether the far end or the adapter is gone; an empty read alone may be a flushed buffer."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return any(flags & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, flags in poll.poll(0))
