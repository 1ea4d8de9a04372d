"""Starts the page server as a process of its own, for demo and tests. Needs nothing of the page's extra itself."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from edge_agent.adapters.child import OWN_GROUP, with_us
from edge_agent.adapters.mqtt.broker import free_port
from edge_agent.messages.codes import Lang
from edge_agent.messages.topics import DEFAULT_PREFIX

READY_S: Final = 120.0
"""A second on an idle machine; half a minute was met where thirty programs wanted its two cores."""
STOP_S: Final = 10.0
LOOK_S: Final = 0.05


class PageDied(Exception):
    """The page server ended by itself or never listened; the text is the end of its log."""


def installed() -> bool:
    """Whether the extra `hmi` is here."""
    return importlib.util.find_spec("nicegui") is not None


@asynccontextmanager
async def running_page(
    broker_port: int,
    *,
    log: Path,
    prefix: str = DEFAULT_PREFIX,
    lang: Lang = "zh",
    port: int | None = None,
    tls: tuple[Path, Path] | None = None,
) -> AsyncIterator[str]:
    """Its address on this machine, once it listens. `tls`: certificate and key. Raises `PageDied`."""
    page_port = port or free_port()
    arguments = ["--broker-port", str(broker_port), "--prefix", prefix, "--port", str(page_port), "--lang", lang]
    if tls is not None:
        arguments += ["--cert", str(tls[0]), "--key", str(tls[1])]
    with log.open("ab") as out:
        process = await asyncio.create_subprocess_exec(
            *with_us(),
            *(sys.executable, "-m", "edge_agent", "hmi", *arguments),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            env=_environment(),
            process_group=OWN_GROUP,
        )
    try:
        await _listening(process, page_port, log)
        yield f"{'http' if tls is None else 'https'}://127.0.0.1:{page_port}/"
    finally:
        await _end(process)


def _environment() -> dict[str, str]:
    """NiceGUI serves another port when it takes itself to be run by a test."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}


async def _listening(process: asyncio.subprocess.Process, port: int, log: Path) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(READY_S):
            while process.returncode is None:
                with contextlib.suppress(OSError):
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                    writer.close()
                    return
                await asyncio.sleep(LOOK_S)
    raise PageDied(_last_words(log) or f"the page server did not listen on port {port}")


def _last_words(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-12:])


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        async with asyncio.timeout(STOP_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
