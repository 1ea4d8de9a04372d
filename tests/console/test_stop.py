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


@pytest.mark.parametrize(
    "typed",
    [
        pytest.param(b"stop\r", id="word"),
        pytest.param("停！\r\n".encode(), id="chinese"),
        pytest.param(b"STOP everything\n", id="word_and_more"),
        pytest.param(b"stop the arm now\r", id="sentence"),
        pytest.param(b"\x00\x00\xffstop\r", id="noise_before"),
        pytest.param(b"stop" + b"\x00" * 50 + b"\r", id="noise_behind"),
        pytest.param(b"login wang\rstop\r", id="in_place_of_a_pin"),
        pytest.param(b"x\r" * 40 + b"stop\r", id="behind_a_full_queue"),
    ],
)
async def test_a_stop_needs_no_login(typed: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        await cell.terminal.send(typed)
        await cell.terminal.until("Stop request sent")
        await cell.state(CellState.STOPPED)
        (row, *_) = await cell.rows(Kind.STOP)
        assert row.body["by"] == "console"
        assert (await cell.cell.observe()).stop_words >= 1
        await cell.terminal.until("stopped")


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


@pytest.mark.parametrize(
    "typed",
    ["what does stop mean?", "help stop", "reset_lockout the stop button was pressed", "stopwatch"],
)
async def test_what_is_no_stop(typed: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
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
