"""Who is at the console: a PIN, few tries, and an end."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge_agent.adapters.console.pin import NOBODY
from edge_agent.console.entrance import Policy
from edge_agent.run.journal import Kind
from edge_agent.safety.cell import CellState
from tests.console.bench import CODE, PIN, Bench, bench

pytestmark = pytest.mark.net


async def sessions(cell: Bench) -> list[tuple[str, str]]:
    return [(row.body["what"], row.body["user"]) for row in await cell.rows(Kind.SESSION)]


async def test_in_and_out_is_written_down(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        await cell.login()
        await cell.terminal.line("logout")
        await cell.terminal.until("Logged out")
        await cell.terminal.line("lockout")
        await cell.terminal.until("log in first")
        assert await sessions(cell) == [("login", "wang"), ("logout", "wang")]
        assert PIN not in cell.terminal.text


async def test_tries_run_out_and_come_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    policy = Policy(tmp_path / "pins", max_tries=3, lock_s=0.8)
    async with bench(monkeypatch, tmp_path, policy=policy) as cell:
        line = cell.terminal
        for user, answer in (("wang", "left: 2"), ("nobody", "left: 1"), ("wang", "auth.violation [active]")):
            await line.line(f"login {user}")
            await line.until("PIN: ")
            await line.line("0000")
            await line.until(answer)
        await line.until("Logins are locked")
        await line.line("login wang")
        await line.until("Logins are locked")
        await line.until("auth.violation [over")
        await cell.login()
        said = await sessions(cell)
        assert [what for what, _ in said] == ["login_refused", "login_refused", "login_locked", "login"]


async def test_a_stop_works_while_logins_are_locked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path, policy=Policy(tmp_path / "pins", max_tries=1)) as cell:
        await cell.terminal.line("login wang")
        await cell.terminal.until("PIN: ")
        await cell.terminal.line("0000")
        await cell.terminal.until("Logins are locked")
        await cell.terminal.line("stop")
        await cell.state(CellState.STOPPED)
        assert (await cell.rows(Kind.STOP))[-1].body["by"] == NOBODY


async def test_idle_is_logged_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path, policy=Policy(tmp_path / "pins", idle_s=0.6)) as cell:
        await cell.login()
        await cell.terminal.until("nothing was typed for too long")
        await cell.terminal.until("> ")
        assert (await sessions(cell))[-1] == ("idle", "wang")


async def test_noise_keeps_nobody_logged_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path, policy=Policy(tmp_path / "pins", idle_s=0.6)) as cell:
        await cell.login()
        seen = ""
        for _ in range(200):
            await cell.terminal.keys("~\x01\r")
            seen += cell.terminal.new
            if "too long" in seen:
                break
        assert "too long" in seen


@pytest.mark.parametrize(
    ("pins", "answer"), [(None, "No PIN file is set"), ("missing", "cannot be read"), ("bad", "cannot be read")]
)
async def test_without_a_usable_file_nobody_gets_in(
    pins: str | None, answer: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bad").write_text("wang:1234\n")
    policy = Policy(None if pins is None else tmp_path / pins)
    async with bench(monkeypatch, tmp_path, policy=policy) as cell:
        await cell.terminal.line("login wang")
        await cell.terminal.until("PIN: ")
        await cell.terminal.line(PIN)
        await cell.terminal.until(answer)
        assert await sessions(cell) == []
        await cell.terminal.line("lockout")
        await cell.terminal.until("log in first")


@pytest.mark.parametrize("given_up", ["\x03", "\r"])
async def test_a_pin_is_given_up(given_up: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        await cell.terminal.line("login wang")
        await cell.terminal.until("PIN: ")
        await cell.terminal.send(given_up.encode())
        await cell.terminal.until("> ")
        await cell.terminal.line("status")
        await cell.terminal.until("Nobody is logged in")
        assert await sessions(cell) == []


async def test_unplugging_logs_out_and_takes_the_question_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        line = cell.terminal
        await cell.login()
        await line.line("home the arm")
        await line.until(f"[{CODE}]> ")
        await cell.state(CellState.AWAITING_CONFIRMATION)
        line.unplug()
        await cell.state(CellState.READY)
        line.plug()
        await line.until("Console of cell")
        await line.keys(f"{CODE}\r")
        await line.until("No question is open")
        await line.line("status")
        await line.until("Nobody is logged in")
        assert (await sessions(cell))[-1] == ("port_lost", "wang")
        assert (await cell.cell.observe()).frames == 0


async def test_logging_out_takes_the_question_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path) as cell:
        await cell.login()
        await cell.terminal.line("home the arm")
        await cell.terminal.until(f"[{CODE}]> ")
        await cell.terminal.line("logout")
        await cell.state(CellState.READY)
        await cell.terminal.until("Logged out")
        assert (await cell.cell.observe()).frames == 0
