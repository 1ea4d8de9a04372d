"""One cell's agent, put together from its parts; knows no transport and no file.

A transport gives it arrivals, stops and presences, and takes what it publishes. The parts that touch the world are
given to it, so that a labelled case drives the same agent as a site does.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any, Protocol

from drivers.contract import Action, Driver, Order
from edge_agent.control.core import Ears, Tempo
from edge_agent.control.ports import Steps, no_steps
from edge_agent.control.supervisor import Stored, Supervisor
from edge_agent.control.view import CellView
from edge_agent.desk.alarms import AlarmBoard
from edge_agent.desk.arrival import NO_WISH, Arrival, ReplyTo
from edge_agent.desk.intake import Intake, Refused
from edge_agent.desk.open_runs import OpenRuns
from edge_agent.desk.presence import Presences
from edge_agent.desk.sessions import Sessions
from edge_agent.desk.speaker import Speaker
from edge_agent.desk.stream import Address
from edge_agent.desk.told_again import told_again
from edge_agent.diagnose.cause_table import CauseTable
from edge_agent.diagnose.diagnosis import Guards, Site
from edge_agent.diagnose.model_gate import ModelTimes
from edge_agent.diagnose.thinker import Style
from edge_agent.diagnose.wording import load_wording
from edge_agent.health import Violations
from edge_agent.messages.acceptance import Channel
from edge_agent.messages.alarm import AlarmMessage, AlarmType
from edge_agent.messages.codes import Lang
from edge_agent.messages.event import Envelope, Event
from edge_agent.messages.parse import parse_request
from edge_agent.messages.rate import Rates
from edge_agent.messages.rejection import Rejection
from edge_agent.messages.request import StopRequest
from edge_agent.messages.states import CellStateWord
from edge_agent.pipeline import Pipeline
from edge_agent.release.audience import Audience
from edge_agent.release.needed import check_needed
from edge_agent.release.page import Page, Traces
from edge_agent.release.texts import LANGS, texts
from edge_agent.run.budget import BudgetLimits
from edge_agent.run.ids import ulid
from edge_agent.run.journal import Journal, JournalFault, Kind
from edge_agent.safety.cell import CellState
from edge_agent.safety.cell_spec import CellSpec
from edge_agent.safety.command import FINAL, CommandState
from edge_agent.safety.permission import Role
from edge_agent.safety.site_rules import SiteRule
from edge_agent.stages.asking_back import AskingBack
from edge_agent.stages.closing import Closing
from edge_agent.stages.diagnosing import Diagnosing
from edge_agent.stages.hearing import Hearing
from edge_agent.stages.moving import Moving
from edge_agent.stages.opening import About, Deadlines, Opening
from edge_agent.stages.serving import Faults, Serving
from edge_agent.stages.telling import Telling
from edge_agent.tools.boundary import Boundary
from edge_agent.tools.ports import RuleCopy
from edge_agent.understand.port import ModelPort
from edge_agent.understand.thresholds import Thresholds
from offline_rules.reading import Reading


class Outlet(Protocol):
    """Where everything goes out. Nothing here blocks or raises."""

    def event(self, address: Address, event: Event) -> None: ...

    def cell(self, view: CellView) -> None: ...

    def alarm(self, message: AlarmMessage) -> None: ...

    def session_changed(self, user: str) -> None: ...


class Clock(Protocol):
    def monotonic_s(self) -> float: ...

    def now(self) -> datetime: ...

    async def sleep(self, seconds: float) -> None: ...


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
    clock: Clock
    ready: Callable[[], bool]
    versions: Mapping[str, str]
    steps: Steps = no_steps
    entropy: Callable[[int], bytes] = secrets.token_bytes
    fires: Callable[[str], bool] = nothing_struck
    style: Callable[[], Style] = by_labels
    guards: Guards = field(default_factory=Guards)
    rules: tuple[SiteRule, ...] = ()


READINGS_KEPT = 64
"""A sentence is read for a stop, for its language and for its meaning: once. Readings are pure and small."""


class Agent:
    """Raises `WordingError` where anything it may have to say has no words."""

    def __init__(self, parts: Parts, knobs: Knobs) -> None:
        for lang in LANGS:
            check_needed(texts(lang))
        self.parts, self.knobs = parts, knobs
        self._read = lru_cache(READINGS_KEPT)(parts.read)
        self._clock = parts.clock
        self.presences = Presences()
        self.runs = OpenRuns()
        self.sessions = Sessions(parts.clock.monotonic_s)
        self.alarms = AlarmBoard(parts.journal, knobs.lang, parts.clock.now, self._new_id, parts.outlet.alarm)
        self.violations = Violations(parts.clock.monotonic_s)
        self.supervisor = Supervisor(
            parts.spec,
            parts.driver,
            parts.journal,
            parts.clock,
            new_session=lambda: int.from_bytes(parts.entropy(4), "big") or 1,
            tempo=knobs.tempo,
            steps=parts.steps,
            ears=Ears(self._cell_changed, self._phase),
        )
        self.intake = Intake(
            parts.journal,
            self,
            self._read,
            self.supervisor.request_stop,
            parts.roles,
            simulated=parts.spec.simulated,
            default_lang=knobs.lang,
            rates=knobs.rates,
        )
        self._opening = Opening(
            journal=parts.journal,
            publisher=self,
            page=self.page_of,
            deadlines=Deadlines(knobs.run_s, parts.spec.limits.max_duration_ms / 1000 + knobs.motion_margin_s),
            limits=lambda: knobs.budget,
            about=About(parts.versions["agent"], parts.versions["rules"], self._model_name),
            monotonic_s=self._clock.monotonic_s,
            now=self._clock.now,
            entropy=parts.entropy,
        )
        self._closing = Closing(self._opening, self.supervisor.journal_fault)
        self.pipeline = self._pipeline()
        self._tasks: set[asyncio.Task[object]] = set()
        self._loop: asyncio.Task[None] | None = None
        self._was_online = False

    def _pipeline(self) -> Pipeline:
        parts, knobs = self.parts, self.knobs
        moving = Moving(
            spec=parts.spec,
            supervisor=self.supervisor,
            intake=self.intake,
            journal=parts.journal,
            new_prompt_id=self._new_id,
            monotonic_s=self._clock.monotonic_s,
            now=self._clock.now,
            prompt_s=knobs.prompt_s,
            rule_bin=parts.rule_bin,
            ready=parts.ready,
            rules=parts.rules,
        )
        asking_back = AskingBack(self._read, parts.journal, self._new_id, self._clock.monotonic_s)
        hearing = Hearing(
            self._read, parts.model, parts.journal, knobs.thresholds, knobs.model_times, fires=parts.fires
        )
        diagnosing = Diagnosing(
            self._diagnosis_site(), self._clock.now, self._clock.monotonic_s, style=parts.style, fires=parts.fires
        )
        devices = parts.spec.devices
        telling = Telling(parts.boundary, parts.copy, devices[0].name if len(devices) == 1 else None)
        serving = Serving(
            moving=moving,
            asking_back=asking_back,
            sessions=self.sessions,
            journal=parts.journal,
            spec=parts.spec,
            faults=parts.faults,
            alarms=self.alarms,
            real_driver=self._real_driver,
            now=self._clock.now,
        )
        return Pipeline(
            hearing=hearing,
            asking_back=asking_back,
            moving=moving,
            telling=telling,
            serving=serving,
            diagnose=diagnosing.diagnose,
            journal=parts.journal,
            runs=self.runs,
            opening=self._opening,
            closing=self._closing,
        )

    def _diagnosis_site(self) -> Site:
        parts, devices = self.parts, self.parts.spec.devices
        return Site(
            boundary=parts.boundary,
            journal=parts.journal,
            model=parts.model,
            table=parts.causes,
            wording={lang: load_wording(lang) for lang in LANGS},
            only_device=devices[0].name if len(devices) == 1 else None,
            times=self.knobs.model_times,
            guards=parts.guards,
        )

    # -- life -------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Journal first: whatever the last life left open is settled before anything new is heard."""
        self.supervisor.recover(await stored_in(self.parts.journal))
        await self._close_left_open()
        self._loop = asyncio.create_task(self.supervisor.run(), name="control-loop")
        self._keep(asyncio.create_task(self._watch_presences(), name="presences"))

    async def tell_again(self) -> None:
        """What the last life wrote down a moment before it ended, for a transport whose readers know a repeat."""
        for address, event in await told_again(self.parts.journal, int(self._clock.now().timestamp() * 1000)):
            self.publish(address, event)

    async def close(self) -> None:
        """Runs that are still open are called off; a motion under way is left to the controller's own dead-man."""
        for each in self.runs:
            each.run.cancel("agent_stops")
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.supervisor.close()
        if self._loop is not None:
            await asyncio.wait({self._loop})

    async def ended(self) -> None:
        """After `close`: raises what the control loop ended by, if it did not end by itself."""
        if self._loop is not None:
            await self._loop

    async def _close_left_open(self) -> None:
        """Requests that were taken and never ended get their one end now, told honestly."""
        journal = self.parts.journal
        for row in await journal.rows(kinds=(Kind.REQUEST,), limit=5_000, newest_first=True):
            if row.run is None or row.epoch >= journal.epoch or await journal.last(Kind.TERMINAL, row.key):
                continue
            await self._closing.left_open(row)

    # -- what comes in ----------------------------------------------------------------------------------------

    async def receive(self, arrival: Arrival) -> asyncio.Task[object]:
        """Judged, written down and acknowledged when this returns; served by the task that it returns.

        Raises `JournalFault` after the sender was told and the cell locked out: nothing was acknowledged, nothing runs.
        """
        try:
            taken = await self.intake.take(arrival)
        except JournalFault as fault:
            self.supervisor.journal_fault(str(fault))
            parsed = parse_request(arrival.payload, arrival.user)
            if not isinstance(parsed, Rejection):
                stop = self.intake.asks_to_stop(arrival, parsed)
                self._closing.not_stored(parsed.id, self._speaker(arrival, parsed.lang), stop=stop)
            raise
        if isinstance(taken, Refused):
            self.violations.note(arrival.channel, taken.user, taken.rejection)
            speaker = self._speaker(arrival, taken.lang)
            return self._keep(asyncio.create_task(self._closing.refuse(taken, speaker)))
        return self._keep(asyncio.create_task(self.pipeline.handle(taken)))

    def _speaker(self, arrival: Arrival, lang: Lang | None) -> Speaker:
        return Speaker(arrival.user or "-", self.intake.role_of(arrival), arrival.channel, lang or self.knobs.lang)

    def stop(
        self,
        user: str,
        request: StopRequest | None,
        reply_to: ReplyTo = NO_WISH,
        *,
        channel: Channel = "mqtt",
        role: Role | None = None,
    ) -> asyncio.Task[object]:
        """A stop request: on its way to the wire before this returns to the loop, whatever its form was."""
        self.supervisor.request_stop(user)
        request_id = request.id if request is not None and request.id is not None else self._new_id()
        lang = (request.lang if request is not None else None) or self.knobs.lang
        speaker = Speaker(user, self.intake.role(user) if role is None else role, channel, lang)
        return self._keep(asyncio.create_task(self.pipeline.stopped(speaker, request_id, reply_to)))

    def here(self, user: str, client: str, expiry_s: float) -> None:
        self.presences.here(user, client, self._clock.monotonic_s() + expiry_s)

    def left(self, user: str, client: str) -> None:
        self.presences.left(user, client, self._clock.monotonic_s())

    def broker_changed(self, online: bool) -> None:
        """Told by the transport; without a broker nobody sees the alarm but the journal and the console. A broker
        that was never there is not lost."""
        if not online and not self._was_online:
            return
        self._was_online = True
        self._keep(asyncio.create_task(self.set_alarm("broker.lost", not online, "broker")))

    async def set_alarm(self, kind: AlarmType, active: bool, source: str, detail: str = "") -> None:
        """A journal that cannot be written has locked the cell by itself; that is told by the cell's state."""
        with suppress(JournalFault):
            await self.alarms.set(kind, active, source, detail)

    def session_of(self, user: str) -> Event:
        """What this user's page would show if it were loaded now, as an event of no run."""
        speaker = Speaker(user, self.intake.role(user), "mqtt", self.knobs.lang)
        traces = Traces(self.parts.entropy(8).hex(), f"p-{self.parts.entropy(8).hex()}")
        content = self.pipeline.serving.session(self.page_of(speaker), traces, speaker)
        return Event(Envelope(run="-", seq=0, at=self._clock.now(), epoch=self.parts.journal.epoch), content)

    @property
    def control_loop(self) -> asyncio.Task[None]:
        """Ends by itself only when nobody watches the arm any more."""
        assert self._loop is not None, "the agent was not started"
        return self._loop

    @property
    def idle(self) -> bool:
        """No run, no prompt and no command is open."""
        view = self.supervisor.view
        return len(self.runs) == 0 and view.prompt_id is None and view.state not in _WORKING

    # -- surroundings of the acceptance -----------------------------------------------------------------------

    def cell_state(self) -> CellStateWord:
        return self.supervisor.view.state.value

    def attached_here(self, user: str, client: str | None) -> bool:
        return self.presences.is_here(user, client, self.monotonic_s())

    def full(self) -> bool:
        return self.runs.full

    def monotonic_s(self) -> float:
        return self._clock.monotonic_s()

    def now(self) -> datetime:
        return self._clock.now()

    # -- what goes out ----------------------------------------------------------------------------------------

    def publish(self, address: Address, event: Event) -> None:
        changed = address.channel == "mqtt" and self.sessions.note(address, event)  # a console line is not reloaded
        self.parts.outlet.event(address, event)
        if changed:
            self.parts.outlet.session_changed(address.user)

    def _cell_changed(self, view: CellView) -> None:
        self.parts.outlet.cell(view)
        self._keep(asyncio.create_task(self._alarms_of(view)))

    async def _alarms_of(self, view: CellView) -> None:
        device = self.parts.spec.devices[0].name
        for kind, holds in _alarm_conditions(view):
            await self.set_alarm(kind, holds, device, ", ".join(view.detail))

    def _phase(self, user: str, run_id: str, phase: str) -> None:
        """Told in the moment before the one write: from here on a cancel is a stop request."""
        open_run = self.runs.get(user, run_id)
        if open_run is not None:
            open_run.on_the_arm = True
            self._keep(asyncio.create_task(self.pipeline.phase_of(open_run, phase)))

    async def _watch_presences(self) -> None:
        while True:
            await self._clock.sleep(0.5)
            for user, client in self.presences.gone(self.monotonic_s()):
                self.runs.client_gone(user, client)

    # -- small things -----------------------------------------------------------------------------------------

    def page_of(self, speaker: Speaker) -> Page:
        spec = self.parts.spec
        audience = Audience(
            role=speaker.role.word,
            simulated=spec.simulated,
            devices=tuple(d.name for d in spec.devices),
            items=tuple(i.name for i in spec.items),
            bins=tuple(b.name for b in spec.bins),
            stations=tuple(s.name for s in spec.stations),
        )
        return Page(texts(speaker.lang), audience)

    def _model_name(self) -> str | None:
        return None if self.parts.model.usable() is not None else self.parts.versions.get("model")

    def _real_driver(self) -> bool:
        identity = self.supervisor.view.identity
        return identity is None or identity.is_real

    def _new_id(self) -> str:
        return ulid(int(self._clock.now().timestamp() * 1000), self.parts.entropy(10))

    def _keep(self, task: asyncio.Task[object] | asyncio.Task[None]) -> asyncio.Task[object]:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


