"""The only wiring of a site's agent: files, journal, model, arm, broker, console, watchdog. Runs until told to end.

Order of the start: settings and cell file → journal (none or damaged: exit 65, nothing is made) → rules → stores →
arm → what the last life left → broker → ready. The order of the end is the reverse.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Final

from drivers.contract import DriverError, FaultArgument, SimulatedCell
from edge_agent import distribution
from edge_agent.adapters import systemd
from edge_agent.adapters.clock import SystemClock
from edge_agent.adapters.console.tty import PortSettings
from edge_agent.adapters.journal.errors import JournalRefused
from edge_agent.adapters.journal.making import Retention
from edge_agent.adapters.journal.store import SqliteJournal
from edge_agent.adapters.log import log
from edge_agent.adapters.model.assemble import default_model
from edge_agent.adapters.model.breaker import BreakerPolicy
from edge_agent.adapters.model.client import WorkerModel, WorkerSettings
from edge_agent.adapters.model.errors import ModelRefused
from edge_agent.adapters.mqtt.link import LinkState, MqttLink
from edge_agent.adapters.mqtt.settings import MqttSettings, TlsSettings
from edge_agent.adapters.mqtt.traffic import Inbound
from edge_agent.agent import Agent
from edge_agent.capabilities import Capabilities
from edge_agent.cell_file import load_cell
from edge_agent.console.console import Console, ConsoleSettings
from edge_agent.console.entrance import Policy
from edge_agent.console.fan_out import FanOut
from edge_agent.control.ports import Steps, no_steps
from edge_agent.desk.arrival import Arrival, ReplyTo
from edge_agent.diagnose.cause_table import load_causes
from edge_agent.diagnose.model_gate import ModelTimes
from edge_agent.health import (
    CLOCK_HOLD_S,
    LOOK_EVERY_S,
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
from edge_agent.messages.parse import parse_stop
from edge_agent.messages.rate import RateLimit, Rates
from edge_agent.messages.rejection import Rejection
from edge_agent.messages.topics import PRESENCE_EXPIRY_S, PRESENCE_HERE, TopicKind, Topics
from edge_agent.outlet import MqttOutlet
from edge_agent.parts import Knobs, Parts
from edge_agent.policies import Policies, load_policies
from edge_agent.release.texts import texts
from edge_agent.run.journal import JournalFault, Kind
from edge_agent.safety.cell_spec import CellSpec
from edge_agent.safety.permission import Role, role_of
from edge_agent.settings import Settings
from edge_agent.understand.no_model import NoModel
from edge_agent.understand.port import ModelPort
from edge_agent.understand.thresholds import Threshold, Thresholds
from edge_agent.world import ArmNow, Stores, boundary, fault_names, open_driver, package_of, router, simulator_settings

VERSION: Final = version(distribution.NAME)
EX_DATAERR: Final = 65
"""sysexits.h "data error": no journal, or one that cannot be trusted. The unit file does not restart after it."""
ROLL_EVERY_S: Final = 10.0
"""How often it is asked whether a new journal segment is due; asking costs nothing."""
MAX_SERVED: Final = 128
"""Requests whose stop word was served and whose turn has not come: twice what the link keeps waiting."""
SIMULATOR_FILE: Final = "simulator.json"
"""Where a simulated cell's addresses stand in the state folder, for the lab's tools."""

_log = log("app")


@dataclass(frozen=True, slots=True)
class Options:
    """`simulator`: a file with the addresses of a simulated cell that somebody else keeps running. `model`: one that
    somebody else keeps running, as when several cells share it."""

    simulator: Path | None = None
    model: tuple[ModelPort, Thresholds] | None = None
    steps: Steps = no_steps
    on_ready: Callable[[], None] = lambda: None


async def serve(settings: Settings, options: Options) -> int:
    """The agent's life. Returns the process's exit status."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, stopping.set)
    try:
        async with site(settings, options) as running:
            options.on_ready()
            systemd.notify(os.environ.get("NOTIFY_SOCKET"), systemd.READY)
            await running.until(stopping)
            systemd.notify(os.environ.get("NOTIFY_SOCKET"), systemd.STOPPING)
    except JournalRefused as refused:
        _log.error("journal_refused", why=str(refused))
        print(refused)
        return EX_DATAERR
    return 0


def arrived(topics: Topics, inbound: Inbound, *, stop_served: bool = False) -> Arrival:
    """A message of a request topic, as the desk takes it."""
    spoken = topics.read(inbound.topic)
    return Arrival(
        inbound.payload,
        spoken.user if spoken is not None else None,
        "mqtt",
        inbound.retained,
        ReplyTo(inbound.response_topic, inbound.correlation),
        inbound.ack,
        stop_served=stop_served,
    )


