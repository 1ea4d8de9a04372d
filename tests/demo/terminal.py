"""The demo in a terminal of its own: a real one, so that Ctrl-C and a closed window are what they are to a person."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

WAIT_S = 90.0
_TAKE = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
"""Makes the terminal the new session's own before the program begins."""


@dataclass(slots=True)
class Terminal:
    process: subprocess.Popen[bytes]
    keyboard: int
    folder: Path
    """Where everything that was started keeps its files."""
    shown: str = field(default="")

    def until(self, wanted: str) -> str:
        """Everything shown so far, once `wanted` is in it."""
        deadline_s = time.monotonic() + WAIT_S
        while wanted not in self.shown:
            assert time.monotonic() < deadline_s, f"{wanted!r} was not shown:\n{self.shown}"
            assert self._read() or self.process.poll() is None, f"ended without {wanted!r}:\n{self.shown}"
        return self.shown

    def type(self, keys: str) -> None:
        os.write(self.keyboard, keys.encode())

    def close(self) -> None:
        """The window is closed: the kernel tells who is in it."""
        os.close(self.keyboard)
        self.keyboard = -1

    def ended(self) -> int:
        """The exit code, as a shell gives it."""
        deadline_s = time.monotonic() + WAIT_S
        while self.process.poll() is None:
            assert time.monotonic() < deadline_s, f"it did not end:\n{self.shown}"
            if self.keyboard < 0:
                time.sleep(0.05)
            else:
                self._read()
        while self.keyboard >= 0 and self._read():
            pass
        return self.process.returncode % 256

    def left(self) -> list[str]:
        """Command lines of processes that this demo started and that are still there."""
        mark = f"TMPDIR={self.folder}".encode()
        return [told for entry in Path("/proc").iterdir() if entry.name.isdecimal() and (told := _of(entry, mark))]

    def _read(self) -> bool:
        if not select.select([self.keyboard], [], [], 0.1)[0]:
            return False
        try:
            data = os.read(self.keyboard, 65_536)
        except OSError:
            return False  # nobody has the other side open any more
        self.shown += data.decode("utf-8", "replace").replace("\r", "")
        return bool(data)


@contextmanager
def terminal(*command: str, **environment: str) -> Iterator[Terminal]:
    """Runs a command of this interpreter in a terminal; killed with its session afterwards if it is still there."""
    with TemporaryDirectory(prefix="t-", dir="/tmp") as folder:  # a socket's path must be short
        keyboard, window = os.openpty()
        process = subprocess.Popen(
            [sys.executable, "-c", _TAKE, *command],
            stdin=window,
            stdout=window,
            stderr=window,
            start_new_session=True,
            env={**os.environ, "TMPDIR": folder, "COLUMNS": "200", "TERM": "dumb", "LANG": "C.UTF-8", **environment},
        )
        os.close(window)
        shown = Terminal(process, keyboard, Path(folder))
        try:
            yield shown
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            if shown.keyboard >= 0:
                os.close(shown.keyboard)


def _of(entry: Path, mark: bytes) -> str:
    try:
        if mark in (entry / "environ").read_bytes().split(b"\0"):
            return (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        pass  # it ended between the listing and the look, or is another user's
    return ""