_WORKING = frozenset(
    {CellState.AWAITING_CONFIRMATION, CellState.DISPATCHING, CellState.AWAITING_RECEIPT, CellState.EXECUTING}
    | {CellState.STOPPING}
)


def _alarm_conditions(view: CellView) -> tuple[tuple[AlarmType, bool], ...]:
    locked = view.state is CellState.LOCKED_OUT
    mismatch = locked and view.lockout == "receipt_wrong"
    journal = locked and view.lockout == "journal_fault"
    unproved = locked and view.lockout == "stop_not_proved"
    return (
        ("arm.receipt_mismatch", mismatch),
        ("journal.fault", journal),
        ("arm.stop_not_proved", unproved),
        ("arm.outcome_unknown", locked and not (mismatch or journal or unproved)),
        ("arm.link_lost", not view.linked and view.state is CellState.OFFLINE and view.reason == "link_lost"),
    )


COMMANDS_READ = 2_000
"""Rows of commands looked at when starting; the last command has a handful."""


async def stored_in(journal: Journal) -> Stored:
    """What the last life left: read once, at start."""
    rows = await journal.rows(kinds=(Kind.COMMAND,), limit=COMMANDS_READ, newest_first=True)
    states: dict[int, CommandState] = {}
    orders: dict[int, Order] = {}
    for row in rows:
        command_id = int(row.body["command_id"]) if row.body.get("command_id") is not None else None
        if command_id is None:
            continue
        states.setdefault(command_id, CommandState(row.body["state"]))
        if "order" in row.body:
            orders[command_id] = _order(row.body["order"])
    open_ids = [command_id for command_id, state in states.items() if state not in FINAL]
    last = await journal.last(Kind.COMMAND_ID)
    return Stored(
        last_command_id=max([0, *states, *([int(last.body["command_id"])] if last else [])]),
        unfinished_id=max(open_ids, default=None),
        unfinished_state=states[max(open_ids)] if open_ids else None,
        unfinished_order=orders.get(max(open_ids, default=max(states, default=0))),
        lockout=await _lockout(journal),
        unknown_outcomes=sum(state is CommandState.UNKNOWN for state in states.values()),
    )


async def _lockout(journal: Journal) -> str | None:
    """Latched and not reset since; None when the cell is not locked out."""
    latched, freed = await journal.last(Kind.LOCKOUT), await journal.last(Kind.RESET)
    if latched is None or (freed is not None and freed.seq > latched.seq):
        return None
    return str(latched.body["reason"])


def _order(body: Mapping[str, Any]) -> Order:
    return Order(**{**body, "action": Action(body["action"]), "target": tuple(body["target"])})
