"""The agent under test, real from intake to wire: one simulated cell, and a fresh agent with a fresh journal a line.

Only the transport is in-process, and a query's pauses between tries return at once. The simulator and its proxy are
children of the runner and serve every line of it.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

from drivers.package import SimulatedCell
from edge_agent.adapters.clock import SystemClock
from edge_agent.adapters.journal.making import create
from edge_agent.adapters.journal.store import SqliteJournal
from edge_agent.agent import Agent
from edge_agent.cases.beginning import DEADLINE_S, looked_again, put, reach, until
from edge_agent.cases.cell import USERS, Flat, Observed, Script, Setup
from edge_agent.cases.cut_short import CutShort
from edge_agent.cases.faults import Fault
from edge_agent.cases.in_process import InProcess
from edge_agent.cases.mechanisms import Mechanism
from edge_agent.cases.one_life import Edges, Ground, Life, begin_life
from edge_agent.cases.scripted_edges import ScriptedEdges
from edge_agent.cell_file import load_cell
from edge_agent.desk.arrival import Arrival
from edge_agent.diagnose.cause_table import load_causes
from edge_agent.messages.codes import Phase, Role
from edge_agent.policies import Policies
from edge_agent.run.ids import ULID_ENTROPY_BYTES, ulid
from edge_agent.run.journal import Row
from edge_agent.safety.cell import CellState
from edge_agent.safety.cell_spec import CellSpec
from edge_agent.world import Stores, package_of, router, simulator_settings
from offline_rules.router import Router

CASE_MAX_DURATION_MS = 200
CASE_TIME_SCALE = 0.05
"""The arm of the case cell is twenty times as fast as a site's; its wire and its deadlines are the same."""
MEMORY = Path("/dev/shm")
MAX_ROWS = 5_000
BROKER_RESTART = "transport.broker_restart"
KILL = "process.kill_agent_at"


