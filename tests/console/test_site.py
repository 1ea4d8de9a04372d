"""A site with a console and no broker that answers: the wiring of the real agent."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from edge_agent.adapters.clock import SystemClock
from edge_agent.adapters.console.pin import write_pin
from edge_agent.adapters.journal.making import create
from edge_agent.app.site import Options, site
from edge_agent.run.journal import Kind
from edge_agent.safety.cell import CellState
from edge_agent.settings import Console, Journal, Model, Mqtt, Settings
from tests.adapters.console.terminal import Terminal
from tests.console.bench import PIN

pytestmark = pytest.mark.net


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


async def test_a_cell_without_a_broker_is_stopped_and_reset_at_its_console(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path / "console")
    write_pin(tmp_path / "pins", "wang", PIN)
    create(tmp_path / "state", SystemClock().wall_ms())
    settings = Settings(
        lang="en",
        journal=Journal(folder=tmp_path / "state"),
        mqtt=Mqtt(port=closed_port()),
        model=Model(enabled=False),
        console=Console(tty=terminal.path, pin_file=tmp_path / "pins"),
    )
    terminal.plug()
    stopping = asyncio.Event()
    async with site(settings, Options()) as running:
        life = asyncio.create_task(running.until(stopping))
        await terminal.until("Console of cell cell01")
        await terminal.line("status")
        await terminal.until("Broker: NOT connected")
        await terminal.line("login wang")
        await terminal.until("PIN: ")
        await terminal.line(PIN)
        await terminal.until("wang> ")
        await terminal.line("what is the rule for glass")
        await terminal.until("bin 2")
        await terminal.line("pick glass to bin 2")
        assert "]> " not in await terminal.until("1)")
        running.agent.supervisor.lock_out("receipt_missing")
        await terminal.until("arm.outcome_unknown")
        await terminal.line("reset_lockout looked at the arm")
        await terminal.until("The lockout is reset")
        assert running.agent.supervisor.view.state is CellState.READY
        (row,) = await running.journal.rows(kinds=(Kind.RESET,))
        assert row.body["by"] == "wang"
        await terminal.line("lab")
        await terminal.until("Faults of this cell")
        stopping.set()
        await life
    terminal.unplug()