@dataclass(slots=True)
class StopEars:
    """Hears a stop word in a request the moment it comes in: its turn may be eight slow disk writes away."""

    topics: Topics
    agent: Agent
    _served: deque[Inbound] = field(default_factory=lambda: deque(maxlen=MAX_SERVED))

    def hear(self, inbound: Inbound) -> None:
        if self.agent.intake.stop_word(arrived(self.topics, inbound)):
            self._served.append(inbound)

    def served(self, inbound: Inbound) -> bool:
        """Asked once, when the request has its turn."""
        before = len(self._served)
        self._served = deque((each for each in self._served if each is not inbound), MAX_SERVED)
        return len(self._served) < before


@dataclass(slots=True)
class Running:
    """A site's agent that is up."""

    agent: Agent
    link: MqttLink
    clock: SystemClock
    journal: SqliteJournal
    faults: LabFaults
    capabilities: Capabilities
    topics: Topics
    ears: StopEars
    health: Health
    console: Console | None = None

    async def until(self, stopping: asyncio.Event) -> None:
        """Takes what the broker brings, and feeds the watchdog, until it is to stop."""
        tasks = [
            asyncio.create_task(self._take_requests(), name="requests"),
            asyncio.create_task(self._watchdog(), name="watchdog"),
            asyncio.create_task(self._refresh_faults(), name="lab"),
            asyncio.create_task(self._refresh_capabilities(), name="capabilities"),
            asyncio.create_task(self._roll_journal(), name="segments"),
            asyncio.create_task(self._look_after(), name="health"),
        ]
        if self.console is not None:
            tasks.append(asyncio.create_task(self.console.run(), name="console"))
        ended = asyncio.create_task(stopping.wait())
        watched = [*tasks, self.agent.control_loop]
        await asyncio.wait({ended, *watched}, return_when=asyncio.FIRST_COMPLETED)
        for task in (ended, *tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for task in (each for each in watched if each.done()):
            if not task.cancelled() and task.exception() is not None:
                raise RuntimeError(f"{task.get_name()} ended") from task.exception()

    async def _take_requests(self) -> None:
        while True:
            inbound = await self.link.inbound.get()
            arrival = arrived(self.topics, inbound, stop_served=self.ears.served(inbound))
            try:
                await self.agent.receive(arrival)
            except JournalFault as fault:
                # Not acknowledged: the broker brings it again, and the cell is locked out by the same fault.
                _log.error("request_not_stored", why=str(fault))

    async def _watchdog(self) -> None:
        period_s = systemd.watchdog_period_s(os.environ) or 1.0
        ticks: dict[str, float] = {}
        seen = -1
        while True:
            now_s = self.clock.monotonic_s()
            if self.agent.supervisor.ticks != seen:
                seen, ticks["arm"] = self.agent.supervisor.ticks, now_s
            if self.link.alive(now_s):
                ticks["broker"] = now_s
            with contextlib.suppress(JournalFault):
                await self.journal.last(Kind.EPOCH)
                ticks["journal"] = self.clock.monotonic_s()
            stale = systemd.feed(ticks, _MAX_AGE_S, now_s, lambda m: systemd.notify(os.environ.get("NOTIFY_SOCKET"), m))
            if stale:
                _log.warning("watchdog_withheld", stale=list(stale))
            await self.clock.sleep(period_s)

    async def _roll_journal(self) -> None:
        """A new segment begins only while nothing is open: what spans two files is nowhere whole."""
        while True:
            await self.clock.sleep(ROLL_EVERY_S)
            if self.agent.idle:
                with contextlib.suppress(JournalFault):
                    await self.journal.roll_if_due()

    async def _refresh_capabilities(self) -> None:
        while True:
            await self.clock.sleep(1.0)
            self.capabilities.refresh()

    async def _look_after(self) -> None:
        while True:
            await self.clock.sleep(LOOK_EVERY_S)
            await self.health.look()

    async def _refresh_faults(self) -> None:
        while True:
            await self.clock.sleep(1.0)
            with contextlib.suppress(DriverError):  # a simulated cell that is away shows what was known of it
                await self.faults.refresh()


_MAX_AGE_S: Mapping[str, float] = {"arm": 5.0, "broker": 10.0, "journal": 5.0}
"""How old each sign of life may be; the unit's own limit is 10 s."""


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
        rules = router(spec, (*_packs(settings), *policies.packs))
        stores = await Stores.open(folder / "stores", clock.wall_ms)
        stack.push_async_callback(stores.close)
        rig = await _rig(spec, options, folder, stack)
        faults = LabFaults(journal, fault_names(spec.devices[0]) if rig else {}, rig)
        struck.append(faults)
        model, thresholds = options.model or await open_model(settings, folder, stack)
        lab_model = LabModel(model, faults, clock.sleep)
        device = spec.devices[0]
        driver = open_driver(device, simulated=spec.simulated, at=(rig.host, rig.port) if rig else None)
        mqtt = mqtt_settings(settings, spec)
        outlet = MqttOutlet(Topics(mqtt.prefix), spec, journal.epoch, clock.now, faults.active, _lockout_text(settings))
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
        link: MqttLink | None = None
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
            roles=roles(settings),
            outlet=everywhere,
            clock=clock,
            ready=lambda: link is not None and link.state is LinkState.ONLINE,
            versions={"agent": VERSION, "rules": VERSION, "model": _name(model)},
            steps=_told_to(options.steps, faults.reached),
            fires=faults.fires,
            style=lab_model.style,
            rules=policies.rules,
        )
        agent = Agent(parts, knobs(settings, policies.thresholds or thresholds))
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
        ears = StopEars(Topics(mqtt.prefix), agent)
        link = _link(mqtt, agent, outlet, journal.epoch, ears)
        outlet.link = link
        capabilities = Capabilities(
            spec,
            _name(model),
            identity=lambda: agent.supervisor.view.identity,
            unusable=lab_model.usable,
            now=clock.now,
            tell=lambda payload: outlet.retain(TopicKind.CAPABILITIES, payload),
        )
        capabilities.refresh()
        await link.start()
        stack.push_async_callback(link.stop)
        health = Health(_conditions(agent, folder, journal), agent.set_alarm, clock.monotonic_s)
        yield Running(agent, link, clock, journal, faults, capabilities, Topics(mqtt.prefix), ears, health, console)


