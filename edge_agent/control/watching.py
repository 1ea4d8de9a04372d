"""One round of the control loop: beat, look, judge the receipt, mind the deadlines. Sends nothing but the beat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from drivers.contract import DriverError, PoseTenths, Receipt, Snapshot
from edge_agent.control.core import Core, Underway
from edge_agent.control.look import Observed
from edge_agent.run.journal import Kind
from edge_agent.safety.cell import BUSY, CellEvent, CellState
from edge_agent.safety.command import CommandState
from edge_agent.safety.receipt import Aborted, Judgement, NotYet, Refusal, Taken, Verified, Wrong, judge
from edge_agent.safety.watch import interlock_open, posture

_IDLE = frozenset({CellState.OFFLINE, CellState.MANUAL, CellState.READY, CellState.AWAITING_CONFIRMATION})
_RELINKS = frozenset({CellState.OFFLINE, CellState.MANUAL, CellState.STOPPED, CellState.LOCKED_OUT})


MOVED_S = 0.2
"""Between two tellings of an arm in motion: enough for a picture to follow, little enough for a broker."""


class Watching:
    def __init__(self, core: Core, new_session: Callable[[], int]) -> None:
        self._core, self._new_session = core, new_session
        self._beats = 0
        self._told: tuple[PoseTenths, bool, int] | None = None
        self._told_s = 0.0

    async def round(self) -> None:
        """A driver's error ends the link and nothing else; what that means for the cell is the table's word."""
        core = self._core
        try:
            if not core.linked:
                await self.link()
            elif not core.silent:
                self._beats = (self._beats + 1) & 0xFFFF
                await core.driver.heartbeat(self._beats)
            if core.linked:
                await self._look()
        except DriverError as error:
            core.link_down(error)
        self._deadlines()

    async def link(self) -> bool:
        """Reaches the controller where the state allows it: identity, a session of its own, the counters to go by.
        False, and nothing written, while a stop is not yet shown: identifying writes a beat, and silence is kept."""
        core, before = self._core, self._core.observed
        if core.machine.cell not in _RELINKS or (core.stopping is not None and not core.stopping.done()):
            return False
        core.session = self._new_session()
        identity = await core.driver.identify(core.session)
        snapshot = await core.driver.snapshot()
        core.identity, core.linked = identity, True
        core.observed = Observed.first(snapshot, core.clock.monotonic_s())
        core.last_id = max(core.last_id, snapshot.last_command_id)
        core.store(Kind.CELL_STATE, {"identity": asdict(identity), "read_back": asdict(snapshot)})
        if before is not None and (moved := before.moved_unseen(snapshot)):
            why = "controller_rebooted" if "boot_id" in moved else "integrity_lost"
            core.feed(CellEvent.INTEGRITY_LOST, why, moved)
        core.tell()
        return True

    async def _look(self) -> None:
        """The receipt first, then the status: a snapshot that is judged with a receipt was read after it."""
        core, under = self._core, self._core.underway
        waiting = under is not None and under.sent_at_s is not None
        receipt = await core.driver.receipt(under.order.command_id) if under and waiting else None
        snapshot = await core.driver.snapshot()
        if core.observed is not None:
            core.observed.snapshot = snapshot  # what an end settles on is what was read with it
        if under is not None and waiting and under is core.underway:
            self._take(under, judge(under.order, under.fingerprint, receipt, snapshot, under.baseline), receipt)
        self.observe(snapshot)

    def _take(self, under: Underway, judgement: Judgement, receipt: Receipt | None) -> None:
        core = self._core
        if receipt is not None and receipt.echo.command_id >= under.order.command_id:
            under.receipt = receipt  # an older one is the last command's: no receipt of this one is there yet
        if not isinstance(judgement, NotYet):
            core.steps("receipt_seen")
        match judgement:
            case NotYet():
                return
            case Taken(executing=executing):
                self._taken(under, executing)
            case Verified(snapshot=snapshot):
                if core.observed is not None:
                    core.observed.snapshot = snapshot
                core.feed(CellEvent.VERIFIED, "")
            case Refusal(code=code):
                under.reason, under.code, under.detail = "controller_refused", "RECEIPT_REJECTED", (f"{code:04x}",)
                core.feed(CellEvent.REJECTED, under.reason, under.detail)
            case Aborted(code=code):
                under.code, under.detail = "DEVICE_FAULT", (f"{code:04x}",)
                event = CellEvent.ABORTED_BY_STOP if judgement.by_stop else CellEvent.ABORTED
                core.feed(event, "stopped_by_request" if judgement.by_stop else "aborted", under.detail)
            case Wrong(what=what):
                under.code, under.detail = "RECEIPT_MISMATCH", what
                core.feed(CellEvent.RECEIPT_WRONG, "receipt_wrong", what)

    def _taken(self, under: Underway, executing: bool) -> None:
        core = self._core
        if under.accepted_at_s is None:
            under.accepted_at_s = core.clock.monotonic_s()
            core.feed(CellEvent.ACCEPTED, "accepted")
            core.steps("accepted")
        if executing and core.machine.command is CommandState.ACCEPTED:
            core.feed(CellEvent.ACCEPTED, "executing")
            core.ears.on_phase(under.user, under.run, "EXECUTING")
            core.steps("executing")

    def observe(self, snapshot: Snapshot) -> None:
        """What one look says about the cell, whatever is under way."""
        core = self._core
        if core.observed is None:
            return
        out = core.underway is not None and core.underway.frames > 0
        if misfits := core.observed.misfits(snapshot, core.clock.monotonic_s(), may_execute=out):
            core.blame("DEVICE_FAULT", misfits)
            core.feed(CellEvent.INTEGRITY_LOST, "integrity_lost", misfits)
        elif interlock_open(snapshot):
            seen = (snapshot.state.name.lower(), f"{snapshot.fault_code:04x}")
            core.blame("DEVICE_FAULT", seen)
            core.feed(CellEvent.INTERLOCK_OPENED, "interlock_opened", seen)
        elif (event := posture(snapshot)) is not None:
            self._settle(event)
        self._tell_of_motion(snapshot)

    def _tell_of_motion(self, snapshot: Snapshot) -> None:
        """Where the arm is now and what it holds, for whoever looks; nothing is decided by it."""
        core = self._core
        seen, now_s = (snapshot.pose, snapshot.holds_part, snapshot.bin_bits), core.clock.monotonic_s()
        if seen != self._told and now_s - self._told_s >= MOVED_S:
            self._told, self._told_s = seen, now_s
            core.tell()

    def _settle(self, event: CellEvent) -> None:
        core = self._core
        if event is CellEvent.MODE_LEFT:
            core.blame("INTERLOCK_OPEN", ("mode",))
            core.feed(event, "not_remote_automatic")
        elif core.machine.cell in _IDLE:
            core.feed(event, "" if event is CellEvent.IDENTIFIED else "found_stopped")

    def _deadlines(self) -> None:
        """After the look, never before: a receipt that is there counts, however late this round came."""
        core, now_s = self._core, self._core.clock.monotonic_s()
        under, limits = core.underway, core.spec.limits
        if core.prompts.expired(now_s) is not None:
            core.feed(CellEvent.PROMPT_EXPIRED, "prompt_expired")
        if under is None or under.sent_at_s is None or core.machine.cell not in BUSY:
            return
        if under.accepted_at_s is None:
            late = now_s - under.sent_at_s > limits.accept_timeout_ms / 1000
        else:
            late = now_s - under.accepted_at_s > (limits.max_duration_ms + limits.complete_margin_ms) / 1000
        if late:
            under.code = "RECEIPT_MISSING" if under.receipt is None else "RECEIPT_LATE"
            under.detail = ("accept" if under.accepted_at_s is None else "complete",)
            core.feed(CellEvent.DEADLINE, "receipt_missing", under.detail)
