"""One life of the agent under test: put together from the real parts over one folder, started, and ended.

A killed agent's next life opens the same folder.
"""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from drivers.package import SimulatedCell
from edge_agent.adapters.clock import SystemClock
from edge_agent.adapters.journal.store import SqliteJournal
from edge_agent.agent import Agent
from edge_agent.cases import switched_off
from edge_agent.cases.cell import CLIENT, USERS, Setup
from edge_agent.cases.cut_short import CutShort
from edge_agent.cases.mechanisms import Mechanism
from edge_agent.cases.scripted_dispatch import AgentKilled, ScriptedDispatch
from edge_agent.cases.scripted_edges import ScriptedEdges
from edge_agent.control.core import Tempo
from edge_agent.diagnose.cause_table import CauseTable
from edge_agent.lab_faults import LabFaults
from edge_agent.lab_model import LabModel
from edge_agent.parts import Knobs, Outlet, Parts
from edge_agent.policies import Policies
from edge_agent.run.budget import BudgetLimits
from edge_agent.safety.cell_spec import CellSpec
from edge_agent.safety.permission import role_of
from edge_agent.understand.scores import ModelCause, NoUsableModel
from edge_agent.understand.scripted import ScriptedModel
from edge_agent.world import ArmNow, Stores, boundary, fault_names, open_driver
from offline_rules.router import Router

PRESENCE_S = 3_600.0
COMMIT_DEADLINE_S = 15.0
"""Many lives at once share this machine; how long a site's disk may take is not what a line tries."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What every life of a case cell stands on: the simulated arm and its cell, the language, the site's policies."""

    rig: SimulatedCell
    spec: CellSpec
    rules: Router
    policies: Policies
    causes: CauseTable
    clock: SystemClock


@dataclass(frozen=True, slots=True)
class Edges:
    """Where a line reaches into a life: what is scripted, what cuts it short, and where everything goes out."""

    scripted: ScriptedEdges
    cut: CutShort
    outlet: Outlet


@dataclass(frozen=True, slots=True)
class Life:
    agent: Agent
    journal: SqliteJournal
    stores: Stores
    faults: LabFaults
    driver: ScriptedDispatch
    model: ScriptedModel

    async def end(self) -> None:
        with suppress(AgentKilled):  # how a life that was cut short says that it is over
            await self.agent.close()
            await self.agent.ended()
        await self.stores.close()
        await self.journal.close()


async def begin_life(ground: Ground, folder: Path, setup: Setup, edges: Edges) -> Life:
    """From what the folder's journal holds. Raises what a journal that cannot be opened raises."""
    faults: list[LabFaults] = []  # they are written into the journal, which asks them whether its disk is full
    journal = await SqliteJournal.open(
        folder,
        wall_ms=ground.clock.wall_ms,
        fires=lambda name: any(each.fires(name) for each in faults),
        commit_deadline_s=COMMIT_DEADLINE_S,
    )
    faults.append(LabFaults(journal, fault_names(ground.spec.devices[0]), ground.rig))
    stores = await Stores.open(folder / "stores", ground.clock.wall_ms)
    life = _assembled(ground, setup, edges, journal, stores, faults[0])
    for user in USERS.values():
        life.agent.here(user, CLIENT, PRESENCE_S)
    await life.agent.start()
    return life


def _assembled(
    ground: Ground, setup: Setup, edges: Edges, journal: SqliteJournal, stores: Stores, faults: LabFaults
) -> Life:
    spec, without, scripted = ground.spec, setup.without, edges.scripted
    down = None if setup.llm_available else NoUsableModel(ModelCause.DOWN)
    policies = switched_off.policies(ground.policies, without)
    model = ScriptedModel(ground.rules.read, no_model=down)
    lab_model = LabModel(model, faults, edges.cut.model_pause)
    driver = ScriptedDispatch(
        open_driver(spec.devices[0], simulated=True, at=(ground.rig.host, ground.rig.port)),
        believing=Mechanism.RECEIPT in without,
    )

    def reached(step: str) -> None:
        faults.reached(step)
        edges.cut.reached(step, driver)

    arm = ArmNow(spec)
    door = boundary(
        stores,
        journal,
        arm,
        retry=policies.retry,
        retries=policies.retries,
        simulated=True,
        clock=ground.clock.monotonic_s,
        wall=ground.clock.now,
        intercept=lambda tool, attempt: scripted.intercept(tool, attempt, faults),
        sleep=scripted.pause,
        dice=random.Random(0),
    )
    parts = Parts(
        spec=spec,
        journal=journal,
        driver=driver,
        model=lab_model,
        read=switched_off.reading(ground.rules.read, without, model_down=down is not None),
        boundary=door,
        copy=switched_off.rule_copy(stores.copy, without),
        causes=ground.causes,
        rule_bin=stores.bins.get,
        faults=faults,
        roles={user: role_of(role) for role, user in USERS.items()},
        outlet=edges.outlet,
        clock=ground.clock,
        ready=lambda: True,
        versions={"agent": "case", "rules": "case", "model": "scripted"},
        steps=reached,
        fires=faults.fires,
        style=lambda: "mixed" if lab_model.style() == "mixed" else scripted.style,
        guards=switched_off.guards(without),
        rules=policies.rules,
        pages=stores.pages,
    )
    agent = Agent(parts, _knobs(setup, policies))
    arm.view = lambda: agent.supervisor.view
    return Life(agent, journal, stores, faults, driver, model)


def _knobs(setup: Setup, policies: Policies) -> Knobs:
    knobs = Knobs(
        budget=BudgetLimits(**(setup.budget or {})),
        # No line asks how late a controller may show itself idle, and a machine full of lines is late now and then.
        tempo=Tempo(relink_s=0.05, free_s=3.0),
        thresholds=switched_off.thresholds(setup.without, policies.thresholds),
    )
    if setup.prompt_ms is not None:
        knobs = replace(knobs, prompt_s=setup.prompt_ms / 1000)
    return knobs if setup.deadline_ms is None else replace(knobs, run_s=setup.deadline_ms / 1000)
