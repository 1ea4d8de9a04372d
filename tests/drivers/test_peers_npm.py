"""Against npm's `modbus-serial`, as `npm_peer/package-lock.json` has it: its client, and its server."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from drivers.cell_modbus.rig import ModbusCell
from tests.drivers.peers import Seen, check_picked, drive, fill, picked_by

pytestmark = pytest.mark.net
FOLDER = Path(__file__).parent / "npm_peer"


class Peer:
    """One question at a time; refused is None or False."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, **question: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return self.answer()

    def answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "node ended without an answer"
        found: dict[str, Any] = json.loads(line)
        return found

    def read(self, address: int, count: int) -> list[int] | None:
        return self.ask(op="read", address=address, count=count).get("words")

    def write(self, address: int, words: Sequence[int]) -> bool:
        return "error" not in self.ask(op="write", address=address, words=list(words))

    def get(self, address: int, count: int) -> list[int]:
        found: list[int] = self.ask(op="get", address=address, count=count)["words"]
        return found

    def put(self, address: int, words: Sequence[int]) -> None:
        self.ask(op="put", address=address, words=list(words))


@contextmanager
def node(*arguments: str) -> Iterator[tuple[int, Peer]]:
    program = shutil.which("node")
    if program is None or not (FOLDER / "node_modules/modbus-serial").is_dir():
        pytest.skip("node or modbus-serial is missing, nothing was tested against it. Type: .ci/npm")
    command = [program, str(FOLDER / "peer.js"), *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        peer = Peer(process)
        try:
            yield int(peer.answer()["port"]), peer
        finally:
            process.terminate()


def told_by_their_client(port: int) -> Seen:
    with node("client", str(port)) as (_, peer):
        return picked_by(peer)


async def test_their_client_on_our_simulator(cell: ModbusCell) -> None:
    await check_picked(cell, await asyncio.to_thread(told_by_their_client, cell.port))


async def test_our_driver_on_their_server() -> None:
    with node("server") as (port, bank):
        fill(bank)
        await drive({"host": "127.0.0.1", "port": port}, bank)