def _conditions(agent: Agent, folder: Path, journal: SqliteJournal) -> tuple[Condition, ...]:
    return (
        Condition("model.unavailable", "model", MODEL_HOLD_S, model_away(agent.parts.model.usable)),
        Condition("storage.low", "journal", STORAGE_HOLD_S, storage_low(folder, lambda: journal.commit_ms)),
        Condition("clock.unsynced", "clock", CLOCK_HOLD_S, clock_unsynced()),
        Condition("auth.violation", "broker", 0.0, agent.violations.seen),
        Condition("alarm.flood", "alarms", 0.0, agent.alarms.flood),
    )


def _told_to(*ears: Steps) -> Steps:
    def reached(step: str) -> None:
        for ear in ears:
            ear(step)

    return reached


def _console(settings: Settings, agent: Agent, faults: LabFaults) -> Console | None:
    """The technician's serial line, where the site has one. It needs no broker."""
    told = settings.console
    if told.tty is None:
        return None
    given = ConsoleSettings(
        PortSettings(str(told.tty), told.baud),
        Policy(told.pin_file, told.pin_tries, told.pin_lock_s, told.idle_logout_s),
        settings.lang,
    )
    names = (*OWN, *sorted(faults.cell_faults)) if faults.hands is not None else ()
    return Console(agent, given, faults=faults.active, fault_names=names)


def _lockout_text(settings: Settings) -> Callable[[str], str]:
    words = texts(settings.lang)
    return lambda reason: words.word("why", reason)


def cell_of(settings: Settings) -> CellSpec:
    """The cell file's cell; its lab is open where either file says so."""
    spec = load_cell(settings.cell.file)
    return replace(spec, lab=spec.lab or settings.lab.enabled)


def state_folder(settings: Settings) -> Path:
    return systemd.state_folder(os.environ) or settings.journal.folder


def roles(settings: Settings) -> dict[str, Role]:
    return {user: role_of(role) for user, role in settings.users.items()}


def knobs(settings: Settings, thresholds: Thresholds) -> Knobs:
    waits, rate = settings.deadlines, settings.rate
    return Knobs(
        lang=settings.lang,
        run_s=waits.run_s,
        motion_margin_s=waits.motion_margin_s,
        prompt_s=waits.prompt_s,
        model_times=ModelTimes(choose_s=waits.choose_s, write_s=waits.write_s),
        budget=settings.budget,
        thresholds=thresholds,
        rates=Rates(RateLimit(burst=rate.burst, per_s=rate.per_s)),
    )


