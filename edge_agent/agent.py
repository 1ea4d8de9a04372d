"""One cell's agent, put together from its parts; knows no transport and no file.

A transport gives it arrivals, stops and presences, and takes what it publishes. The parts that touch the world are
given to it, so that a labelled case drives the same agent as a site does.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from typing import Final

from edge_agent.control.core import Ears
from edge_agent.control.stored import stored_in
from edge_agent.control.supervisor import Supervisor
from edge_agent.control.view import CellView
from edge_agent.desk.alarms import AlarmBoard
from edge_agent.desk.arrival import NO_WISH, Arrival, ReplyTo
from edge_agent.desk.cell_alarms import cell_alarms
from edge_agent.desk.intake import Intake, Refused
from edge_agent.desk.open_runs import OpenRuns
from edge_agent.desk.presence import Presences
from edge_agent.desk.sessions import Sessions
from edge_agent.desk.speaker import Speaker, page_of
from edge_agent.desk.stream import Address
from edge_agent.desk.told_again import told_again
from edge_agent.health import Violations
from edge_agent.messages.acceptance import Channel
from edge_agent.messages.alarm import AlarmType
from edge_agent.messages.codes import Lang
from edge_agent.messages.event import Envelope, Event
from edge_agent.messages.parse import parse_request
from edge_agent.messages.rejection import Rejection
from edge_agent.messages.request import StopRequest
from edge_agent.messages.states import CellStateWord
from edge_agent.parts import Knobs, Parts
from edge_agent.pipeline_of import pipeline_of
from edge_agent.release.needed import check_needed
from edge_agent.release.texts import LANGS, texts
from edge_agent.run.journal import JournalFault, Kind
from edge_agent.safety.cell import CellState
from edge_agent.safety.permission import Role

READINGS_KEPT: Final = 64
"""A sentence is read for a stop, for its language and for its meaning: once. Readings are pure and small."""
REQUESTS_READ: Final = 5_000
"""Rows of requests looked at when starting, for those that never ended."""
PRESENCES_EVERY_S: Final = 0.5
WORKING: Final = frozenset(
    {
        CellState.AWAITING_CONFIRMATION,
        CellState.DISPATCHING,
        CellState.AWAITING_RECEIPT,
        CellState.EXECUTING,
        CellState.STOPPING,
    }
)
"""A command is out, or somebody is asked about one."""


class Agent:
    """Raises `WordingError` where anything it may have to say has no words."""

    def __init__(self, parts: Parts, knobs: Knobs) -> None:
        for lang in LANGS:
            check_needed(texts(lang))
        self.parts, self.knobs = parts, knobs
        self._clock = parts.clock
        read = lru_cache(READINGS_KEPT)(parts.read)
        self.presences = Presences()
        self.runs = OpenRuns()
        self.sessions = Sessions(parts.clock.monotonic_s)
        self.alarms = AlarmBoard(parts.journal, knobs.lang, parts.clock.now, parts.new_id, parts.outlet.alarm)
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
            read,
            self.supervisor.request_stop,
            parts.roles,
            simulated=parts.spec.simulated,
            default_lang=knobs.lang,
            rates=knobs.rates,
        )
        self.pipeline = pipeline_of(
            parts,
            knobs,
            read=read,
            publisher=self,
            supervisor=self.supervisor,
            intake=self.intake,
            runs=self.runs,
            sessions=self.sessions,
            alarms=self.alarms,
        )
        self._tasks: set[asyncio.Task[object]] = set()
        self._loop: asyncio.Task[None] | None = None
        self._was_online = False

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
        for row in await journal.rows(kinds=(Kind.REQUEST,), limit=REQUESTS_READ, newest_first=True):
            if row.run is None or row.epoch >= journal.epoch or await journal.last(Kind.TERMINAL, row.key):
                continue
            await self.pipeline.closing.left_open(row)

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
                self.pipeline.closing.not_stored(parsed.id, self._speaker(arrival, parsed.lang), stop=stop)
            raise
        if isinstance(taken, Refused):
            self.violations.note(arrival.channel, taken.user, taken.rejection)
            speaker = self._speaker(arrival, taken.lang)
            return self._keep(asyncio.create_task(self.pipeline.closing.refuse(taken, speaker)))
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
        request_id = request.id if request is not None and request.id is not None else self.parts.new_id()
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
        page, traces = page_of(speaker, self.parts.spec), self.pipeline.opening.traces()
        content = self.pipeline.serving.session(page, traces, speaker)
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
        return len(self.runs) == 0 and view.prompt_id is None and view.state not in WORKING

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
        for kind, holds in cell_alarms(view):
            await self.set_alarm(kind, holds, device, ", ".join(view.detail))

    def _phase(self, user: str, run_id: str, phase: str) -> None:
        """Told in the moment before the one write: from here on a cancel is a stop request."""
        open_run = self.runs.get(user, run_id)
        if open_run is not None:
            open_run.on_the_arm = True
            self._keep(asyncio.create_task(self.pipeline.phase_of(open_run, phase)))

    async def _watch_presences(self) -> None:
        while True:
            await self._clock.sleep(PRESENCES_EVERY_S)
            for user, client in self.presences.gone(self.monotonic_s()):
                self.runs.client_gone(user, client)

    def _keep(self, task: asyncio.Task[object] | asyncio.Task[None]) -> asyncio.Task[object]:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
