"""Whatever comes in on the line: the console answers afterwards, and nothing was done for it."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from edge_agent.run.journal import Kind
from edge_agent.safety.cell import CellState
from offline_rules.reading import Reading
from offline_rules.router import Router
from tests.console.bench import CODE, Bench, bench

pytestmark = pytest.mark.net


def _noise(count: int) -> bytes:
    """Random bytes without what could spell a word: no letter is left in."""
    return bytes(byte for byte in random.Random(3).randbytes(count) if not chr(byte).isalnum())


async def still_there(cell: Bench) -> None:
    """A person who gets no answer, because the queue was still full, types once more."""
    await cell.terminal.send(b"\x03")
    for _ in range(20):
        await cell.terminal.line("status")
        await asyncio.sleep(0.1)
        if "Cell: ready (READY)" in cell.terminal.new:
            break
    await cell.terminal.until("Cell: ready (READY)")
    assert cell.agent.supervisor.view.state is CellState.READY
    assert (await cell.cell.observe()).frames == 0


FLOODS = {
    "nul run": b"\0" * 10_000,
    "noise": _noise(20_000),
    "no utf-8": b"\xff" * 5_000 + b"\r\n",
    "a megabyte without an end": b"x" * 1_000_000,
    "ends alone": b"\r\n" * 5_000,
    "escapes": b"\x1b[" * 5_000,
    "pasted lines": b"home the arm\r" * 300,
}
"""None of them is a request of somebody who is logged in: the pasted lines come where nobody is."""


async def test_survived(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        for data in FLOODS.values():
            await cell.terminal.send(data)
            await still_there(cell)
        assert await cell.rows(Kind.REQUEST) == ()
        await cell.login()
        for name, data in FLOODS.items():
            if name != "pasted lines":
                await cell.terminal.send(data)
                await still_there(cell)
        assert (
            await cell.rows(Kind.PROMPT) == ()
        )  # a stray sign between two ends may be a sentence; it asks for nothing


async def test_a_flood_of_lines_is_told_and_cut(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        await cell.login()
        await cell.terminal.send(b"what is the rule for glass\r" * 100)
        await cell.terminal.until("Too many lines at once")
        await cell.terminal.send(b"stop\r")
        await cell.state(CellState.STOPPED)
        assert len(await cell.rows(Kind.REQUEST)) < 100


async def test_a_flood_is_not_read_sentence_by_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A reading costs a millisecond or more; a thousand of them would cost the arm its beat."""
    read, texts = Router.read, list[str]()

    def counted(router: Router, text: str) -> Reading:
        texts.append(text)
        return read(router, text)

    monkeypatch.setattr(Router, "read", counted)
    async with bench(monkeypatch, tmp_path) as cell:
        await cell.terminal.send(b"x\r" * 2_000 + b"stop\r")
        await cell.state(CellState.STOPPED)
        assert len(texts) < 200


async def test_a_motion_under_way_is_not_disturbed_by_a_flood(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Beat, receipt and their deadlines stay in time while the line pours in."""
    async with bench(monkeypatch, tmp_path) as cell:
        line = cell.terminal
        await cell.login()
        await line.line("pick glass to bin 2")
        await line.until(f"[{CODE}]> ")
        await line.keys(f"{CODE}\r")
        await line.send(b"x\r" * 3_000 + b"y" * 60_000 + b"\r")
        await line.until("receipt and end state were checked")
        assert (await cell.cell.observe()).frames == 1
