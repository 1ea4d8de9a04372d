"""A motion from the console: asked, shown, confirmed by digits that a hand typed, told to its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge_agent.run.journal import Kind
from edge_agent.safety.cell import CellState
from tests.console.bench import CODE, Bench, bench

pytestmark = pytest.mark.net


async def asked(cell: Bench, text: str = "pick glass to bin 2") -> None:
    await cell.login()
    await cell.terminal.line(text)
    await cell.terminal.until(f"type {CODE}")
    await cell.terminal.until(f"[{CODE}]> ")


async def frames(cell: Bench) -> int:
    return (await cell.cell.observe()).frames


async def test_typed_digits_move_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        await asked(cell)
        await cell.terminal.keys(f"{CODE}\r")
        await cell.terminal.until("receipt and end state were checked")
        await cell.terminal.keys(f"{CODE}\r")
        await cell.terminal.until("No question is open")
        assert await frames(cell) == 1
        (*_, end) = await cell.rows(Kind.COMMAND)
        assert end.body["state"] == "VERIFIED"
        requests = [(row.body["user"], row.body["channel"]) for row in await cell.rows(Kind.REQUEST)]
        assert set(requests) == {("wang", "console")}


NO_YES = {
    "pasted": (f"{CODE}\r", "typed one by one"),
    "noise": (f"\0{CODE}\r", "typed one by one"),
    "bracketed paste": (f"\x1b[200~{CODE}\x1b[201~\r", "typed one by one"),
    "pasted script": (f"status\r{CODE}\rhome the arm\r", "typed one by one"),
    "yes in words": ("yes\r", "four digits"),
    "yes in Chinese": ("是\r", "four digits"),
    "no": ("no\r", "Declined"),
}
"""In order: the last one closes the question."""


async def test_what_does_not_confirm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        await asked(cell)
        for data, answer in NO_YES.values():
            await cell.terminal.send(data.encode())
            await cell.terminal.until(answer)
        await cell.state(CellState.READY)
        assert await frames(cell) == 0


async def test_a_refused_paste_leaves_the_question_open(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        await asked(cell, "home the arm")
        await cell.terminal.line(CODE)
        await cell.terminal.until("still open")
        await cell.terminal.keys(f"{CODE}\r")
        await cell.terminal.until("receipt and end state were checked")
        assert await frames(cell) == 1


async def test_wrong_digits_free_the_cell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        await asked(cell)
        await cell.terminal.keys("9999\r")
        await cell.terminal.until("taken back")
        await cell.state(CellState.READY)
        await cell.terminal.keys(f"{CODE}\r")
        await cell.terminal.until("No question is open")
        assert await frames(cell) == 0


async def test_a_stop_voids_the_question(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        await asked(cell)
        await cell.terminal.line("停")
        await cell.state(CellState.STOPPED)
        await cell.terminal.keys(f"{CODE}\r")
        await cell.terminal.until("No question is open")
        assert await frames(cell) == 0


async def test_a_clarification_is_answered_by_number(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path, lang="zh") as cell:
        await cell.login()
        await cell.terminal.line("帮我处理一下")
        await cell.terminal.until("请回复序号")
        await cell.terminal.line("1")
        await cell.terminal.until("例如：glass")
        await cell.terminal.line("glass")
        await cell.terminal.until("glass 放 2 号箱")
        asked = [row.body["request"]["type"] for row in await cell.rows(Kind.REQUEST)]
        assert asked == ["ask", "reply", "reply"]
        assert await frames(cell) == 0


async def test_what_happens_meanwhile_leaves_the_typed_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        await cell.login()
        await cell.terminal.send(b"what is the rule for gla")
        await cell.terminal.until("for gla")
        cell.agent.supervisor.request_stop("somebody")
        await cell.terminal.until("stopped (STOPPED)")
        await cell.terminal.until("wang> what is the rule for gla")
        await cell.terminal.send(b"ss\r")
        await cell.terminal.until("glass goes to bin 2")
        (row,) = await cell.rows(Kind.REQUEST)
        assert row.body["request"]["text"] == "what is the rule for glass"
