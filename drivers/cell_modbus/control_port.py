"""The control pipe of simulator and proxy: JSON objects, one a line, over a Unix socket only its owner can open.

Ask: `{"op": name, ...}`. Answer: `{"ok": true, "value": ...}` or `{"ok": false, "error": text}`.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import socket
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from drivers.cell_modbus.connections import Connections
from drivers.contract import DriverError, LinkLost

MAX_LINE_BYTES = 16 * 1024 * 1024
"""A whole history of motions is the longest answer."""
MAX_CONNECTIONS = 16
ANSWER_TIMEOUT_S = 5.0
OWNER_ONLY = 0o600

Handler = Callable[..., object]


class ControlServer:
    """Answers `ops`: name -> function of the request's other keys."""

    def __init__(self, ops: Mapping[str, Handler]) -> None:
        self._ops = ops
        self._connections = Connections(MAX_CONNECTIONS)

    @asynccontextmanager
    async def listening(self, path: Path) -> AsyncIterator[None]:
        """Answers at `path` inside this block."""
        server = await asyncio.start_unix_server(self._serve, sock=_owners_socket(path), limit=MAX_LINE_BYTES)
        try:
            yield
        finally:
            server.close()
            await self._connections.leave()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with self._connections.serving(writer) as has_room, suppress(ConnectionError):
            while has_room and (line := await reader.readline()):
                writer.write(json.dumps(await self.answer(line)).encode() + b"\n")
                await writer.drain()

    async def answer(self, line: bytes) -> dict[str, object]:
        """Never raises for what was asked: a refusal is an answer."""
        try:
            request = json.loads(line)
            value = self._ops[request.pop("op")](**request)
            return {"ok": True, "value": await value if inspect.isawaitable(value) else value}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return {"ok": False, "error": f"{type(error).__name__}: {error}"}


def _owners_socket(path: Path) -> socket.socket:
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    bound.bind(str(path))
    path.chmod(OWNER_ONLY)
    return bound


async def ask(path: Path, op: str, **arguments: object) -> Any:
    """One question over a connection of its own. Raises `LinkLost` or, when refused, `DriverError`."""
    line = json.dumps({"op": op, **arguments}).encode() + b"\n"
    try:
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            answer = json.loads(await _exchange(path, line))
    except (OSError, TimeoutError, ValueError) as error:
        raise LinkLost(f"the simulated cell does not answer at {path}: {error!r}") from error
    if not answer["ok"]:
        raise DriverError(f"the simulated cell refused {op}: {answer['error']}")
    return answer["value"]


async def _exchange(path: Path, line: bytes) -> bytes:
    reader, writer = await asyncio.open_unix_connection(path, limit=MAX_LINE_BYTES)
    try:
        writer.write(line)
        await writer.drain()
        return await reader.readline()
    finally:
        writer.close()


async def until_stdin_ends() -> None:
    """The lifeline of a child process: whoever started it is gone when its standard input ends."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while await reader.read(4096):
        pass
