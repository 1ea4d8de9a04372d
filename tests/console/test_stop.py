"""A stop is served in the moment its line ends: without login, ahead of what waits, whatever noise came with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge_agent.adapters.console.tty import TtyPort
from edge_agent.agent import Agent
from edge_agent.run.journal import Kind
from edge_agent.safety.cell import CellState
from tests.console.bench import CODE, bench

pytestmark = pytest.mark.net


STOPS = {
    "word": b"stop\r",
    "chinese": "停！\r\n".encode(),
    "word and more": b"STOP everything\n",
    "sentence": b"stop the arm now\r",
    "said": b"say stop\r",
    "noise before": b"\x00\x00\xffstop\r",
    "noise behind": b"stop" + b"\x00" * 50 + b"\r",
    "in place of a PIN": b"login wang\rstop\r\x03",
    "behind a full queue": b"x\r" * 40 + b"stop\r",
}


async def test_a_stop_needs_no_login(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        for count, (name, typed) in enumerate(STOPS.items(), start=1):
            await cell.terminal.send(typed)
            await cell.terminal.until("Stop request sent")
            await cell.state(CellState.STOPPED)
            rows = await cell.rows(Kind.STOP)
            assert [row.body["by"] for row in rows] == ["console"] * count, name
            assert (await cell.cell.observe()).stop_words >= count, name
            await cell.agent.supervisor.release_stop("test")
            await cell.state(CellState.READY)


async def test_the_word_is_under_way_before_anything_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Looked at from the first byte that goes to the terminal for it."""
    seen: list[CellState] = []
    write, agents = TtyPort.write, list[Agent]()

    def looked(port: TtyPort, data: bytes) -> None:
        if b"Stop request" in data:
            seen.extend(agent.supervisor.view.state for agent in agents)
        write(port, data)

    monkeypatch.setattr(TtyPort, "write", looked)
    async with bench(monkeypatch, tmp_path) as cell:
        agents.append(cell.agent)
        await cell.terminal.line("stop")
        await cell.terminal.until("Stop request sent")
    assert seen == [CellState.STOPPING]


async def test_what_is_no_stop(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        for typed in ("what does stop mean?", "help stop", "reset_lockout the stop button was pressed", "stopwatch"):
            await cell.terminal.line(typed)
        await cell.terminal.line("status")
        await cell.terminal.until("Nobody is logged in")
        assert await cell.rows(Kind.STOP) == ()


async def test_stopped_and_released_with_a_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        line = cell.terminal
        await line.line("stop")
        await cell.state(CellState.STOPPED)
        await line.line("release_stop")
        await line.until("log in first")
        await cell.login()
        await line.line("release_stop")
        await line.until(f"[{CODE}]> ")
        assert cell.agent.supervisor.view.state is CellState.STOPPED
        await line.keys(f"{CODE}\r")
        await cell.state(CellState.READY)
        await line.until("READY")
        assert (await cell.cell.observe()).frames == 0


async def test_release_where_nothing_is_stopped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        await cell.login()
        await cell.terminal.line("release_stop")
        await cell.terminal.until("not")
        assert cell.agent.supervisor.view.state is CellState.READY
