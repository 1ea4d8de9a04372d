"""The machine of one arm, and the only place where its events come in and its effects go out.

Whoever sees something feeds an event; the table says what follows; what follows is done here. Rows go through one
queue, so their order in the journal is the order of the events; the stop word never waits for a row.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from drivers.contract import Driver, Identity, Job, Order, Receipt
from edge_agent.control.ends import MotionEnd, NotDispatched
from edge_agent.control.look import Observed
from edge_agent.control.ports import Clock, Steps
from edge_agent.control.prompts import PromptBook
from edge_agent.control.rows import RowQueue
from edge_agent.control.stopping import StopResult, StopTempo, stop_until_proved
from edge_agent.control.view import CellView
from edge_agent.run.journal import Body, Entry, Journal, JournalFault, Kind
from edge_agent.safety.cell import BUSY, CellEvent, CellState, Effect
from edge_agent.safety.cell_spec import CellSpec
from edge_agent.safety.command import FINAL, CommandState
from edge_agent.safety.machine import COMMAND_EFFECTS, Machine, Step, step
from edge_agent.safety.receipt import Baseline


@dataclass(frozen=True, slots=True)
class Tempo:
    """The agent beats at 10 Hz or more; a controller stops by itself after 500 ms without. Receipts are polled
    every `busy_s` while a command is out; `relink_s` is the pause between two tries to reach the controller, and
    `free_s` how long it may take to show itself idle after a stop was taken back."""

    busy_s: float = 0.02
    idle_s: float = 0.08
    relink_s: float = 0.5
    free_s: float = 1.0
    stop: StopTempo = field(default_factory=StopTempo)


@dataclass(frozen=True, slots=True)
class Ears:
    """Who is told: of every new view, and of the phases of the command that is out (user, run, phase)."""

    on_change: Callable[[CellView], None] = lambda _: None
    on_phase: Callable[[str, str, str], None] = lambda _user, _run, _phase: None


@dataclass(slots=True)
class Underway:
    """The command that is out, from its number to its end. `code` and `detail` say what was seen to go wrong."""

    job: Job
    fingerprint: int
    baseline: Baseline
    run: str
    user: str
    frames: int = 0
    sent_at_s: float | None = None
    accepted_at_s: float | None = None
    receipt: Receipt | None = None
    reason: str = ""
    code: str = ""
    detail: tuple[str, ...] = ()
    end: asyncio.Future[MotionEnd] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    @property
    def order(self) -> Order:
        return self.job.order


class Core:
    def __init__(
        self, spec: CellSpec, driver: Driver, journal: Journal, clock: Clock, *, tempo: Tempo, steps: Steps, ears: Ears
    ) -> None:
        self.spec, self.driver, self.journal, self.clock = spec, driver, journal, clock
        self.tempo, self.steps, self.ears = tempo, steps, ears
        self.machine = Machine()
        self.prompts = PromptBook()
        self.rows = RowQueue(journal, self._row_fault)
        self.underway: Underway | None = None
        self.observed: Observed | None = None
        self.identity: Identity | None = None
        self.session = 0
        self.linked = False
        self.silent = False
        self.last_id = 0
        self.reason = "starting"
        self.detail: tuple[str, ...] = ()
        self.lockout: str | None = None
        self.intended: Order | None = None
        self.unknown_outcomes = 0
        self._noted: tuple[int | None, CommandState] | None = None
        self.stopping: asyncio.Task[StopResult] | None = None
        self.stops_asked = 0
        """So that whoever takes a stop back sees whether it is still the same one."""
        self._tasks: set[asyncio.Task[Any]] = set()

    # -- events and effects -----------------------------------------------------------------------------------

    def feed(self, event: CellEvent, why: str, detail: tuple[str, ...] = ()) -> Step:
        """One event through the table, its effects carried out in order, and everybody told of what changed."""
        done = step(self.machine, event)
        self.machine = done.after
        if done.after.cell is not done.before.cell:
            self.reason, self.detail = why, detail
        for effect in done.effects:
            self._carry_out(effect, done, why, detail)
        if done.after != done.before and Effect.LATCH not in done.effects:
            self.tell()
        return done

    def _carry_out(self, effect: Effect, done: Step, why: str, detail: tuple[str, ...]) -> None:
        match effect:
            case Effect.STOP:
                self.stops_asked += 1
                self._start_stop()
            case Effect.SILENCE:
                self.silent = True
            case Effect.LATCH:
                self._latch(why, detail)
            case Effect.UNLATCH:
                self.silent, self.lockout, self.linked, self.observed = False, None, False, None
            case Effect.VOID_PROMPT:
                self.prompts.void(why)
                self._note_command(done, why)
            case Effect.NOTE_SENT | Effect.NOTE_ACCEPTED:
                self._note_command(done, why)
            case _ if effect in COMMAND_EFFECTS:
                self._note_command(done, why)
                self._end_command(done, why, detail)
            case _:
                pass  # STORE_INTENT, SEND and RELEASE are carried out by whoever fed the event; LATE, REFUSE: told

    def _latch(self, why: str, detail: tuple[str, ...]) -> None:
        """In memory now, in the journal before anybody is told; the first reason stays. Where it cannot be stored, the
        lockout holds and is told all the same."""
        if self.lockout is None:
            self.lockout = why
        self.store(
            Kind.LOCKOUT, {"reason": why, "detail": list(detail), "command_id": self.machine.command_id}
        ).add_done_callback(self._latched)

    def _latched(self, _row: asyncio.Future[None]) -> None:
        self.steps("lockout_stored")
        self.tell()

    def _start_stop(self) -> None:
        """One stop is enough at a time: it repeats its word by itself."""
        if self.stopping is None or self.stopping.done():
            self.stopping = self.keep(self._stop_now())

    async def _stop_now(self) -> StopResult:
        tolerance = self.spec.limits.still_tolerance_tenths
        result = await stop_until_proved(self.driver, self.clock, self.tempo.stop, tolerance, self.steps)
        if result.proved and result.read_back is not None:
            if self.observed is not None:
                self.observed.snapshot = result.read_back  # what the end settles on is the proof itself
            self.feed(CellEvent.STOP_PROVED, "stop_requested")
        else:
            self.feed(CellEvent.STOP_UNPROVED, "stop_not_proved")
        return result

    # -- the command's rows and its end -----------------------------------------------------------------------

    def _note_command(self, done: Step, why: str) -> None:
        if done.after.command is done.before.command or done.after.command is None:
            return
        change = (done.after.command_id, done.after.command)
        if change == self._noted:
            return  # two effects of one step tell of the same change
        self._noted = change
        if done.after.command is CommandState.UNKNOWN:
            self.unknown_outcomes += 1
        body = {"command_id": done.after.command_id, "state": done.after.command.value, "why": why}
        stored = self.store(Kind.COMMAND, body, run=self.underway.run if self.underway else None)
        if done.after.command is CommandState.SENT:
            stored.add_done_callback(lambda _: self.steps("sent_noted"))

    def _end_command(self, done: Step, why: str, detail: tuple[str, ...]) -> None:
        under, state = self.underway, done.after.command
        if under is None or state is None or not (done.before.open_command and state in FINAL):
            return
        self.underway = None
        if self.observed is not None:
            self.observed.settle()
        end = MotionEnd(
            command_id=under.order.command_id,
            state=state,
            reason=under.reason or why,
            code=under.code,
            frames=under.frames,
            order=under.order,
            receipt=under.receipt,
            read_back=self.observed.snapshot if self.observed else None,
            detail=under.detail or detail,
        )
        self.keep(self._tell_end(under, end))

    async def _tell_end(self, under: Underway, end: MotionEnd) -> None:
        """The end is stored before anyone is told; where it cannot be stored, the lockout says so."""
        body = {
            "command_id": end.command_id,
            "state": end.state.value,
            "reason": end.reason,
            "code": end.code,
            "frames": end.frames,
            "detail": list(end.detail),
            "receipt": None if end.receipt is None else asdict(end.receipt),
        }
        try:
            await self.store(Kind.COMMAND, body, run=under.run, key=f"{end.command_id}/end")
            self.steps("end_stored")
        except JournalFault:
            end = replace(end, state=CommandState.UNKNOWN, reason="journal_fault", code="STORE_FAILED")
        if not under.end.done():
            under.end.set_result(end)

    def blame(self, code: str, detail: tuple[str, ...]) -> None:
        """What was seen to go wrong while a command is out, for its end."""
        if self.underway is not None and self.machine.cell in BUSY:
            self.underway.code, self.underway.detail = code, detail

    # -- rows, tasks, telling ---------------------------------------------------------------------------------

    def store(self, kind: Kind, body: Body, *, run: str | None = None, key: str | None = None) -> asyncio.Future[None]:
        """Queued at once; await it where the row must be durable first. A fault locks the cell either way."""
        return self.rows.put(Entry(kind, body, run, key))

    def _row_fault(self, fault: JournalFault) -> None:
        if self.machine.cell is not CellState.LOCKED_OUT:
            self.feed(CellEvent.JOURNAL_FAULT, "journal_fault", (str(fault),))

    def keep(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """A task of the arm's own: whoever started it may go, it does not."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def tasks_ended(self, timeout_s: float) -> None:
        """What has not ended by then is given up: nobody is left to hear of it."""
        if not self._tasks:
            return
        _, left = await asyncio.wait(self._tasks, timeout=timeout_s)
        for task in left:
            task.cancel()

    def tell(self) -> None:
        self.ears.on_change(self.view)

    def link_down(self, error: Exception) -> None:
        self.linked = False
        self.blame("CONNECTION_ERROR", (type(error).__name__,))
        self.feed(CellEvent.LINK_DOWN, "link_lost", (str(error),))
        if self.machine.cell is CellState.OFFLINE:
            self.reason, self.detail = "link_lost", (str(error),)

    def not_now(self) -> NotDispatched:
        """Why a motion cannot go out in this state."""
        reason, code = _NOT_NOW[self.machine.cell]
        return NotDispatched(reason, code, (("state", self.machine.cell.value), ("why", self.reason)))

    @property
    def view(self) -> CellView:
        prompt = self.prompts.open
        return CellView(
            state=self.machine.cell,
            reason=self.reason,
            detail=self.detail,
            command_id=self.machine.command_id,
            command_state=self.machine.command,
            intended=self.intended,
            read_back=self.observed.snapshot if self.observed else None,
            identity=self.identity,
            linked=self.linked,
            unknown_outcomes=self.unknown_outcomes,
            lockout=self.lockout,
            prompt_id=prompt.prompt_id if prompt else None,
        )


_NOT_NOW: dict[CellState, tuple[str, str]] = {
    CellState.OFFLINE: ("arm_unavailable", "SERVICE_UNAVAILABLE"),
    CellState.READY: ("busy", "SERVICE_UNAVAILABLE"),
    CellState.AWAITING_CONFIRMATION: ("busy", "SERVICE_UNAVAILABLE"),
    CellState.DISPATCHING: ("busy", "SERVICE_UNAVAILABLE"),
    CellState.AWAITING_RECEIPT: ("busy", "SERVICE_UNAVAILABLE"),
    CellState.EXECUTING: ("busy", "SERVICE_UNAVAILABLE"),
    CellState.STOPPING: ("stopping", "INTERLOCK_OPEN"),
    CellState.STOPPED: ("stopped", "INTERLOCK_OPEN"),
    CellState.LOCKED_OUT: ("locked_out", "LOCKED_OUT"),
    CellState.MANUAL: ("mode", "INTERLOCK_OPEN"),
}
"""Why a motion cannot go out now, in the words of the rejection table."""
