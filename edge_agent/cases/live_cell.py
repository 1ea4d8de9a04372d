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
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

from drivers.contract import Mode, SimulatedCell
from edge_agent.adapters.clock import SystemClock
from edge_agent.adapters.journal.making import create
from edge_agent.adapters.journal.store import SqliteJournal
from edge_agent.agent import Agent, Knobs, Parts
from edge_agent.cases import switched_off
from edge_agent.cases.cell import CLIENT, USERS, Flat, Observed, Script, Setup
from edge_agent.cases.faults import Fault
from edge_agent.cases.in_process import InProcess
from edge_agent.cases.line import ScriptedResult
from edge_agent.cases.mechanisms import Mechanism
from edge_agent.cases.scripted_dispatch import AgentKilled, ScriptedDispatch
from edge_agent.cell_file import load_cell
from edge_agent.control.core import Tempo
from edge_agent.desk.arrival import Arrival
from edge_agent.diagnose.cause_table import load_causes
from edge_agent.diagnose.scripted_style import style_of_script
from edge_agent.diagnose.thinker import Style
from edge_agent.lab_faults import MODEL, LabFaults
from edge_agent.lab_model import LabModel
from edge_agent.messages.codes import ErrorCode, Phase, Role
from edge_agent.policies import Policies
from edge_agent.run.budget import BudgetLimits
from edge_agent.run.ids import ULID_ENTROPY_BYTES, ulid
from edge_agent.run.journal import Row
from edge_agent.safety.cell import CellState
from edge_agent.safety.cell_spec import CellSpec
from edge_agent.safety.permission import role_of
from edge_agent.tools.intercept import Scripted
from edge_agent.tools.tool import Failed, Found, ToolName
from edge_agent.understand.scores import IntentScore, ModelCause, NoUsableModel
from edge_agent.understand.scripted import ScriptedModel
from edge_agent.world import ArmNow, Stores, boundary, fault_names, open_driver, package_of, router, simulator_settings
from offline_rules.router import Router

CASE_MAX_DURATION_MS = 200
CASE_TIME_SCALE = 0.05
"""The arm of the case cell is twenty times as fast as a site's; its wire and its deadlines are the same."""
EVENTS_DEADLINE_S = 20.0
PRESENCE_S = 3_600.0
MEMORY = Path("/dev/shm")
MANY = 1_000
LEVELS = frozenset({"arm.unavailable", "query.slow", "inside.rules_raise", *MODEL} - {"model.crash"})
"""Faults that last the whole line; a model that crashes is started again."""
SEEN_AT_ONCE = frozenset({"unavailable", "guard_open", "controller_estop", "controller_reboot"})
"""Faults of the cell itself, which the supervision sees without a command."""
BROKER_RESTART = "transport.broker_restart"
KILL = "kill_agent_at"


