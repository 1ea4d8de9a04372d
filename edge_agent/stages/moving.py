"""From a wish to move to a verified receipt: contract, permission, prompt; then the one send and its end.

Nothing here decides whether a receipt counts or a cell may move: the safety tables do. This stage puts the question,
hears the answer, and tells what came of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from drivers.contract import Action
from edge_agent.control.ends import Freed, FreeOutcome, MotionEnd, NotDispatched, StopEnd
from edge_agent.control.supervisor import Supervisor
from edge_agent.desk.intake import Intake
from edge_agent.messages.codes import ErrorCode, Phase, RetryDecision
from edge_agent.messages.content import Content
from edge_agent.messages.content_base import ToolEvidence
from edge_agent.messages.request import Confirm
from edge_agent.messages.wire import Scalar
from edge_agent.release.answers import done_ack
from edge_agent.release.movements import motion, stop
from edge_agent.release.policy import Happened
from edge_agent.release.prompts import confirmation
from edge_agent.release.rejections import rejection
from edge_agent.run.journal import Entry, Journal, JournalFault, Kind
from edge_agent.safety.cell import CellState
from edge_agent.safety.cell_spec import CellSpec
from edge_agent.safety.command import CommandState
from edge_agent.safety.confirm import Answer, Confirmed, Prompt, ReleaseStop, Subject, digest
from edge_agent.safety.contract import MissingSlot, Proposal, Refused, check
from edge_agent.safety.permission import Denied, Operation, permit
from edge_agent.safety.site_rules import SiteRule, blocking
from edge_agent.stages.advising import Advice, no_advice
from edge_agent.stages.arm_words import order_words, receipt_words, snapshot_words
from edge_agent.stages.job import Job, Told
from edge_agent.tools.arm_result import arm_result, control_decision
from edge_agent.tools.evidence import evidence_of
from edge_agent.tools.tool import ToolName
from edge_agent.understand.interpretation import Interpretation

MAY_HAVE_MOVED = frozenset({CommandState.VERIFIED, CommandState.ABORTED, CommandState.UNKNOWN})
CHECKS = ("contract", "permission", "guard_open", "controller_estop", "controller_not_idle", "cell_ready")
"""What was looked at before a confirmation is shown; names of the wording."""


@dataclass(frozen=True, slots=True)
class Moving:
    """`rule_bin` tells which bin the sorting rule names for an item; a wish against it is shown as a warning."""

    spec: CellSpec
    supervisor: Supervisor
    intake: Intake
    journal: Journal
    new_prompt_id: Callable[[], str]
    monotonic_s: Callable[[], float]
    now: Callable[[], datetime]
    prompt_s: float
    rule_bin: Callable[[str], str | None]
    ready: Callable[[], bool]
    """Whether others can see and stop us right now (the broker shows our own status); without it nothing new moves."""
    rules: tuple[SiteRule, ...] = ()
    """What this site forbids besides."""
    advice: Advice = no_advice
    """What a person would do where the arm does not take a command."""

    # -- the question -----------------------------------------------------------------------------------------

    async def propose(self, job: Job, reading: Interpretation) -> Told | MissingSlot:
        """A motion that could run now, shown with its digest; else why not, or what is still to be said."""
        said: dict[str, str] = {s.name: s.value for s in reading.slots}
        checked = self._checked(job, said)
        if isinstance(checked, MissingSlot | Told):
            return checked
        if (rule := blocking(self.rules, job.speaker.role.word, said["action"], said)) is not None:
            why = rule.zh if job.speaker.lang == "zh" else rule.en
            return self._refused(job, "site_rule", "PERMISSION_DENIED", {"rule": rule.id, "why": why})
        refused = (
            self.supervisor.may_propose(checked)
            if self.ready()
            else NotDispatched("broker_lost", "SERVICE_UNAVAILABLE")
        )
        if refused is not None:
            return await self._not_taken(job, refused)
        prompt = self._prompt(job, checked)
        await self._store_prompt(job, prompt)
        if (closed := self.supervisor.open_prompt(prompt)) is not None:
            return self._refused(job, closed.reason, closed.code, dict(closed.facts))
        return self._ask(job, prompt, checked.action.value, checked.device.name, checked.slot_map)

    def refused_outright(self, job: Job, reading: Interpretation) -> Told | None:
        """What no answer could change: refused before it is asked whether a motion is meant."""
        checked = self._checked(job, {s.name: s.value for s in reading.slots})
        return checked if isinstance(checked, Told) else None

    def _checked(self, job: Job, said: Mapping[str, str]) -> Proposal | MissingSlot | Told:
        """What is said, by the cell's contract and this person's role."""
        checked = check(self.spec, Action(said["action"]), said)
        if isinstance(checked, Refused):
            return self._refused(job, checked.reason, checked.code, dict(checked.facts))
        denied = self._denied(job, Operation.MOVE, said["action"])
        return checked if denied is None else denied

    async def propose_release(self, job: Job) -> Told:
        if self.supervisor.view.state is not CellState.STOPPED:
            return self._refused(job, "not_stopped", "INTERLOCK_OPEN", {"state": self.supervisor.view.state.value})
        prompt = self._prompt(job, ReleaseStop())
        await self._store_prompt(job, prompt)
        if (state := self.supervisor.view.state) is not CellState.STOPPED:  # released by somebody else meanwhile
            return self._refused(job, "not_stopped", "INTERLOCK_OPEN", {"state": state.value})
        self.supervisor.prompts.put(prompt)
        return self._ask(job, prompt, "release_stop", self.spec.devices[0].name, {})

    def _prompt(self, job: Job, subject: Subject) -> Prompt:
        epoch = self.journal.epoch
        return Prompt(
            prompt_id=self.new_prompt_id(),
            user=job.speaker.user,
            digest=digest(subject, epoch=epoch, boot_id=self.supervisor.boot_id),
            epoch=epoch,
            subject=subject,
            expires_at_s=self.monotonic_s() + self.prompt_s,
        )

    async def _store_prompt(self, job: Job, prompt: Prompt) -> None:
        body = {"prompt_id": prompt.prompt_id, "user": prompt.user, "digest": prompt.digest, "kind": "confirmation"}
        await self.journal.append(Entry(Kind.PROMPT, body, job.run_id))

    def _ask(self, job: Job, prompt: Prompt, action: str, device: str, slots: Mapping[str, str]) -> Told:
        content = confirmation(
            job.page,
            job.traces,
            prompt_id=prompt.prompt_id,
            digest=prompt.digest,
            action=action,
            device=device,
            slots=slots,
            expires_in_s=self.prompt_s,
            checks=CHECKS,
            warnings=self._warnings(slots),
        )
        return Told(content, Happened.CONFIRMATION)

    def _warnings(self, slots: Mapping[str, str]) -> list[tuple[str, dict[str, str]]]:
        """A bin against the sorting rule is allowed and pointed out."""
        item, bin_ = slots.get("item_type"), slots.get("bin")
        ruled = self.rule_bin(item) if item is not None and bin_ is not None else None
        if item is None or bin_ is None or ruled in (None, bin_):
            return []
        return [("against_rule", {"item": item, "bin": bin_, "rule_bin": str(ruled)})]

    # -- the answer -------------------------------------------------------------------------------------------

    async def answer(self, job: Job, request: Confirm) -> Told:
        user = job.speaker.user
        if not request.confirm:
            return await self._decline(job, request.prompt_id, user)
        said = Answer(request.prompt_id, request.digest, user, request.epoch)
        verdict = self.supervisor.prompts.answer(said, self.monotonic_s())
        if not isinstance(verdict, Confirmed):
            return self._refused(job, verdict, None, {})
        try:
            await self._close_prompt(job, request.prompt_id, "confirmed")
            if isinstance(verdict.subject, ReleaseStop):
                return await self._release(job)
            return await self._move(job, verdict.subject)
        except JournalFault as fault:
            self.supervisor.journal_fault(str(fault))  # on the way to the arm: what cannot be recorded is not done
            raise

    async def withdraw(self, job: Job) -> bool:
        """The user's open confirmation, if there is one, is taken back."""
        prompt = self.supervisor.prompts.open
        if prompt is None or not self.supervisor.close_prompt(prompt.prompt_id, job.speaker.user, "cancelled"):
            return False
        await self._close_prompt(job, prompt.prompt_id, "cancelled")
        return True

    async def _decline(self, job: Job, prompt_id: str, user: str) -> Told:
        prompt = self.supervisor.prompts.open
        if not self.supervisor.close_prompt(prompt_id, user, "declined"):
            foreign = prompt is not None and prompt.prompt_id == prompt_id
            return self._refused(job, "prompt_foreign" if foreign else "prompt_wrong", None, {})
        await self._close_prompt(job, prompt_id, "declined")
        content = rejection(
            job.page, job.traces, reason="declined", command_state=CommandState.CANCELLED.value, facts={}
        )
        return Told(content, Happened.REFUSED)

    async def _close_prompt(self, job: Job, prompt_id: str, why: str) -> None:
        await self.journal.append(Entry(Kind.PROMPT_CLOSED, {"prompt_id": prompt_id, "why": why}, job.run_id))

    async def _move(self, job: Job, proposal: Proposal) -> Told:
        if (denied := self._denied(job, Operation.MOVE, proposal.action.value)) is not None:
            self.supervisor.give_up("permission_denied")
            return denied
        try:
            await job.phase(Phase.CHECKING_CELL)
            job.run.check_active()
            job.run.reserve_tool_call(ToolName.ARM_CONTROL)
        except Exception:
            self.supervisor.give_up("not_dispatched")  # whatever it was, the cell waits for this answer no longer
            raise
        started, at_s = self.now(), self.monotonic_s()
        outcome = await self.supervisor.execute(
            proposal, run=job.run_id, user=job.speaker.user, recheck=lambda: self._stale(job)
        )
        job.evidence.append(self._evidence(job, proposal, outcome, started, self.monotonic_s() - at_s))
        if isinstance(outcome, NotDispatched):
            return await self._not_taken(job, outcome)
        if outcome.state in MAY_HAVE_MOVED:
            return self._moved(job, proposal, outcome)
        return await self._not_started(job, outcome)

    async def _not_taken(self, job: Job, outcome: NotDispatched) -> Told:
        advice = await self.advice(outcome.reason, job.speaker.lang)
        return self._refused(job, outcome.reason, outcome.code, dict(outcome.facts), advice)

    def _stale(self, job: Job) -> str | None:
        """Age, role, mode and epoch, once more; a run that ended meanwhile sends nothing."""
        if job.run.cancelled:
            return "cancelled"
        stale = self.intake.recheck(job.taken)
        if stale is not None:
            return stale.name.value
        return None if self.ready() else "broker_lost"

    def _denied(self, job: Job, operation: Operation, what: str) -> Told | None:
        granted = permit(operation, job.speaker.role, simulated=self.spec.simulated)
        if not isinstance(granted, Denied):
            return None
        content = rejection(
            job.page,
            job.traces,
            reason="permission_denied",
            facts={"action": what, "needed": granted.needed.word},
            retry_decision=RetryDecision.NON_RETRYABLE,
        )
        return Told(content, Happened.REFUSED)

    # -- the end ----------------------------------------------------------------------------------------------

    def _moved(self, job: Job, proposal: Proposal, end: MotionEnd) -> Told:
        verified = end.state is CommandState.VERIFIED
        content = motion(
            job.page,
            job.traces,
            command_id=end.command_id,
            command_state=end.state.value,
            action=proposal.action.value,
            device=proposal.device.name,
            frames_on_wire=end.frames,
            receipt=receipt_words(end.receipt),
            end_state=snapshot_words(end.read_back),
            intended=order_words(end.order),
            differs=() if verified else end.detail,
            code=None if verified or not end.code else ErrorCode(end.code),
            duration_ms=end.receipt.duration_ms if end.receipt and verified else None,
            locked_out=self.supervisor.view.state is CellState.LOCKED_OUT,
        )
        return Told(content, Happened.COMMAND_VERIFIED if verified else Happened.COMMAND_NOT_VERIFIED)

    async def _not_started(self, job: Job, end: MotionEnd) -> Told:
        """REJECTED or CANCELLED: provably no motion of this command."""
        known = "controller_rejected" if end.reason == "controller_refused" else end.reason
        content = rejection(
            job.page,
            job.traces,
            reason=known,
            code=ErrorCode(end.code) if end.code else None,
            facts={"command_id": end.command_id, "receipt_code": end.detail[0] if end.detail else None},
            retry_decision=control_decision(ErrorCode(end.code)) if end.code else None,
            command_id=end.command_id,
            command_state=end.state.value,
            advice=() if end.frames else await self.advice(known, job.speaker.lang),
        )
        return Told(content, Happened.REFUSED)

    def _evidence(
        self, job: Job, proposal: Proposal, outcome: MotionEnd | NotDispatched, started: datetime, took_s: float
    ) -> ToolEvidence:
        verified = isinstance(outcome, MotionEnd) and outcome.state is CommandState.VERIFIED
        facts: dict[str, Scalar] = {"action": proposal.action.value, "device": proposal.device.name}
        if isinstance(outcome, MotionEnd):
            facts |= {"command_id": outcome.command_id, "command_state": outcome.state.value, "frames": outcome.frames}
        result = arm_result(
            job.run,
            started=started,
            duration_ms=took_s * 1000,
            data=facts,
            code=None if verified else ErrorCode(outcome.code or "RUN_INACTIVE"),
            message="" if verified else outcome.reason,
            entered=isinstance(outcome, MotionEnd),
        )
        return evidence_of(result)

    # -- stop and release -------------------------------------------------------------------------------------

    async def stop(self, job: Job) -> Told:
        """The stop was asked for already, on arrival; this waits for what the controller says about it."""
        await job.phase(Phase.STOPPING)
        return self._stopped(job, await self.supervisor.stop_ended())

    def _stopped(self, job: Job, end: StopEnd) -> Told:
        content = stop(
            job.page,
            job.traces,
            proved=end.proved,
            sent=end.writes > 0,
            command_id=end.command_id,
            command_state=end.command_state.value if end.command_state else None,
            controller=end.read_back.state.name if end.read_back else None,
            end_state=snapshot_words(end.read_back),
            code=None if end.proved else ErrorCode.OUTCOME_UNKNOWN,
        )
        return Told(content, Happened.STOP_PROVED if end.proved else Happened.STOP_NOT_PROVED)

    async def _release(self, job: Job) -> Told:
        if (denied := self._denied(job, Operation.RELEASE_STOP, "release_stop")) is not None:
            return denied
        freed: FreeOutcome = await self.supervisor.release_stop(job.speaker.user)
        if isinstance(freed, Freed):
            return Told(done_ack(job.page, job.traces, what="release_stop"), Happened.SERVED)
        reason = "local_key" if freed.reason == "controller_key_needed" else "release_failed"
        return self._refused(job, reason, freed.code, {"why": freed.reason})

    def _refused(
        self, job: Job, reason: str, code: str | None, facts: Mapping[str, str], advice: Sequence[str] = ()
    ) -> Told:
        content: Content = rejection(
            job.page,
            job.traces,
            reason=reason,
            code=ErrorCode(code) if code else None,
            facts=dict(facts),
            retry_decision=control_decision(ErrorCode(code)) if code else None,
            advice=advice,
        )
        return Told(content, Happened.REFUSED)
