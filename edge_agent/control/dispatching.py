"""A confirmed proposal on its way to the wire: last look, number, intent on the disk, one write.

What was stored or sent is known from the table alone, never from an exception's text. From the intent on, whatever
nobody foresaw latches the lockout.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace

from drivers.contract import DriverError, Job, NotSent
from edge_agent.control.core import Core, Underway
from edge_agent.control.ends import MotionOutcome, NotDispatched
from edge_agent.control.watching import Watching
from edge_agent.run.journal import JournalFault, Kind
from edge_agent.safety.cell import CellEvent, CellState, Effect
from edge_agent.safety.command import CommandState
from edge_agent.safety.contract import Proposal, interlocks
from edge_agent.safety.machine import number
from edge_agent.safety.receipt import Baseline

Recheck = Callable[[], str | None]


class Dispatching:
    """`wake` is called when something was sent, so that the loop looks at once."""

    def __init__(self, core: Core, watching: Watching, wake: Callable[[], None]) -> None:
        self._core, self._watching, self._wake = core, watching, wake

    async def execute(self, proposal: Proposal, run: str, user: str, recheck: Recheck) -> MotionOutcome:
        core = self._core
        try:
            refused = await self._last_look(proposal, recheck)
        except Exception:
            core.feed(CellEvent.PROMPT_CLOSED, "internal_fault")
            raise
        if refused is not None:
            core.feed(CellEvent.PROMPT_CLOSED, refused.reason)
            return refused
        if core.feed(CellEvent.CONFIRMED, "confirmed").refused:
            return core.not_now()
        core.steps("confirmed")
        try:
            command_id = await core.journal.next_command_id(core.last_id)
        except JournalFault as fault:
            core.feed(CellEvent.JOURNAL_FAULT, "journal_fault", (str(fault),))
            return core.not_now()
        if core.machine.cell is not CellState.DISPATCHING:
            return core.not_now()  # stopped or lost meanwhile; there was no command yet
        under = self._number(command_id, proposal, run, user)
        await self._dispatch(under, recheck)
        return await under.end

    async def _last_look(self, proposal: Proposal, recheck: Recheck) -> NotDispatched | None:
        """Read just before the intent is stored: what was true when the prompt was shown may not be now."""
        try:
            snapshot = await self._core.driver.snapshot()
        except DriverError as error:
            self._core.link_down(error)
            return NotDispatched("link_lost", error.code)
        self._watching.observe(snapshot)
        if (why := recheck()) is not None:
            return NotDispatched(why, "STALE_REQUEST")
        refused = interlocks(proposal, snapshot)
        return NotDispatched(refused.reason, refused.code, refused.facts) if refused else None

    def _number(self, command_id: int, proposal: Proposal, run: str, user: str) -> Underway:
        core, limits = self._core, self._core.spec.limits
        assert core.observed is not None, "a cell that confirms has been looked at"
        order = replace(proposal.order, command_id=command_id, session=core.session)
        job = Job(order, limits.ttl_ms, limits.max_duration_ms)
        seen = core.observed
        baseline = Baseline(seen.boot_id, seen.executed, seen.duplicates, limits.pose_tolerance_tenths)
        core.machine = number(core.machine, command_id)
        core.last_id, core.intended = command_id, order
        core.underway = Underway(job, core.driver.fingerprint(job), baseline, run, user)
        return core.underway

    async def _dispatch(self, under: Underway, recheck: Recheck) -> None:
        """`recheck` once more when the intent is on the disk: from its answer on only the wire is waited for, and
        nothing can be called off any more; a stop still goes ahead of it."""
        core = self._core
        try:
            core.steps("before_intent")
            await core.store(Kind.COMMAND, _intent(under), run=under.run, key=str(under.order.command_id))
            core.steps("intent_stored")
            if core.underway is not under:
                return  # cancelled while its row was slow; what waits now may be somebody else's command
            if (why := recheck()) is not None:
                under.code = "RUN_INACTIVE"
                core.feed(CellEvent.PROMPT_CLOSED, why)
            elif Effect.SEND in core.feed(CellEvent.INTENT_STORED, "dispatched").effects:
                await self._send_once(under)
        except JournalFault as fault:
            core.feed(CellEvent.JOURNAL_FAULT, "journal_fault", (str(fault),))
        except Exception as error:  # noqa: BLE001 - on the command path whatever nobody foresaw latches the lockout
            under.code, under.detail = "INTERNAL", (type(error).__name__,)
            core.feed(CellEvent.JOURNAL_FAULT, "internal_fault", under.detail)

    async def _send_once(self, under: Underway) -> None:
        core = self._core
        core.ears.on_phase(under.user, under.run, "DISPATCHING")
        core.steps("before_send")
        under.frames = 1
        try:
            await core.driver.send(under.job, lambda: core.machine.cell is CellState.AWAITING_RECEIPT)
        except NotSent as error:
            under.frames, under.code = 0, error.code
            core.linked = False
            ahead = core.machine.cell is not CellState.AWAITING_RECEIPT  # a stop, while it waited for the wire
            core.feed(CellEvent.NOT_SENT, core.not_now().reason if ahead else "arm_unavailable")
        except DriverError as error:
            under.code, under.detail = _send_code(error), (type(error).__name__,)
            core.feed(CellEvent.SEND_FAILED, "send_unanswered", under.detail)
        else:
            core.steps("sent")
            under.sent_at_s = core.clock.monotonic_s()
            core.feed(CellEvent.SENT, "sent")
            core.ears.on_phase(under.user, under.run, "AWAITING_RECEIPT")
            self._wake()


def _intent(under: Underway) -> dict[str, object]:
    return {
        "command_id": under.order.command_id,
        "state": CommandState.JOURNALLED.value,
        "user": under.user,
        "order": asdict(under.order),
        "ttl_ms": under.job.ttl_ms,
        "max_duration_ms": under.job.max_duration_ms,
    }


def _send_code(error: DriverError) -> str:
    """An unanswered or wrongly answered write may have been carried out: never "failed, try again"."""
    return "RECEIPT_MISMATCH" if error.code == "RECEIPT_MISMATCH" else "OUTCOME_UNKNOWN"