class LiveCell:
    """`CellUnderTest` over one simulated cell."""

    def __init__(
        self, rig: SimulatedCell, folder: Path, spec: CellSpec, rules: Router, policies: Policies | None = None
    ) -> None:
        self._rig, self._folder, self._spec, self._rules = rig, folder, spec, rules
        self._policies = policies or Policies()
        self._causes = self._policies.causes or load_causes()
        self._clock = SystemClock()
        self._agent: Agent | None = None
        self._journal: SqliteJournal | None = None
        self._stores: Stores | None = None
        self._driver: ScriptedDispatch | None = None
        self._faults: LabFaults | None = None
        self._outlet = InProcess()
        self._model: ScriptedModel | None = None
        self._tools: dict[str, list[ScriptedResult]] = {}
        self._own: list[ScriptedResult] = []
        self._frames, self._stops, self._lines = 0, 0, 0
        self._calls: Counter[str] = Counter()
        self._style: Style = "labels"
        self._setup = Setup()
        self._line_folder = folder
        self._dies_at: str | None = None
        self._killed = asyncio.Event()
        self._gone: Callable[[], None] | None = None
        self._delay_s: float | None = None
        self._unasked = False

    # -- the line's starting state ----------------------------------------------------------------------------

    async def begin(self, setup: Setup) -> None:
        await self.end()
        await self._rig.renew()
        self._setup, self._delay_s, self._dies_at, self._gone = setup, None, None, None
        self._unasked = Mechanism.CONFIRMATION in setup.without
        self._lines += 1
        self._line_folder = self._folder / f"line-{self._lines}"
        await asyncio.to_thread(create, self._line_folder, self._clock.wall_ms())
        self._outlet = InProcess(on_phase=self._at_phase)
        await self._live_once()
        await self._until(CellState.READY)
        await self._reach(setup.cell_state)
        for fault in setup.faults:
            await self._put(fault)
        self._frames, self._stops = await self._counts()

    async def _live_once(self) -> None:
        """One life of the agent, from what its journal holds."""
        folder, faults = self._line_folder, fault_names(self._spec.devices[0])
        self._journal = await SqliteJournal.open(folder, wall_ms=self._clock.wall_ms, fires=self._fires)
        self._stores = await Stores.open(folder / "stores", self._clock.wall_ms)
        self._faults = LabFaults(self._journal, faults, self._rig)
        self._agent = self._assemble(self._setup)
        for user in USERS.values():
            self._agent.here(user, CLIENT, PRESENCE_S)
        await self._agent.start()

    async def _next_life(self) -> None:
        """The agent was killed: what is left of it goes, and another one begins on the same journal."""
        self._killed.clear()
        await self.end()
        await self._live_once()
        await self._looked_again()

    async def end(self) -> None:
        if self._agent is not None:
            with suppress(AgentKilled):  # how a life that was cut short says that it is over
                await self._agent.close()
                await self._agent.ended()
        if self._stores is not None:
            await self._stores.close()
        if self._journal is not None:
            await self._journal.close()
        self._agent, self._stores, self._journal = None, None, None

    def _assemble(self, setup: Setup) -> Agent:
        assert self._journal is not None
        assert self._stores is not None
        assert self._faults is not None
        down = None if setup.llm_available else NoUsableModel(ModelCause.DOWN)
        read = switched_off.reading(self._rules.read, setup.without, model_down=down is not None)
        self._model = ScriptedModel(self._rules.read, no_model=down)
        lab_model = LabModel(self._model, self._faults, self._model_pause)
        device = self._spec.devices[0]
        driver = open_driver(device, simulated=True, at=(self._rig.host, self._rig.port))
        self._driver = ScriptedDispatch(driver, believing=Mechanism.RECEIPT in setup.without)
        arm = ArmNow(self._spec)
        policies = switched_off.policies(self._policies, setup.without)
        door = boundary(
            self._stores,
            self._journal,
            arm,
            retry=policies.retry,
            retries=policies.retries,
            simulated=True,
            clock=self._clock.monotonic_s,
            wall=self._clock.now,
            intercept=self._intercept,
            sleep=self._pause,
            dice=random.Random(0),
        )
        parts = Parts(
            spec=self._spec,
            journal=self._journal,
            driver=self._driver,
            model=lab_model,
            read=read,
            boundary=door,
            copy=switched_off.rule_copy(self._stores.copy, setup.without),
            causes=self._causes,
            rule_bin=self._stores.bins.get,
            faults=self._faults,
            roles={user: role_of(role) for role, user in USERS.items()},
            outlet=self._outlet,
            clock=self._clock,
            ready=lambda: True,
            versions={"agent": "case", "rules": "case", "model": "scripted"},
            steps=self._reached,
            fires=self._faults.fires,
            style=lambda: "mixed" if lab_model.style() == "mixed" else self._style,
            guards=switched_off.guards(setup.without),
            rules=policies.rules,
        )
        thresholds = switched_off.thresholds(setup.without, policies.thresholds)
        knobs = Knobs(budget=_budget(setup), tempo=Tempo(relink_s=0.05), thresholds=thresholds)
        if setup.deadline_ms is not None:
            knobs = replace(knobs, run_s=setup.deadline_ms / 1000)
        agent = Agent(parts, knobs)
        arm.view = lambda: agent.supervisor.view
        return agent

    async def _reach(self, state: CellState) -> None:
        agent = self._live()
        match state:
            case CellState.READY:
                return
            case CellState.STOPPED:
                agent.supervisor.request_stop("case")
                await agent.supervisor.stop_ended()
            case CellState.LOCKED_OUT:
                agent.supervisor.lock_out("case_setup")
            case CellState.MANUAL:
                await self._rig.set_mode(Mode.MANUAL)
            case CellState.OFFLINE:
                await self._rig.put_fault("unavailable", count=1000)
            case _:
                raise ValueError(f"a line cannot begin in {state}: it is only passed through")
        await self._until(state)

    async def _until(self, state: CellState) -> None:
        async with asyncio.timeout(EVENTS_DEADLINE_S):
            while self._live().supervisor.view.state is not state:
                self._outlet.cell_changed.clear()
                await self._outlet.cell_changed.wait()

    async def _put(self, fault: Fault) -> None:
        assert self._faults is not None
        name = f"{fault.group}.{fault.name}"
        if fault.name == KILL:
            self._dies_at = fault.argument
            return
        if name == BROKER_RESTART:
            for online in (True, False, True):
                self._live().broker_changed(online)
            return
        count = MANY if name in LEVELS else 1
        await self._faults.put(name, count=count, seed=1, args=fault.arguments(), by="case")
        if fault.on_the_arm and fault.name in SEEN_AT_ONCE and fault.argument != "executing":
            await self._looked_again()
        if fault.name == "heartbeat_frozen" and fault.argument != "executing":
            await self._until(CellState.LOCKED_OUT)

    async def _looked_again(self) -> None:
        """Two more rounds of the supervision, so that it has seen what was put in."""
        wanted = self._live().supervisor.ticks + 2
        async with asyncio.timeout(EVENTS_DEADLINE_S):
            while self._live().supervisor.ticks < wanted:  # noqa: ASYNC110 - a round tells nobody that it is over
                await asyncio.sleep(0.005)

    # -- what is scripted -------------------------------------------------------------------------------------

    async def script(self, script: Script) -> None:
        assert self._driver is not None
        assert self._model is not None
        self._own, self._calls = list(script.own_results), Counter()
        items: list[dict[str, object]] = [
            {str(key): value for key, value in item.items()} for item in script.model_items
        ]
        self._style = style_of_script(items) if items else "labels"
        self._tools = {name: list(results) for name, results in (script.named_results or {}).items()}
        self._driver.refusals = [r for r in (*self._own, *self._tools.get(ToolName.ARM_CONTROL, ())) if not r.ok]
        self._model.script = deque(items)
        scores = script.scores
        self._model.scores = None if scores is None else tuple(IntentScore(name, score) for name, score in scores)

    def _intercept(self, tool: str, attempt: int) -> Scripted | None:
        results = self._tools.get(tool) or (self._own if tool != ToolName.ARM_CONTROL else [])
        struck = self._faults.intercept(tool, attempt) if self._faults is not None else None
        if results:
            self._calls[tool] += 1
            return _scripted(results[min(self._calls[tool], len(results)) - 1])
        self._delay_s = struck.delay_s if struck is not None else None
        return struck

    async def _pause(self, seconds: float) -> None:
        """The pause between two tries is written down and not waited for; a slow tool is waited for."""
        if seconds == self._delay_s:
            await asyncio.sleep(seconds)

    async def _model_pause(self, seconds: float) -> None:
        """Whoever calls off a run with a slow model does it while the model is at work."""
        if self._gone is not None:
            self._gone()
            self._gone = None
        await asyncio.sleep(seconds)

    def _fires(self, name: str) -> bool:
        return self._faults is not None and self._faults.fires(name)

    def _reached(self, step: str) -> None:
        assert self._faults is not None
        self._faults.reached(step)
        if step == self._dies_at and self._driver is not None:
            self._dies_at, self._driver.dead = None, True
            self._killed.set()
            raise AgentKilled(step)

    def _at_phase(self, user: str, phase: Phase) -> None:
        setup, agent = self._setup, self._live()
        if phase not in (setup.cancel_at, setup.client_gone_at):
            return
        left = self._left if phase is setup.client_gone_at else self._called_off
        if self._faults is not None and self._faults.holds("model.slow"):
            self._gone = lambda: left(agent, user)
        else:
            left(agent, user)

    def _called_off(self, agent: Agent, user: str) -> None:
        for each in agent.runs.of(user):
            each.run.cancel("operator_cancel")

    def _left(self, agent: Agent, user: str) -> None:
        agent.runs.client_gone(user, CLIENT)

    # -- one request and its events ---------------------------------------------------------------------------

    async def submit(self, role: Role, message: Mapping[str, object], *, retained: bool = False) -> Sequence[Flat]:
        agent = self._live()
        payload = json.dumps(message, ensure_ascii=False).encode()
        already = {run: len(events) for run, events in self._outlet.streams.items()}
        async with asyncio.timeout(EVENTS_DEADLINE_S):
            await self._served(await agent.receive(Arrival(payload, USERS[role], "mqtt", retained)))
        heard = [e for run, events in self._outlet.streams.items() for e in events[already.get(run, 0) :]]
        prompt = next((e for e in heard if e.get("kind") == "confirmation"), None)
        if prompt is None or not self._unasked:
            return heard
        return [*heard, *await self.submit(role, self._yes(message, prompt))]

    async def _served(self, task: asyncio.Task[object]) -> None:
        """To the end of the run, or of the agent; then to what the next life tells of it."""
        killed = asyncio.create_task(self._killed.wait())
        try:
            await asyncio.wait({task, killed}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            killed.cancel()
        if self._killed.is_set():
            await self._next_life()
        else:
            await task

    def _yes(self, asked: Mapping[str, object], prompt: Flat) -> dict[str, object]:
        """With the confirmation switched off nobody is asked: every prompt is answered at once, for the operator."""
        head = {k: asked[k] for k in ("v", "issued_at", "ttl_ms", "attached", "epoch")}
        new_id = ulid(self._clock.wall_ms(), random.randbytes(ULID_ENTROPY_BYTES))
        answer = {"type": "confirm", "prompt_id": prompt["prompt_id"], "digest": prompt["digest"], "confirm": True}
        return {**head, "id": new_id, **answer}

    @property
    def epoch(self) -> int:
        assert self._journal is not None
        return self._journal.epoch

    async def observe(self) -> Observed:
        assert self._journal is not None
        frames, stops = await self._counts()
        rows: tuple[Row, ...] = await self._journal.rows(limit=5_000)
        return Observed(
            frames=frames - self._frames,
            stop_words=stops - self._stops,
            cell_state=self._live().supervisor.view.state,
            rows=rows,
        )

    async def _counts(self) -> tuple[int, int]:
        return sum((await self._rig.motion_frames()).values()), await self._rig.stop_frames()

    def _live(self) -> Agent:
        assert self._agent is not None, "begin was not called"
        return self._agent


def _scripted(result: ScriptedResult) -> Scripted:
    if result.error is not None:
        return Scripted(Failed(ErrorCode(result.error.code), result.error.message))
    data = result.data or {}
    return Scripted(Found(data, result.hits if result.hits is not None else int(bool(data))))


def _budget(setup: Setup) -> BudgetLimits:
    return BudgetLimits(**(setup.budget or {}))


def case_spec() -> CellSpec:
    spec = load_cell()
    return replace(spec, limits=replace(spec.limits, max_duration_ms=CASE_MAX_DURATION_MS))


def memory_folder() -> Path | None:
    """A line's journal is the real one on a file system in memory: hundreds of short lives need no disk. None, the
    usual place, where there is no such file system."""
    return MEMORY if os.access(MEMORY, os.W_OK) else None


@asynccontextmanager
async def live_cell(policies: Policies | None = None) -> AsyncIterator[LiveCell]:
    """Simulator and proxy as children, state in a folder that is gone afterwards."""
    spec = case_spec()
    device = spec.devices[0]
    async with AsyncExitStack() as stack:
        settings = {**simulator_settings(device), "time_scale": CASE_TIME_SCALE}
        rig = await stack.enter_async_context(package_of(device).start_simulated(settings))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cases-", dir=memory_folder())))
        packs = () if policies is None else policies.packs
        cell = LiveCell(rig, folder, spec, router(spec, packs), policies)
        stack.push_async_callback(cell.end)
        yield cell
