"""A serial line of this machine alone: two ends that stand for a cable between a terminal and the agent's port."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from edge_agent.adapters.child import OWN_GROUP, with_us

DEADLINE_S: Final = 10.0


class LineMissing(Exception):
    """No serial line could be made; the text says what to install."""


@contextmanager
def serial_line(near: Path, far: Path) -> Iterator[None]:
    """`near` is the terminal's end, `far` the agent's port; both are there while the block lasts. Raises
    `LineMissing`."""
    program = shutil.which("socat")
    if program is None:
        raise LineMissing("socat was not found. Nothing was started. Do: sudo apt-get install -y socat")
    for end in (near, far):
        end.unlink(missing_ok=True)
    ends = (f"pty,raw,echo=0,link={end}" for end in (near, far))
    line = subprocess.Popen([*with_us(), program, *ends], process_group=OWN_GROUP)
    try:
        _wait_for(near, far)
        yield
    finally:
        line.terminate()
        line.wait(DEADLINE_S)


def _wait_for(*files: Path) -> None:
    until_s = time.monotonic() + DEADLINE_S
    while not all(file.exists() for file in files):
        if time.monotonic() > until_s:
            raise LineMissing("socat made no serial line; nothing was started")
        time.sleep(0.01)
