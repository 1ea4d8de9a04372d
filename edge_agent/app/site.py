"""Files, journal, model, arm, broker, console: everything a site's agent needs, put together.

Order of the start: settings and cell file → journal (none or damaged: `JournalRefused`, nothing is made) → rules →
stores → arm → what the last life left → broker → ready. The order of the end is the reverse.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final

from drivers.package import SimulatedCell
from edge_agent import distribution
from edge_agent.adapters.clock import SystemClock
from edge_agent.adapters.journal.making import Retention
from edge_agent.adapters.journal.store import SqliteJournal
from edge_agent.adapters.log import log
from edge_agent.adapters.mqtt.line import LinkState
from edge_agent.adapters.mqtt.link import MqttLink
from edge_agent.agent import Agent
from edge_agent.app.broker_ears import BrokerEars
from edge_agent.app.from_settings import cell_of, console_of, knobs_of, mqtt_of, paced, packs_of, roles_of, state_folder
from edge_agent.app.model import model_name, open_model
from edge_agent.app.rig import attach_rig, start_rig
from edge_agent.app.running import Running
from edge_agent.capabilities import Capabilities
from edge_agent.console.console import Console
from edge_agent.console.fan_out import FanOut
from edge_agent.control.ports import Steps, no_steps
from edge_agent.diagnose.cause_table import load_causes
from edge_agent.health import (
    CLOCK_HOLD_S,
    MODEL_HOLD_S,
    STORAGE_HOLD_S,
    Condition,
    Health,
    clock_unsynced,
    model_away,
    storage_low,
)
from edge_agent.lab_faults import OWN, LabFaults
from edge_agent.lab_model import LabModel
from edge_agent.messages.encode import encode_event
from edge_agent.messages.topics import TopicKind, Topics
from edge_agent.outlet import MqttOutlet
from edge_agent.parts import Parts
from edge_agent.policies import Policies, load_policies
from edge_agent.release.texts import texts
from edge_agent.safety.cell_spec import CellSpec
from edge_agent.settings import Settings
from edge_agent.understand.port import ModelPort
from edge_agent.understand.thresholds import Thresholds
from edge_agent.world import ArmNow, Stores, boundary, fault_names, open_driver, pace_of, router
from offline_rules.router import Router

VERSION: Final = version(distribution.NAME)

_log = log("app")


@dataclass(frozen=True, slots=True)
class Options:
    """`simulator`: a file with the addresses of a simulated cell that somebody else keeps running. `model`: one that
    somebody else keeps running, as when several cells share it; `rules`: the language, read once for all of them.
    `die`: ends this process at once, for the lab's own fault; None where it is not the agent's alone."""

    simulator: Path | None = None
    model: tuple[ModelPort, Thresholds] | None = None
    rules: Router | None = None
    die: Callable[[], None] | None = None
    steps: Steps = no_steps
    on_ready: Callable[[], None] = lambda: None


@asynccontextmanager
async def site(settings: Settings, options: Options) -> AsyncIterator[Running]:
    """Everything a site's agent needs, opened in order and closed in reverse. Raises `JournalRefused`, `BadFile`."""
    clock = SystemClock()
    folder = state_folder(settings)
    spec = cell_of(settings)
    async with AsyncExitStack() as stack:
        struck: list[LabFaults] = []
        journal = await SqliteJournal.open(
            folder,
            wall_ms=clock.wall_ms,
            fires=lambda name: any(f.fires(name) for f in struck),
            retention=Retention(**settings.journal.retention.model_dump()),
            commit_deadline_s=settings.journal.commit_deadline_s,
        )
        stack.push_async_callback(journal.close)
        policy = settings.lab.policy
        policies = Policies(retry=settings.retry) if policy is None else load_policies(policy)
        rules = options.rules or router(spec, (*packs_of(settings), *policies.packs))
        stores = await Stores.open(folder / "stores", clock.wall_ms)
        stack.push_async_callback(stores.close)
        rig = await _rig(spec, options, folder, stack)
        faults = LabFaults(journal, fault_names(spec.devices[0]) if rig else {}, rig, die=options.die)
        struck.append(faults)
        model, thresholds = options.model or await open_model(settings, folder, stack)
        lab_model = LabModel(model, faults, clock.sleep)
        device = spec.devices[0]
        at = (rig.host, rig.port) if rig else None
        driver = open_driver(device, simulated=spec.simulated, at=at)
        pace = pace_of(device, simulated=spec.simulated, at=at)
        spec = paced(spec, pace)
        mqtt = mqtt_of(settings, spec)
        topics = Topics(mqtt.prefix)
        outlet = MqttOutlet(topics, spec, journal.epoch, clock.now, faults.active, _lockout_text(settings))
        arm = ArmNow(spec)
        door = boundary(
            stores,
            journal,
            arm,
            retry=policies.retry,
            retries=policies.retries,
            simulated=spec.simulated,
            clock=clock.monotonic_s,
            wall=clock.now,
            intercept=faults.intercept,
            tool_s=settings.deadlines.tool_s,
        )
        everywhere = FanOut(outlet)
        parts = Parts(
            spec=spec,
            journal=journal,
            driver=driver,
            model=lab_model,
            read=rules.read,
            boundary=door,
            copy=stores.copy,
            causes=policies.causes or load_causes(),
            rule_bin=stores.bins.get,
            faults=faults,
            roles=roles_of(settings),
            outlet=everywhere,
            clock=clock,
            ready=outlet.online,
            versions={"agent": VERSION, "rules": VERSION, "model": model_name(model)},
            steps=_told_to(options.steps, faults.reached),
            fires=faults.fires,
            style=lab_model.style,
            rules=policies.rules,
            pages=stores.pages,
        )
        agent = Agent(parts, knobs_of(settings, policies.thresholds or thresholds, pace))
        arm.view = lambda: agent.supervisor.view
        faults.changed = lambda: outlet.cell(agent.supervisor.view)
        outlet.active_run = lambda: agent.supervisor.active_run
        outlet.session = lambda user: encode_event(agent.session_of(user))
        await agent.start()
        stack.push_async_callback(agent.close)
        await agent.tell_again()
        console = _console(settings, agent, faults)
        if console is not None:
            everywhere.add(console.news)
        ears = BrokerEars(topics, agent, mqtt.max_inbound, faults.fires)
        outlet.link = link = MqttLink(
            mqtt,
            epoch=journal.epoch,
            versions={"agent": VERSION},
            on_stop=ears.stop,
            on_presence=ears.presence,
            on_request=ears.request,
            on_state=_link_changed(outlet, agent),
        )
        capabilities = Capabilities(
            spec,
            model_name(model),
            identity=lambda: agent.supervisor.view.identity,
            unusable=lab_model.usable,
            now=clock.now,
            tell=lambda payload: outlet.retain(TopicKind.CAPABILITIES, payload),
        )
        capabilities.refresh()
        await link.start()
        stack.push_async_callback(link.stop)
        health = Health(_conditions(agent, folder, journal), agent.set_alarm, clock.monotonic_s)
        yield Running(agent, link, clock, journal, faults, capabilities, ears, health, console)


