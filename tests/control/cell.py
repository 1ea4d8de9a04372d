"""A supervised simulated cell for tests: the real driver over real Modbus, a real journal, and hands on the faults."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from drivers.contract import Action
from drivers.package import SimulatedCell
from edge_agent.adapters.clock import SystemClock
from edge_agent.adapters.journal.making import create
from edge_agent.adapters.journal.store import SqliteJournal
from edge_agent.cell_file import load_cell
from edge_agent.control.core import Ears, Tempo
from edge_agent.control.ends import MotionOutcome
from edge_agent.control.stored import Stored
from edge_agent.control.supervisor import Supervisor
from edge_agent.control.view import CellView
from edge_agent.safety.cell import CellState
from edge_agent.safety.cell_spec import CellSpec
from edge_agent.safety.confirm import Answer, Confirmed, Prompt, digest
from edge_agent.safety.contract import Proposal, check
from edge_agent.world import open_driver, package_of, simulator_settings

DEADLINE_S = 20.0
TIME_SCALE = 0.2
"""The arm is five times as fast as a site's: a move takes some 300 ms, long enough to be stopped."""
USER = "op1"


@dataclass(slots=True)
class Supervised:
    spec: CellSpec
    supervisor: Supervisor
    journal: SqliteJournal
    rig: SimulatedCell
    changed: asyncio.Event
    steps: list[str]

    async def until(self, holds: Callable[[CellView], bool]) -> CellView:
        async with asyncio.timeout(DEADLINE_S):
            while not holds(self.supervisor.view):
                self.changed.clear()
                await self.changed.wait()
        return self.supervisor.view

    async def state(self, state: CellState) -> CellView:
        return await self.until(lambda view: view.state is state)

    def proposal(self, action: Action, **slots: str) -> Proposal:
        checked = check(self.spec, action, slots)
        assert isinstance(checked, Proposal), checked
        return checked

    def confirmed(self, proposal: Proposal) -> None:
        """The prompt shown and answered by its own user."""
        epoch = self.journal.epoch
        prompt = Prompt(
            prompt_id=secrets.token_hex(8),
            user=USER,
            digest=digest(proposal, epoch=epoch, boot_id=self.supervisor.boot_id),
            epoch=epoch,
            subject=proposal,
            expires_at_s=time.monotonic() + DEADLINE_S,
        )
        assert self.supervisor.may_propose(proposal) is None
        assert self.supervisor.open_prompt(prompt) is None
        answer = Answer(prompt.prompt_id, prompt.digest, USER, epoch)
        assert isinstance(self.supervisor.prompts.answer(answer, time.monotonic()), Confirmed)

    async def move(
        self, action: Action, slots: Mapping[str, str] | None = None, recheck: Callable[[], str | None] = lambda: None
    ) -> MotionOutcome:
        proposal = self.proposal(action, **(slots or {}))
        self.confirmed(proposal)
        return await self.supervisor.execute(proposal, run="run-1", user=USER, recheck=recheck)

    async def frames(self) -> int:
        return sum((await self.rig.motion_frames()).values())


@asynccontextmanager
async def supervised(
    folder: Path, *, stored: Stored | None = None, fires: Callable[[str], bool] = lambda _: False
) -> AsyncIterator[Supervised]:
    """READY unless `stored` says otherwise."""
    spec, clock = load_cell(), SystemClock()
    spec = replace(spec, limits=replace(spec.limits, max_duration_ms=2_000))
    device = spec.devices[0]
    create(folder, clock.wall_ms())
    journal = await SqliteJournal.open(folder, wall_ms=clock.wall_ms, fires=fires)
    settings = {**simulator_settings(device), "time_scale": TIME_SCALE}
    async with package_of(device).start_simulated(settings) as rig:
        driver = open_driver(device, simulated=True, at=(rig.host, rig.port))
        changed = asyncio.Event()
        steps: list[str] = []
        supervisor = Supervisor(
            spec,
            driver,
            journal,
            clock,
            new_session=lambda: secrets.randbits(31) + 1,
            tempo=Tempo(relink_s=0.05),
            steps=steps.append,
            ears=Ears(on_change=lambda _: changed.set()),
        )
        cell = Supervised(spec, supervisor, journal, rig, changed, steps)
        supervisor.recover(stored or Stored())
        loop = asyncio.create_task(supervisor.run())
        await cell.until(lambda view: view.linked and view.state is not CellState.OFFLINE)
        try:
            yield cell
        finally:
            await supervisor.close()
            await loop
            await journal.close()
