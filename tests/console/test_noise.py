"""Whatever comes in on the line: the console answers afterwards, and nothing was done for it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from edge_agent.run.journal import Kind
from edge_agent.safety.cell import CellState
from tests.console.bench import CODE, Bench, bench

pytestmark = pytest.mark.net


def _noise(count: int) -> bytes:
    """Random bytes without what could spell a word: no letter is left in."""
    return bytes(byte for byte in random.Random(3).randbytes(count) if not chr(byte).isalnum())


async def still_there(cell: Bench) -> None:
    await cell.terminal.send(b"\x03")
    await cell.terminal.line("status")
    await cell.terminal.until("Cell: ready (READY)")
    assert cell.agent.supervisor.view.state is CellState.READY
    assert (await cell.cell.observe()).frames == 0


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\0" * 10_000, id="nul_run"),
        pytest.param(_noise(20_000), id="noise"),
        pytest.param(b"\xff" * 5_000 + b"\r\n", id="no_utf8"),
        pytest.param(b"x" * 1_000_000, id="a_megabyte_without_an_end"),
        pytest.param(b"\r\n" * 5_000, id="ends_alone"),
        pytest.param(b"home the arm\r" * 300, id="pasted_lines"),
        pytest.param(b"\x1b[" * 5_000, id="escapes"),
    ],
)
@pytest.mark.parametrize("logged_in", [False, True])
async def test_survived(data: bytes, logged_in: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        if logged_in and b"home" not in data:
            await cell.login()
        await cell.terminal.send(data)
        await still_there(cell)


async def test_a_flood_of_lines_is_told_and_cut(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        await cell.login()
        await cell.terminal.send(b"what is the rule for glass\r" * 100)
        await cell.terminal.until("Too many lines at once")
        await cell.terminal.send(b"stop\r")
        await cell.state(CellState.STOPPED)
        assert len(await cell.rows(Kind.REQUEST)) < 100


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