class LiveCell:
    """`CellUnderTest` over one simulated cell."""

    def __init__(
        self, rig: SimulatedCell, folder: Path, spec: CellSpec, rules: Router, policies: Policies | None = None
    ) -> None:
        told = policies or Policies()
        self.rig = rig
        self._ground = Ground(rig, spec, rules, told, told.causes or load_causes(), SystemClock())
        self._folder, self._lines = folder, 0
        self._setup, self._line_folder = Setup(), folder
        self._life: Life | None = None
        self._scripted, self._cut = ScriptedEdges(), CutShort(Setup())
        self._frames, self._stops = 0, 0
        self.outlet = InProcess()

    # -- the line's starting state ----------------------------------------------------------------------------

    async def begin(self, setup: Setup) -> None:
        await self.end()
        await self.rig.renew()
        self._setup, self._scripted, self._cut = setup, ScriptedEdges(), CutShort(setup)
        self._lines += 1
        self._line_folder = self._folder / f"line-{self._lines}"
        await asyncio.to_thread(create, self._line_folder, self._ground.clock.wall_ms())
        self.outlet = InProcess(on_phase=self._at_phase)
        await self._live_once()
        await self.until(CellState.READY)
        await reach(self.agent, self.rig, setup.cell_state)
        await self.until(setup.cell_state)
        for fault in setup.faults:
            await self.put(fault)
        self._frames, self._stops = await self._counts()

    async def end(self) -> None:
        if self._life is not None:
            life, self._life = self._life, None
            await life.end()

    async def until(self, state: CellState) -> None:
        """Raises `TimeoutError` where the cell does not come to it."""
        await until(self.agent, state, self.outlet.cell_changed)

    async def _live_once(self) -> None:
        edges = Edges(self._scripted, self._cut, self.outlet)
        self._life = await begin_life(self._ground, self._line_folder, self._setup, edges)

    async def _next_life(self) -> None:
        """The agent was killed: what is left of it goes, and another one begins on the same journal."""
        self._cut.killed.clear()
        await self.end()
        await self._live_once()
        await looked_again(self.agent)

    async def put(self, fault: Fault) -> None:
        match f"{fault.group}.{fault.name}":
            case name if name == KILL:
                self._cut.dies_at = fault.argument
            case name if name == BROKER_RESTART:
                for online in (True, False, True):
                    self.agent.broker_changed(online)
            case _:
                await put(fault, self._alive.faults, self.agent, self.outlet.cell_changed)

    def _at_phase(self, user: str, phase: Phase) -> None:
        slow = self._alive.faults.holds("model.slow")
        self._cut.at_phase(self.agent, user, phase, model_is_slow=slow)

    # -- one request and its events ---------------------------------------------------------------------------

    async def script(self, script: Script) -> None:
        self._scripted.follow(script, self._alive.driver, self._alive.model)

    async def submit(self, role: Role, message: Mapping[str, object], *, retained: bool = False) -> Sequence[Flat]:
        payload = json.dumps(message, ensure_ascii=False).encode()
        already = {run: len(events) for run, events in self.outlet.streams.items()}
        async with asyncio.timeout(DEADLINE_S):
            await self._served(await self.agent.receive(Arrival(payload, USERS[role], "mqtt", retained)))
        heard = [e for run, events in self.outlet.streams.items() for e in events[already.get(run, 0) :]]
        prompt = next((e for e in heard if e.get("kind") == "confirmation"), None)
        if prompt is None or Mechanism.CONFIRMATION not in self._setup.without:
            return heard
        return [*heard, *await self.submit(role, self._yes(message, prompt))]

    async def _served(self, task: asyncio.Task[object]) -> None:
        """To the end of the run, or of the agent; then to what the next life tells of it."""
        killed = asyncio.create_task(self._cut.killed.wait())
        try:
            await asyncio.wait({task, killed}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            killed.cancel()
        if self._cut.killed.is_set():
            await self._next_life()
        else:
            await task

    def _yes(self, asked: Mapping[str, object], prompt: Flat) -> dict[str, object]:
        """With the confirmation switched off nobody is asked: every prompt is answered at once, for the operator."""
        head = {k: asked[k] for k in ("v", "issued_at", "ttl_ms", "attached", "epoch")}
        new_id = ulid(self._ground.clock.wall_ms(), random.randbytes(ULID_ENTROPY_BYTES))
        answer = {"type": "confirm", "prompt_id": prompt["prompt_id"], "digest": prompt["digest"], "confirm": True}
        return {**head, "id": new_id, **answer}

    # -- what can be seen -------------------------------------------------------------------------------------

    @property
    def epoch(self) -> int:
        return self.journal.epoch

    async def observe(self) -> Observed:
        frames, stops = await self._counts()
        rows: tuple[Row, ...] = await self.journal.rows(limit=MAX_ROWS)
        state = self.agent.supervisor.view.state
        return Observed(frames=frames - self._frames, stop_words=stops - self._stops, cell_state=state, rows=rows)

    async def _counts(self) -> tuple[int, int]:
        return sum((await self.rig.motion_frames()).values()), await self.rig.stop_frames()

    @property
    def agent(self) -> Agent:
        return self._alive.agent

    @property
    def journal(self) -> SqliteJournal:
        return self._alive.journal

    @property
    def stores(self) -> Stores:
        return self._alive.stores

    @property
    def _alive(self) -> Life:
        assert self._life is not None, "begin was not called"
        return self._life


def case_spec() -> CellSpec:
    spec = load_cell()
    return replace(spec, limits=replace(spec.limits, max_duration_ms=CASE_MAX_DURATION_MS))


@cache
def shipped_rules() -> Router:
    """Read once: every cell and every line has the same language."""
    return router(case_spec())


def rules_of(policies: Policies | None) -> Router:
    """A site's own packs are read each time, since whoever changes them wants to see the change."""
    return shipped_rules() if policies is None or not policies.packs else router(case_spec(), policies.packs)


def memory_folder() -> Path | None:
    """A line's journal is the real one on a file system in memory: hundreds of short lives need no disk. None, the
    usual place, where there is no such file system."""
    return MEMORY if os.access(MEMORY, os.W_OK) else None


@asynccontextmanager
async def live_cell(policies: Policies | None = None, rules: Router | None = None) -> AsyncIterator[LiveCell]:
    """Simulator and proxy as children, state in a folder that is gone afterwards."""
    spec = case_spec()
    device = spec.devices[0]
    async with AsyncExitStack() as stack:
        settings = {**simulator_settings(device), "time_scale": CASE_TIME_SCALE}
        rig = await stack.enter_async_context(package_of(device).start_simulated(settings))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cases-", dir=memory_folder())))
        cell = LiveCell(rig, folder, spec, rules or rules_of(policies), policies)
        stack.push_async_callback(cell.end)
        yield cell