def mqtt_settings(settings: Settings, spec: CellSpec) -> MqttSettings:
    mqtt = settings.mqtt
    tls = TlsSettings(mqtt.ca_file, mqtt.cert_file, mqtt.key_file) if mqtt.tls else None
    file = mqtt.password_file or systemd.credential("mqtt-password", os.environ)
    return MqttSettings(
        host=mqtt.host,
        port=mqtt.port,
        username=mqtt.username,
        password=file.read_text("utf-8").strip() if file is not None else None,
        tls=tls,
        prefix=mqtt.prefix_of(spec.name),
        keepalive_s=mqtt.keepalive_s,
        reconnect_min_s=mqtt.reconnect_min_s,
        reconnect_max_s=mqtt.reconnect_max_s,
        connect_timeout_s=mqtt.connect_timeout_s,
        refused_wait_s=mqtt.refused_wait_s,
        prove_timeout_s=mqtt.prove_timeout_s,
        max_packet_bytes=mqtt.max_packet_bytes,
        max_outgoing=mqtt.max_outgoing,
        max_inbound=mqtt.max_inbound,
    )


def _packs(settings: Settings) -> tuple[Path, ...]:
    folder = settings.understanding.phrases_folder
    return () if folder is None else (folder,)


async def _rig(spec: CellSpec, options: Options, folder: Path, stack: AsyncExitStack) -> SimulatedCell | None:
    """A simulated cell that is there already, or one of our own; None on real hardware."""
    if not spec.simulated:
        return None
    package = package_of(spec.devices[0])
    if options.simulator is not None:
        return package.attach_simulated(_addresses(options.simulator))
    rig = await stack.enter_async_context(package.start_simulated(simulator_settings(spec.devices[0])))
    _write(folder / SIMULATOR_FILE, json.dumps(dict(rig.descriptor)))
    return rig


def _addresses(file: Path) -> dict[str, FaultArgument]:
    found: dict[str, FaultArgument] = json.loads(file.read_text("utf-8"))
    return found


def _write(file: Path, text: str) -> None:
    file.write_text(text, "utf-8")


async def open_model(settings: Settings, folder: Path, stack: AsyncExitStack) -> tuple[ModelPort, Thresholds]:
    """Started and not waited for: the rules carry on meanwhile."""
    told = settings.understanding
    unfitted = Threshold(told.min_top_score, told.min_margin)
    if not settings.model.enabled:
        return NoModel(), Thresholds(unfitted)
    try:
        models = folder / "models"
        models.mkdir(parents=True, exist_ok=True)
        wanted = settings.model.file
        file = wanted if wanted is not None else await asyncio.to_thread(default_model, models)
    except (ModelRefused, OSError) as missing:
        _log.warning("model_refused", why=str(missing))
        return NoModel(), Thresholds(unfitted)
    worker = WorkerModel(worker_settings(settings, file, models))
    await worker.start()
    stack.push_async_callback(worker.close)
    return worker, replace(worker.thresholds, default=unfitted)


def worker_settings(settings: Settings, file: Path, models: Path) -> WorkerSettings:
    model = settings.model
    return WorkerSettings(
        model=file,
        state_dir=models,
        threads=model.threads,
        start_deadline_s=model.start_deadline_s,
        recycle_after=model.recycle_after,
        breaker=BreakerPolicy(**model.breaker.model_dump()),
    )


def _name(model: ModelPort) -> str:
    """The model file's hash, by which its qualification is known."""
    return model.model_sha256[:16] if isinstance(model, WorkerModel) else "none"


def _link(mqtt: MqttSettings, agent: Agent, outlet: MqttOutlet, epoch: int, ears: StopEars) -> MqttLink:
    topics = Topics(mqtt.prefix)

    def on_stop(inbound: Inbound) -> None:
        """Whatever its form: a doubtful stop is a stop. Nothing at all is somebody clearing the topic; what was kept
        by the broker from before is not sent to this subscription."""
        spoken = topics.read(inbound.topic)
        if spoken is None or not inbound.payload:
            return
        parsed = parse_stop(inbound.payload)
        request = None if isinstance(parsed, Rejection) else parsed
        agent.stop(spoken.user, request, ReplyTo(inbound.response_topic, inbound.correlation))

    def on_presence(inbound: Inbound) -> None:
        spoken = topics.read(inbound.topic)
        if spoken is None:
            return
        if inbound.payload == PRESENCE_HERE:
            agent.here(spoken.user, spoken.client, float(inbound.message_expiry or PRESENCE_EXPIRY_S))
        else:
            agent.left(spoken.user, spoken.client)

    def on_state(state: LinkState, reason: str) -> None:
        _log.info("broker", state=state.value, why=reason)
        outlet.link_changed(state)
        agent.broker_changed(state is LinkState.ONLINE)

    return MqttLink(
        mqtt,
        epoch=epoch,
        versions={"agent": VERSION},
        on_stop=on_stop,
        on_presence=on_presence,
        on_request=ears.hear,
        on_state=on_state,
    )
