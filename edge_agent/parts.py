"""What one agent is put together from: the ports to the world, and what a site may turn."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from drivers.contract import Driver
from edge_agent.control.core import Tempo
from edge_agent.control.ports import Clock, Steps, no_steps
from edge_agent.control.view import CellView
from edge_agent.desk.stream import Address
from edge_agent.diagnose.cause_table import CauseTable
from edge_agent.diagnose.diagnosis import Guards
from edge_agent.diagnose.model_gate import ModelTimes
from edge_agent.diagnose.thinker import Style
from edge_agent.messages.alarm import AlarmMessage
from edge_agent.messages.codes import Lang
from edge_agent.messages.event import Event
from edge_agent.messages.rate import Rates
from edge_agent.run.budget import BudgetLimits
from edge_agent.run.ids import ULID_ENTROPY_BYTES, ulid
from edge_agent.run.journal import Journal
from edge_agent.safety.cell_spec import CellSpec
from edge_agent.safety.permission import Role
from edge_agent.safety.site_rules import SiteRule
from edge_agent.stages.serving import Faults
from edge_agent.tools.boundary import Boundary
from edge_agent.tools.ports import Knowledge, RuleCopy
from edge_agent.understand.port import ModelPort
from edge_agent.understand.thresholds import Thresholds
from offline_rules.reading import Reading


class Outlet(Protocol):
    """Where everything goes out. Nothing here blocks or raises."""

    def event(self, address: Address, event: Event) -> None: ...

    def cell(self, view: CellView) -> None: ...

    def alarm(self, message: AlarmMessage) -> None: ...

    def session_changed(self, user: str) -> None: ...


class WallClock(Clock, Protocol):
    """The supervision's clock, and the time of day for what people read."""

    def now(self) -> datetime: ...


@dataclass(frozen=True, slots=True)
class Knobs:
    """What a site may turn; the defaults are those of the settings."""

    lang: Lang = "zh"
    run_s: float = 30.0
    motion_margin_s: float = 5.0
    prompt_s: float = 30.0
    model_times: ModelTimes = field(default_factory=ModelTimes)
    budget: BudgetLimits = field(default_factory=BudgetLimits)
    thresholds: Thresholds = field(default_factory=Thresholds)
    tempo: Tempo = field(default_factory=Tempo)
    rates: Rates = field(default_factory=Rates)


def nothing_struck(_fault: str) -> bool:
    """No fault is in."""
    return False


def by_labels() -> Style:
    """The model ranks; it writes nothing."""
    return "labels"


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything of the world that one agent needs. `ready` says whether people can see and stop it right now;
    `fires` whether a fault of the lab strikes inside; `style` how the model thinks in the next diagnosis."""

    spec: CellSpec
    journal: Journal
    driver: Driver
    model: ModelPort
    read: Callable[[str], Reading]
    boundary: Boundary
    copy: RuleCopy
    causes: CauseTable
    rule_bin: Callable[[str], str | None]
    faults: Faults
    roles: Mapping[str, Role]
    outlet: Outlet
    clock: WallClock
    ready: Callable[[], bool]
    versions: Mapping[str, str]
    steps: Steps = no_steps
    entropy: Callable[[int], bytes] = secrets.token_bytes
    fires: Callable[[str], bool] = nothing_struck
    style: Callable[[], Style] = by_labels
    guards: Guards = field(default_factory=Guards)
    rules: tuple[SiteRule, ...] = ()
    pages: Knowledge | None = None
    """The site's own pages, for what a person would do where the arm does not; None: there are none."""

    def new_id(self) -> str:
        """Of a prompt, an alarm, a stop that brought none."""
        return ulid(int(self.clock.now().timestamp() * 1000), self.entropy(ULID_ENTROPY_BYTES))