def _conditions(agent: Agent, folder: Path, journal: SqliteJournal) -> tuple[Condition, ...]:
    return (
        Condition("model.unavailable", "model", MODEL_HOLD_S, model_away(agent.parts.model.usable)),
        Condition("storage.low", "journal", STORAGE_HOLD_S, storage_low(folder, lambda: journal.commit_ms)),
        Condition("clock.unsynced", "clock", CLOCK_HOLD_S, clock_unsynced()),
        Condition("auth.violation", "broker", 0.0, agent.violations.seen),
        Condition("alarm.flood", "alarms", 0.0, agent.alarms.flood),
    )


async def _rig(spec: CellSpec, options: Options, folder: Path, stack: AsyncExitStack) -> SimulatedCell | None:
    """None on real hardware."""
    if not spec.simulated:
        return None
    if options.simulator is not None:
        return attach_rig(spec, options.simulator)
    return await start_rig(spec, folder, stack)


def _link_changed(outlet: MqttOutlet, agent: Agent) -> Callable[[LinkState, str], None]:
    def changed(state: LinkState, reason: str) -> None:
        _log.info("broker", state=state.value, why=reason)
        outlet.link_changed(state)
        agent.broker_changed(state is LinkState.ONLINE)

    return changed


def _told_to(*ears: Steps) -> Steps:
    def reached(step: str) -> None:
        for ear in ears:
            ear(step)

    return reached


def _console(settings: Settings, agent: Agent, faults: LabFaults) -> Console | None:
    """The technician's serial line, where the site has one. It needs no broker."""
    given = console_of(settings)
    if given is None:
        return None
    names = (*OWN, *sorted(faults.cell_faults)) if faults.hands is not None else ()
    return Console(agent, given, faults=faults.active, fault_names=names)


def _lockout_text(settings: Settings) -> Callable[[str], str]:
    words = texts(settings.lang)
    return lambda reason: words.word("why", reason)
