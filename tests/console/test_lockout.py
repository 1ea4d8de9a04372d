"""Nobody but a technician at the cell leaves a lockout, and only when the controller shows that it may."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge_agent.run.journal import Kind
from edge_agent.safety.cell import CellState
from tests.console.bench import bench

pytestmark = pytest.mark.net


async def test_a_technician_sees_why_and_resets_with_a_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with bench(monkeypatch, tmp_path, state=CellState.LOCKED_OUT) as cell:
        line = cell.terminal
        await line.line("status")
        assert "LOCKED_OUT" in await line.until("Nobody is logged in")
        await line.line("reset_lockout looked at it")
        await line.until("log in first")
        assert cell.agent.supervisor.view.state is CellState.LOCKED_OUT
        await cell.login()
        await line.line("lockout")
        assert "read back" in await line.until("Go and look at the arm")
        await line.line("reset_lockout")
        await line.until("reason is missing")
        assert await cell.rows(Kind.RESET) == ()
        await line.line("reset_lockout gripper freed by hand")
        await line.until("READY")
        (row,) = await cell.rows(Kind.RESET)
        assert (row.body["by"], row.body["why"]) == ("wang", "gripper freed by hand")
        assert (await cell.cell.observe()).frames == 0
