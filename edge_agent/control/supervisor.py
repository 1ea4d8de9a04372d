"""One arm, one owner: beats, looks, judges, sends once, stops at once.

Everything that happens becomes an event of the cell table; the table's effects are carried out here and nowhere
else. Rows go to the ledger through one queue, so their order in the journal is the order of the events. The stop
word never waits for a row. What was stored or sent is known from the table alone, never from an exception's text.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace

from drivers.contract import Driver, DriverError, Identity, Job, NotSent, Order, Receipt, Snapshot
from edge_agent.control.ends import Freed, FreeOutcome, MotionEnd, MotionOutcome, NotDispatched, StillHeld, StopEnd
from edge_agent.control.look import Observed
from edge_agent.control.ports import Clock, Steps, no_steps
from edge_agent.control.prompts import PromptBook
from edge_agent.control.rows import RowQueue
from edge_agent.control.stopping import StopResult, StopTempo, stop_until_proved
from edge_agent.control.view import CellView
from edge_agent.run.journal import Body, Entry, Journal, JournalFault, Kind
from edge_agent.safety.cell import BUSY, CellEvent, CellState, Effect
from edge_agent.safety.cell_spec import CellSpec
from edge_agent.safety.command import FINAL, CommandState
from edge_agent.safety.confirm import Prompt
from edge_agent.safety.contract import Proposal, interlocks
from edge_agent.safety.machine import COMMAND_EFFECTS, Machine, Step, number, propose, step
from edge_agent.safety.receipt import Aborted, Baseline, Judgement, NotYet, Refusal, Taken, Verified, Wrong, judge
from edge_agent.safety.watch import interlock_open, posture, still

_IDLE_STATES = frozenset({CellState.OFFLINE, CellState.MANUAL, CellState.READY, CellState.AWAITING_CONFIRMATION})
_RELINKS = frozenset({CellState.OFFLINE, CellState.MANUAL, CellState.STOPPED, CellState.LOCKED_OUT})


@dataclass(frozen=True, slots=True)
class Tempo:
    """The agent beats at 10 Hz or more; a controller stops by itself after 500 ms without. Receipts are polled
    every `busy_s` while a command is out; `relink_s` is the pause between two tries to reach the controller."""

    busy_s: float = 0.02
    idle_s: float = 0.08
    relink_s: float = 0.5
    free_s: float = 1.0
    stop: StopTempo = field(default_factory=StopTempo)


@dataclass(slots=True)
class Underway:
    """The command that is out, from its confirmation to its end."""

    job: Job
    fingerprint: int
    baseline: Baseline
    run: str
    user: str
    frames: int = 0
    sent_at_s: float | None = None
    accepted_at_s: float | None = None
    receipt: Receipt | None = None
    detail: tuple[str, ...] = ()
    reason: str = ""
    code: str = ""
    end: asyncio.Future[MotionEnd] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    @property
    def order(self) -> Order:
        return self.job.order


@dataclass(frozen=True, slots=True)
class Stored:
    """What the journal knew at start: the highest id ever given, a command without an end, a latched lockout."""

    last_command_id: int = 0
    unfinished_id: int | None = None
    unfinished_state: CommandState | None = None
    unfinished_order: Order | None = None
    lockout: str | None = None
    unknown_outcomes: int = 0


class Supervisor:
    """`on_change` is told every new view; `on_phase(run, phase)` the phases of the command that is out."""

    def __init__(
        self,
        spec: CellSpec,
        driver: Driver,
        journal: Journal,
        clock: Clock,
        *,
        new_session: Callable[[], int],
        tempo: Tempo,
        steps: Steps = no_steps,
        on_change: Callable[[CellView], None] = lambda _: None,
        on_phase: Callable[[str, str], None] = lambda _run, _phase: None,
    ) -> None:
        self._spec, self._driver, self._journal, self._clock = spec, driver, journal, clock
        self._new_session, self._tempo, self._steps = new_session, tempo, steps
        self._on_change, self._on_phase = on_change, on_phase
        self.prompts = PromptBook()
        self._machine = Machine()
        self._underway: Underway | None = None
        self._observed: Observed | None = None
        self._identity: Identity | None = None
        self._session = 0
        self._linked = False
        self._silent = False
        self._beats = 0
        self._last_id = 0
        self._reason, self._detail = "starting", ()  # type: tuple[str, tuple[str, ...]]
        self._lockout: str | None = None
        self._intended: Order | None = None
        self._unknown = 0
        self._rows = RowQueue(journal, self._row_fault)
        self._tasks: set[asyncio.Task[object]] = set()
        self._stopping: asyncio.Task[StopResult] | None = None
        self._wake = asyncio.Event()
        self._closing = False
        self.ticks = 0
        """Rises with every completed round of the control loop; the watchdog reads it."""

    # -- life -------------------------------------------------------------------------------------------------

    def recover(self, stored: Stored) -> None:
        """Journal first: what was open when the last life ended is UNKNOWN now, and the cell is locked out."""
        self._last_id, self._unknown, self._intended = (
            stored.last_command_id,
            stored.unknown_outcomes,
            stored.unfinished_order,
        )
        self._machine = Machine(CellState.OFFLINE, stored.unfinished_id, stored.unfinished_state)
        if stored.unfinished_id is not None:
            self._feed(CellEvent.FOUND_UNFINISHED, "unfinished_command", (str(stored.unfinished_id),))
        elif stored.lockout is not None:
            self._lockout = stored.lockout
            self._feed(CellEvent.FOUND_UNFINISHED, stored.lockout)

    async def run(self) -> None:
        """The control loop; ends when `close` was called."""
        writer = asyncio.create_task(self._rows.run())
        try:
            while not self._closing:
                await self._tick()
                self.ticks += 1
                await self._pause()
        finally:
            await self._rows.drained()
            writer.cancel()

    async def close(self) -> None:
        """Ends the loop and the link. Asks for no stop: the controller's own dead-man bounds what is under way."""
        self._closing = True
        self._wake.set()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=2.0)
        await self._driver.close()

    async def _pause(self) -> None:
        """Until the next round is due, or something was sent."""
        self._wake.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._pause_s()):
                await self._wake.wait()

    def _pause_s(self) -> float:
        if not self._linked:
            return self._tempo.relink_s
        return self._tempo.busy_s if self._underway is not None else self._tempo.idle_s

    # -- what others may ask ----------------------------------------------------------------------------------

    @property
    def view(self) -> CellView:
        prompt = self.prompts.open
        return CellView(
            state=self._machine.cell,
            reason=self._reason,
            detail=self._detail,
            command_id=self._machine.command_id,
            command_state=self._machine.command,
            intended=self._intended,
            read_back=self._observed.snapshot if self._observed else None,
            identity=self._identity,
            linked=self._linked,
            unknown_outcomes=self._unknown,
            lockout=self._lockout,
            prompt_id=prompt.prompt_id if prompt else None,
        )

    @property
    def boot_id(self) -> int:
        return self._observed.boot_id if self._observed else 0

    def may_propose(self, proposal: Proposal) -> NotDispatched | None:
        """The state of the moment, before anyone is asked: None when the proposal could go out now."""
        if self._machine.cell is not CellState.READY or self._observed is None:
            return self._not_now()
        refused = interlocks(proposal, self._observed.snapshot)
        return NotDispatched(refused.reason, refused.code, refused.facts) if refused else None

    def open_prompt(self, prompt: Prompt) -> NotDispatched | None:
        """Shows a motion's confirmation; from here the cell waits for it and for nothing else."""
        proposed = propose(self._machine)
        done = step(proposed, CellEvent.PROMPT_OPENED)
        if done.refused:
            return self._not_now()
        self._machine = proposed
        self._feed(CellEvent.PROMPT_OPENED, "prompt_opened")
        self.prompts.put(prompt)
        self._tell()
        return None

    def close_prompt(self, prompt_id: str, user: str, why: str) -> bool:
        """The operator's no. True when it was this user's open prompt."""
        if not self.prompts.withdraw(prompt_id, user):
            return False
        self._feed(CellEvent.PROMPT_CLOSED, why)
        return True

    def give_up(self, why: str) -> None:
        """A prompt that was answered and may not be acted upon after all."""
        self._feed(CellEvent.PROMPT_CLOSED, why)

    async def execute(
        self, proposal: Proposal, *, run: str, user: str, recheck: Callable[[], str | None]
    ) -> MotionOutcome:
        """Sends a confirmed proposal once and follows it to its end. `recheck` is asked at the last moment before
        anything is stored and names what no longer holds. Whoever waits may give up: the command does not."""
        task = asyncio.create_task(self._command(proposal, run, user, recheck))
        self._keep(task)
        return await asyncio.shield(task)

    def request_stop(self, by: str) -> None:
        """A controlled stop request, ahead of everything: the stop word is under way when this returns."""
        self._feed(CellEvent.STOP_ASKED, "stop_requested", (by,))
        self._steps("stop_asked")
        self._store(Kind.STOP, {"by": by, "state": self._machine.cell.value})

    def lock_out(self, why: str) -> None:
        """Somebody who must not go on says so: latched as any other lockout."""
        self._feed(CellEvent.INTEGRITY_LOST, why)

    async def stop_ended(self) -> StopEnd:
        """How the stop that was asked for last ended: shown by the controller, or not."""
        assert self._stopping is not None, "only after a stop was asked for"
        result = await asyncio.shield(self._stopping)
        return StopEnd(result.proved, result.writes, result.read_back, self._machine.command_id, self._machine.command)

    async def release_stop(self, by: str) -> FreeOutcome:
        """Takes a proved stop back. Moves nothing; READY only when the controller shows itself idle again."""
        if self._feed(CellEvent.RELEASE_ASKED, "release_asked", (by,)).refused:
            return StillHeld("not_stopped", "INTERLOCK_OPEN")
        try:
            freed = await self._let_go()
        except DriverError as error:
            return StillHeld("link_lost", error.code)
        if isinstance(freed, Freed):
            await self._store(Kind.RELEASE_STOP, {"by": by, "read_back": asdict(freed.read_back)})
            self._settle(freed.read_back)
            self._feed(CellEvent.RELEASED, "")
        return freed

    async def reset(self, by: str, why: str) -> FreeOutcome:
        """Leaves a lockout: a technician's deliberate act at the cell, after a read-back. Sends no old command."""
        if self._machine.cell is not CellState.LOCKED_OUT:
            return StillHeld("not_locked_out", "INTERLOCK_OPEN")
        try:
            freed = await self._free_after_read_back()
            if isinstance(freed, StillHeld):
                return freed
            await self._store(Kind.RESET, {"by": by, "why": why, "read_back": asdict(freed.read_back)})
        except DriverError as error:
            return StillHeld("link_lost", error.code)
        except JournalFault:
            return StillHeld("journal_fault", "STORE_FAILED")
        self._feed(CellEvent.RESET, "reset_by_technician")
        await self._tick()
        return freed

    # -- events and effects -----------------------------------------------------------------------------------

    def _feed(self, event: CellEvent, why: str, detail: tuple[str, ...] = ()) -> Step:
        done = step(self._machine, event)
        self._machine = done.after
        if done.after.cell is not done.before.cell:
            self._reason, self._detail = why, detail
        for effect in done.effects:
            self._carry_out(effect, done, why, detail)
        if done.after != done.before:
            self._tell()
        return done

    def _carry_out(self, effect: Effect, done: Step, why: str, detail: tuple[str, ...]) -> None:
        match effect:
            case Effect.STOP:
                self._start_stop()
            case Effect.SILENCE:
                self._silent = True
            case Effect.LATCH:
                self._latch(why, detail)
            case Effect.UNLATCH:
                self._silent, self._lockout, self._linked, self._observed = False, None, False, None
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

    def _note_command(self, done: Step, why: str) -> None:
        if done.after.command is done.before.command or done.after.command is None:
            return
        if done.after.command is CommandState.UNKNOWN:
            self._unknown += 1
        run = self._underway.run if self._underway else None
        body = {"command_id": done.after.command_id, "state": done.after.command.value, "why": why}
        self._store(Kind.COMMAND, body, run=run)

    def _end_command(self, done: Step, why: str, detail: tuple[str, ...]) -> None:
        under = self._underway
        if under is None or not (done.before.open_command and done.after.command in FINAL):
            return
        self._underway = None
        if self._observed is not None:
            self._observed.settle()
        end = MotionEnd(
            command_id=under.order.command_id,
            state=done.after.command,
            reason=under.reason or why,
            code=under.code,
            frames=under.frames,
            order=under.order,
            receipt=under.receipt,
            read_back=self._observed.snapshot if self._observed else None,
            detail=under.detail or detail,
        )
        self._keep(asyncio.create_task(self._tell_end(under, end)))

    async def _tell_end(self, under: Underway, end: MotionEnd) -> None:
        """The end is stored before anyone is told; where it cannot be stored, the lockout says so."""
        body = {"command_id": end.command_id, "state": end.state.value, "reason": end.reason, "code": end.code}
        more = {"frames": end.frames, "detail": list(end.detail), "receipt": _plain(end.receipt)}
        try:
            await self._store(Kind.COMMAND, {**body, **more}, run=under.run, key=f"{end.command_id}/end")
            self._steps("end_stored")
        except JournalFault:
            end = replace(end, state=CommandState.UNKNOWN, reason="journal_fault", code="STORE_FAILED")
        if not under.end.done():
            under.end.set_result(end)

    def _latch(self, why: str, detail: tuple[str, ...]) -> None:
        if self._lockout is None:
            self._lockout = why
        self._store(Kind.LOCKOUT, {"reason": why, "detail": list(detail), "command_id": self._machine.command_id})
        self._steps("lockout_stored")

    def _start_stop(self) -> asyncio.Task[StopResult]:
        if self._stopping is None or self._stopping.done():
            self._stopping = asyncio.create_task(self._stop_now())
            self._keep(self._stopping)
        return self._stopping

    async def _stop_now(self) -> StopResult:
        tolerance = self._spec.limits.still_tolerance_tenths
        result = await stop_until_proved(self._driver, self._clock, self._tempo.stop, tolerance, self._steps)
        if result.proved:
            self._feed(CellEvent.STOP_PROVED, "stop_requested")
        else:
            self._feed(CellEvent.STOP_UNPROVED, "stop_not_proved")
        return result

    # -- the command path -------------------------------------------------------------------------------------

    async def _command(
        self, proposal: Proposal, run: str, user: str, recheck: Callable[[], str | None]
    ) -> MotionOutcome:
        refused = await self._last_look(proposal, recheck)
        if refused is not None:
            self._feed(CellEvent.PROMPT_CLOSED, refused.reason)
            return refused
        if self._feed(CellEvent.CONFIRMED, "confirmed").refused:
            return self._not_now()
        self._steps("confirmed")
        try:
            command_id = await self._journal.next_command_id(self._last_id)
        except JournalFault:
            self._feed(CellEvent.JOURNAL_FAULT, "journal_fault")
            return self._not_now()
        if self._machine.cell is not CellState.DISPATCHING:
            return self._not_now()
        under = self._number(command_id, proposal, run, user)
        try:
            await self._dispatch(under)
        except JournalFault:
            self._feed(CellEvent.JOURNAL_FAULT, "journal_fault")
        except Exception as error:  # noqa: BLE001 - from the intent on, whatever nobody foresaw latches the lockout
            under.code, under.detail = "INTERNAL", (type(error).__name__,)
            self._feed(CellEvent.SEND_FAILED, "internal_fault", under.detail)
            self._feed(CellEvent.JOURNAL_FAULT, "internal_fault", under.detail)
        return await under.end

    async def _last_look(self, proposal: Proposal, recheck: Callable[[], str | None]) -> NotDispatched | None:
        """Read just before the intent is stored: what was true when the prompt was shown may not be now."""
        try:
            snapshot = await self._driver.snapshot()
        except DriverError as error:
            self._link_down(error)
            return NotDispatched("link_lost", error.code)
        self._observe(snapshot)
        if (why := recheck()) is not None:
            return NotDispatched(why, "STALE_REQUEST")
        refused = interlocks(proposal, snapshot)
        return NotDispatched(refused.reason, refused.code, refused.facts) if refused else None

    def _number(self, command_id: int, proposal: Proposal, run: str, user: str) -> Underway:
        assert self._observed is not None, "a cell that confirms has been looked at"
        self._last_id = command_id
        limits, seen = self._spec.limits, self._observed
        order = replace(proposal.order, command_id=command_id, session=self._session)
        job = Job(order, limits.ttl_ms, limits.max_duration_ms)
        baseline = Baseline(seen.boot_id, seen.executed, seen.duplicates, limits.pose_tolerance_tenths)
        self._machine = number(self._machine, order.command_id)
        self._intended = order
        self._underway = Underway(job, self._driver.fingerprint(job), baseline, run, user)
        return self._underway

    async def _dispatch(self, under: Underway) -> None:
        self._steps("before_intent")
        intent = {
            "command_id": under.order.command_id,
            "state": CommandState.JOURNALLED.value,
            "user": under.user,
            "order": asdict(under.order),
            "ttl_ms": under.job.ttl_ms,
            "max_duration_ms": under.job.max_duration_ms,
        }
        await self._store(Kind.COMMAND, intent, run=under.run, key=str(under.order.command_id))
        self._steps("intent_stored")
        if Effect.SEND in self._feed(CellEvent.INTENT_STORED, "dispatched").effects:
            await self._send_once(under)

    async def _send_once(self, under: Underway) -> None:
        self._on_phase(under.run, "DISPATCHING")
        self._steps("before_send")
        under.frames = 1
        try:
            await self._driver.send(under.job)
        except NotSent as error:
            under.frames, under.code = 0, error.code
            self._linked = False
            self._feed(CellEvent.NOT_SENT, "arm_unavailable")
        except DriverError as error:
            under.code, under.detail = _send_code(error), (type(error).__name__,)
            self._feed(CellEvent.SEND_FAILED, "send_unanswered", under.detail)
        else:
            self._steps("sent")
            under.sent_at_s = self._clock.monotonic_s()
            self._feed(CellEvent.SENT, "sent")
            self._on_phase(under.run, "AWAITING_RECEIPT")
            self._wake.set()

    # -- the control loop -------------------------------------------------------------------------------------

    async def _tick(self) -> None:
        try:
            if not self._linked:
                await self._link()
            elif not self._silent:
                self._beats = (self._beats + 1) & 0xFFFF
                await self._driver.heartbeat(self._beats)
            if self._linked:
                await self._look()
        except DriverError as error:
            self._link_down(error)
        self._deadlines()

    async def _link(self) -> None:
        if self._machine.cell not in _RELINKS:
            return
        self._session = self._new_session()
        identity = await self._driver.identify(self._session)
        snapshot = await self._driver.snapshot()
        known = self._observed.boot_id if self._observed else identity.boot_id
        self._identity, self._linked = identity, True
        self._observed = Observed.first(snapshot, self._clock.monotonic_s())
        self._last_id = max(self._last_id, snapshot.last_command_id)
        self._store(Kind.CELL_STATE, {"identity": asdict(identity), "read_back": asdict(snapshot)})
        if snapshot.boot_id != known:
            self._feed(CellEvent.INTEGRITY_LOST, "controller_rebooted", ("boot_id",))
        self._tell()

    async def _look(self) -> None:
        under = self._underway
        waiting = under is not None and under.sent_at_s is not None
        receipt = await self._driver.receipt(under.order.command_id) if under and waiting else None
        snapshot = await self._driver.snapshot()
        if under is not None and waiting and under is self._underway:
            self._take(under, judge(under.order, under.fingerprint, receipt, snapshot, under.baseline), receipt)
        self._observe(snapshot)

    def _take(self, under: Underway, judgement: Judgement, receipt: Receipt | None) -> None:
        under.receipt = receipt or under.receipt
        if self._observed is not None and not isinstance(judgement, NotYet):
            self._steps("receipt_seen")
        match judgement:
            case NotYet():
                return
            case Taken(executing=executing):
                self._taken(under, executing)
            case Verified(snapshot=snapshot):
                self._settle_view(snapshot)
                self._feed(CellEvent.VERIFIED, "")
            case Refusal(code=code):
                under.reason, under.code, under.detail = "controller_refused", "RECEIPT_REJECTED", (f"{code:04x}",)
                self._feed(CellEvent.REJECTED, under.reason, under.detail)
            case Aborted(code=code):
                under.code, under.detail = "DEVICE_FAULT", (f"{code:04x}",)
                event = CellEvent.ABORTED_BY_STOP if judgement.by_stop else CellEvent.ABORTED
                self._feed(event, "stopped_by_request" if judgement.by_stop else "aborted", under.detail)
            case Wrong(what=what):
                under.code, under.detail = "RECEIPT_MISMATCH", what
                self._feed(CellEvent.RECEIPT_WRONG, "receipt_wrong", what)

    def _taken(self, under: Underway, executing: bool) -> None:
        if under.accepted_at_s is None:
            under.accepted_at_s = self._clock.monotonic_s()
            self._feed(CellEvent.ACCEPTED, "accepted")
            self._steps("accepted")
        if executing and self._machine.command is CommandState.ACCEPTED:
            self._feed(CellEvent.ACCEPTED, "executing")
            self._steps("executing")

    def _observe(self, snapshot: Snapshot) -> None:
        if self._observed is None:
            return
        now_s = self._clock.monotonic_s()
        out = self._underway is not None and self._underway.frames > 0
        if misfits := self._observed.misfits(snapshot, now_s, may_execute=out):
            self._blame("DEVICE_FAULT", misfits)
            self._feed(CellEvent.INTEGRITY_LOST, "integrity_lost", misfits)
        elif interlock_open(snapshot):
            self._blame("DEVICE_FAULT", (snapshot.state.name.lower(), f"{snapshot.fault_code:04x}"))
            self._feed(CellEvent.INTERLOCK_OPENED, "interlock_opened", (snapshot.state.name.lower(),))
        elif (event := posture(snapshot)) is not None:
            self._settle_posture(event)

    def _settle_posture(self, event: CellEvent) -> None:
        if event is CellEvent.MODE_LEFT:
            self._blame("INTERLOCK_OPEN", ("mode",))
            self._feed(event, "not_remote_automatic")
        elif self._machine.cell in _IDLE_STATES:
            self._feed(event, "" if event is CellEvent.IDENTIFIED else "found_stopped")

    def _blame(self, code: str, detail: tuple[str, ...]) -> None:
        if self._underway is not None and self._machine.cell in BUSY:
            self._underway.code, self._underway.detail = code, detail

    def _deadlines(self) -> None:
        now_s, under, limits = self._clock.monotonic_s(), self._underway, self._spec.limits
        if self.prompts.expired(now_s) is not None:
            self._feed(CellEvent.PROMPT_EXPIRED, "prompt_expired")
        if under is None or under.sent_at_s is None or self._machine.cell not in BUSY:
            return
        if under.accepted_at_s is None:
            late = now_s - under.sent_at_s > limits.accept_timeout_ms / 1000
        else:
            late = now_s - under.accepted_at_s > (limits.max_duration_ms + limits.complete_margin_ms) / 1000
        if late:
            seen = "RECEIPT_MISSING" if under.receipt is None else "RECEIPT_LATE"
            under.code, under.detail = seen, ("accept" if under.accepted_at_s is None else "complete",)
            self._feed(CellEvent.DEADLINE, "receipt_missing", under.detail)

    def _link_down(self, error: DriverError) -> None:
        self._linked = False
        self._blame("CONNECTION_ERROR", (type(error).__name__,))
        self._feed(CellEvent.LINK_DOWN, "link_lost", (str(error),))
        if self._machine.cell is CellState.OFFLINE:
            self._reason, self._detail = "link_lost", (str(error),)

    # -- letting go -------------------------------------------------------------------------------------------

    async def _free_after_read_back(self) -> FreeOutcome:
        if not self._linked:
            await self._link()
        first = await self._driver.snapshot()
        await self._clock.sleep(self._tempo.stop.still_gap_s)
        second = await self._driver.snapshot()
        if not still(first, second, self._spec.limits.still_tolerance_tenths):
            return StillHeld("arm_moving", "INTERLOCK_OPEN", second)
        freed = await self._let_go()
        if isinstance(freed, StillHeld):
            await self._driver.request_stop()
        return freed

    async def _let_go(self) -> FreeOutcome:
        """The stop level off, then read back until idle or out of time."""
        await self._driver.release_stop()
        until_s = self._clock.monotonic_s() + self._tempo.free_s
        while True:
            snapshot = await self._driver.snapshot()
            if posture(snapshot) is CellEvent.IDENTIFIED and not interlock_open(snapshot):
                return Freed(snapshot)
            if self._clock.monotonic_s() >= until_s:
                return StillHeld(_held_by(snapshot), "INTERLOCK_OPEN", snapshot)
            await self._clock.sleep(self._tempo.stop.still_gap_s)

    def _settle(self, snapshot: Snapshot) -> None:
        self._settle_view(snapshot)
        if self._observed is not None:
            self._observed.settle()

    def _settle_view(self, snapshot: Snapshot) -> None:
        if self._observed is not None:
            self._observed.snapshot = snapshot

    # -- rows -------------------------------------------------------------------------------------------------

    def _store(self, kind: Kind, body: Body, *, run: str | None = None, key: str | None = None) -> asyncio.Future[None]:
        """Queued at once; await it where the row must be durable first. A fault locks the cell either way."""
        return self._rows.put(Entry(kind, body, run, key))

    def _row_fault(self, fault: JournalFault) -> None:
        if self._machine.cell is not CellState.LOCKED_OUT:
            self._feed(CellEvent.JOURNAL_FAULT, "journal_fault", (str(fault),))

    def _not_now(self) -> NotDispatched:
        reason, code = _NOT_NOW[self._machine.cell]
        return NotDispatched(reason, code, (("state", self._machine.cell.value), ("why", self._reason)))

    def _tell(self) -> None:
        self._on_change(self.view)

    def _keep(self, task: asyncio.Task[object] | asyncio.Task[StopResult] | asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


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


def _send_code(error: DriverError) -> str:
    """An unanswered or wrongly answered write may have been carried out: never "failed, try again"."""
    return "RECEIPT_MISMATCH" if error.code == "RECEIPT_MISMATCH" else "OUTCOME_UNKNOWN"


def _held_by(snapshot: Snapshot) -> str:
    if snapshot.interlocks.reset_required:
        return "controller_key_needed"
    if posture(snapshot) is CellEvent.MODE_LEFT:
        return "not_remote_automatic"
    return "interlock_open" if interlock_open(snapshot) else "controller_not_idle"


def _plain(receipt: Receipt | None) -> object:
    return None if receipt is None else asdict(receipt)
