"""How a line finds its cell: the state it begins in, and the faults that are in by then."""

from __future__ import annotations

import asyncio
from typing import Final

from drivers.contract import Mode
from drivers.package import SimulatedCell
from edge_agent.agent import Agent
from edge_agent.cases.faults import Fault
from edge_agent.lab_faults import MODEL, LabFaults
from edge_agent.safety.cell import CellState

DEADLINE_S: Final = 45.0
"""Longer than any run; a machine that is far too busy must not be what a line finds."""
MANY: Final = 1_000
LEVELS: Final = frozenset({"arm.unavailable", "query.slow", "inside.rules_raise", *MODEL} - {"model.crash"})
"""Faults that last the whole line; a model that crashes is started again."""
SEEN_AT_ONCE: Final = frozenset({"unavailable", "guard_open", "controller_estop", "controller_reboot"})
"""Faults of the cell itself, which the supervision sees without a command."""


async def until(agent: Agent, state: CellState, changed: asyncio.Event) -> None:
    """`changed` is set at every change of the cell. Raises `TimeoutError`."""
    async with asyncio.timeout(DEADLINE_S):
        while agent.supervisor.view.state is not state:
            changed.clear()
            await changed.wait()


async def reach(agent: Agent, rig: SimulatedCell, state: CellState) -> None:
    """Does what brings a ready cell into `state`; the cell may take a moment to be there."""
    match state:
        case CellState.READY:
            return
        case CellState.STOPPED:
            agent.supervisor.request_stop("case")
            await agent.supervisor.stop_ended()
        case CellState.LOCKED_OUT:
            agent.supervisor.lock_out("case_setup")
        case CellState.MANUAL:
            await rig.set_mode(Mode.MANUAL)
        case CellState.OFFLINE:
            await rig.put_fault("unavailable", count=MANY)
        case _:
            raise ValueError(f"a line cannot begin in {state}: it is only passed through")


async def put(fault: Fault, faults: LabFaults, agent: Agent, changed: asyncio.Event) -> None:
    """As whoever has the lab's rights would put it in; what the supervision sees by itself it has seen afterwards."""
    name = f"{fault.group}.{fault.name}"
    await faults.put(name, count=MANY if name in LEVELS else 1, seed=1, args=fault.arguments(), by="case")
    if not fault.on_the_arm or fault.argument == "executing":
        return
    if fault.name in SEEN_AT_ONCE:
        await looked_again(agent)
    if fault.name == "heartbeat_frozen":
        await until(agent, CellState.LOCKED_OUT, changed)


async def looked_again(agent: Agent) -> None:
    """Two more rounds of the supervision, so that it has seen what was put in."""
    wanted = agent.supervisor.ticks + 2
    async with asyncio.timeout(DEADLINE_S):
        while agent.supervisor.ticks < wanted:  # noqa: ASYNC110 - a round tells nobody that it is over
            await asyncio.sleep(0.005)
