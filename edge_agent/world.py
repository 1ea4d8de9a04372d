"""The parts of one agent that need no transport, opened from a folder and a cell: stores, tools, rules, driver.

The site's agent, the demo and every labelled case are built from here, so that they are the same agent.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from drivers.contract import Driver, Pace
from drivers.package import DriverPackage
from edge_agent.adapters.stores.cell_store import CellStore, seed
from edge_agent.adapters.stores.knowledge import MarkdownKnowledge
from edge_agent.adapters.stores.rule_copy import JsonRuleCopy
from edge_agent.control.view import CellView
from edge_agent.control.words import arm_words
from edge_agent.driver_packages import driver_package
from edge_agent.run.journal import Journal
from edge_agent.run.retry import RetryPolicy
from edge_agent.safety.cell_spec import CellSpec, Device
from edge_agent.tools.alarm_history import alarm_history
from edge_agent.tools.arm_status import arm_status
from edge_agent.tools.attempts import World
from edge_agent.tools.boundary import Boundary
from edge_agent.tools.command_history import command_history
from edge_agent.tools.feedback import feedback
from edge_agent.tools.intercept import Intercept
from edge_agent.tools.knowledge_search import knowledge_search
from edge_agent.tools.registry import Registry
from edge_agent.tools.seeds import SOP_FOLDER, seed_rules, seed_tasks
from edge_agent.tools.sorting_rules import sorting_rules
from edge_agent.tools.task_status import task_status
from edge_agent.tools.tool import TIMEOUT_S, ToolName
from offline_rules.lexicon import Lexicon, default_lexicon
from offline_rules.router import Router


@dataclass(slots=True)
class ArmNow:
    """`ArmView` of the tools: what the supervision last read, for the one device of the cell."""

    spec: CellSpec
    view: Callable[[], CellView | None] = lambda: None

    def arm(self, device: str) -> Mapping[str, Any] | None:
        now = self.view()
        if self.spec.device(device) is None or now is None:
            return None
        told = arm_words(now)
        return {**told, "state": now.state.value, "controller": told.get("controller_state"), "gripper": _gripper(now)}


def _gripper(view: CellView) -> str | None:
    if view.read_back is None:
        return None
    return "holding" if view.read_back.holds_part else "empty"


def _made(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    seed(folder, seed_rules(), seed_tasks())


@dataclass(slots=True)
class Stores:
    """The cell's data of one state folder. `copy` is refreshed from the live store at start."""

    cell: CellStore
    copy: JsonRuleCopy
    bins: Mapping[str, str]
    pages: MarkdownKnowledge

    @classmethod
    async def open(cls, folder: Path, wall_ms: Callable[[], int], sop: Path = SOP_FOLDER) -> Stores:
        await asyncio.to_thread(_made, folder)
        cell = CellStore(folder)
        copy = JsonRuleCopy(folder, wall_ms)
        rules = await cell.rules()
        await asyncio.to_thread(copy.save, rules)
        pages = MarkdownKnowledge(sop)
        await pages.load()
        return cls(cell, copy, {rule.item_type: rule.bin for rule in rules}, pages)

    async def close(self) -> None:
        self.pages.close()
        await self.cell.close()


def boundary(
    stores: Stores,
    journal: Journal,
    arm: ArmNow,
    *,
    retry: RetryPolicy,
    retries: Mapping[str, RetryPolicy] | None = None,
    simulated: bool,
    clock: Callable[[], float],
    wall: Callable[[], datetime],
    intercept: Intercept,
    sleep: Callable[[float], Any] = asyncio.sleep,
    dice: random.Random | None = None,
    tool_s: float = TIMEOUT_S,
) -> Boundary:
    """Every tool behind its one door. `retries` names the query tools whose policy is not `retry`; `tool_s` is how long
    one call may take."""

    def of(tool: ToolName) -> RetryPolicy:
        return (retries or {}).get(tool, retry)

    tools = (
        sorting_rules(stores.cell, of(ToolName.SORTING_RULES), tool_s),
        arm_status(arm, of(ToolName.ARM_STATUS), tool_s),
        task_status(stores.cell, of(ToolName.TASK_STATUS), tool_s),
        alarm_history(journal, of(ToolName.ALARM_HISTORY), tool_s),
        command_history(journal, of(ToolName.COMMAND_HISTORY), tool_s),
        knowledge_search(stores.pages, of(ToolName.KNOWLEDGE_SEARCH), tool_s),
        feedback(journal, tool_s),
    )
    uniform = (dice or random.Random()).uniform
    return Boundary(Registry(tools), World(journal, clock, wall, sleep, uniform, simulated, intercept))


def lexicon(spec: CellSpec) -> Lexicon:
    """The cell's own words, besides those that everybody has for things of these names."""
    known = default_lexicon()
    return Lexicon.of(
        items={i.name: (*known.items.get(i.name, ()), *i.synonyms) for i in spec.items},
        bins={b.name: (*known.bins.get(b.name, ()), *b.synonyms) for b in spec.bins},
        stations={s.name: (*known.stations.get(s.name, ()), *s.synonyms) for s in spec.stations},
        devices={d.name: (*known.devices.get(d.name, ()), *d.synonyms) for d in spec.devices},
    )


def router(spec: CellSpec, packs: Sequence[Path] = ()) -> Router:
    return Router.load(packs, lexicon(spec))


class NoDriver(Exception):
    """No installed package drives this kind of arm."""


def package_of(device: Device) -> DriverPackage:
    found = driver_package(device.driver)
    if found is None:
        raise NoDriver(device.driver)
    return found


def open_driver(device: Device, *, simulated: bool, at: tuple[str, int] | None = None) -> Driver:
    """The device's driver; `at` replaces host and port, for a simulated cell on a port of its own."""
    return package_of(device).open_driver(_wire(device, simulated, at))


def pace_of(device: Device, *, simulated: bool, at: tuple[str, int] | None = None) -> Pace:
    """How often the device's wire can be asked, and how soon it shows what was accepted; `at` as for its driver."""
    return package_of(device).pace_of(_wire(device, simulated, at))


def _wire(device: Device, simulated: bool, at: tuple[str, int] | None) -> dict[str, object]:
    settings: dict[str, object] = {**device.driver_settings, "device_id": device.device_id, "simulated": simulated}
    return settings if at is None else {**settings, "host": at[0], "port": at[1]}


def simulator_settings(device: Device) -> dict[str, object]:
    return {**device.driver_settings, "device_id": device.device_id}


def fault_names(device: Device) -> dict[str, str]:
    """Full names of the cell's own faults and what the driver package calls them."""
    faults = package_of(device).FAULTS
    return {f"{info.group}.{name}": name for name, info in faults.items()}
