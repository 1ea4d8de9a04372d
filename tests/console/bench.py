"""A console on a pseudo-terminal over a simulated cell: agent, journal, wire and arm are the real ones."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from edge_agent.adapters.console.pin import write_pin
from edge_agent.adapters.console.tty import PortSettings
from edge_agent.agent import Agent
from edge_agent.cases import live_cell as cell_room
from edge_agent.cases.cell import Setup
from edge_agent.cases.in_process import InProcess
from edge_agent.cases.live_cell import LiveCell
from edge_agent.console.console import Console, ConsoleSettings
from edge_agent.console.entrance import Policy
from edge_agent.control.view import CellView
from edge_agent.desk.stream import Address
from edge_agent.messages.alarm import AlarmMessage
from edge_agent.messages.codes import Lang
from edge_agent.messages.event import Event
from edge_agent.run.journal import Kind, Row
from edge_agent.safety.cell import CellState
from tests.adapters.console.terminal import Terminal

PIN = "246810"
CODE = "4821"


class Told(InProcess):
    """The case cell's outlet, with a console beside it."""

    console: Console | None = None

    def event(self, address: Address, event: Event) -> None:
        super().event(address, event)
        if Told.console is not None:
            Told.console.news.event(address, event)

    def cell(self, view: CellView) -> None:
        super().cell(view)
        if Told.console is not None:
            Told.console.news.cell(view)

    def alarm(self, message: AlarmMessage) -> None:
        if Told.console is not None:
            Told.console.news.alarm(message)


@dataclass
class Bench:
    terminal: Terminal
    cell: LiveCell
    agent: Agent

    async def login(self, user: str = "wang", pin: str = PIN) -> None:
        await self.terminal.line(f"login {user}")
        await self.terminal.until("PIN: ")
        await self.terminal.line(pin)
        await self.terminal.until(f"{user}> ")

    async def rows(self, kind: Kind) -> tuple[Row, ...]:
        return await self.agent.parts.journal.rows(kinds=(kind,), limit=1_000)

    async def state(self, wanted: CellState) -> None:
        await self.cell.until(wanted)


@asynccontextmanager
async def bench(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    *,
    state: CellState = CellState.READY,
    lang: Lang = "en",
    policy: Policy | None = None,
) -> AsyncIterator[Bench]:
    monkeypatch.setattr(cell_room, "InProcess", Told)
    pins = folder / "pins"
    write_pin(pins, "wang", PIN)
    async with cell_room.live_cell() as cell:
        await cell.begin(Setup(cell_state=state))
        agent = cell.agent
        terminal = Terminal(folder / "console")
        port = PortSettings(str(terminal.path), reopen_min_s=0.02, reopen_max_s=0.1)
        settings = ConsoleSettings(port, policy or Policy(pins), lang)
        terminal.plug()
        Told.console = Console(agent, settings, code=lambda: CODE)
        running = asyncio.create_task(Told.console.run())
        try:
            await terminal.until("> ")
            yield Bench(terminal, cell, agent)
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
            Told.console = None
            terminal.unplug()
