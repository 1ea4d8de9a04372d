"""How a run ends: what is shown is the release table's word, and exactly one `done` follows it.

Nothing is published for a run that ended meanwhile; the first end is the one that is told. Where nothing can be
written down, that is told too, and the cell is locked: what cannot be recorded is not done.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from edge_agent.desk.intake import Refused
from edge_agent.desk.open_runs import CLIENT_GONE
from edge_agent.desk.speaker import Speaker
from edge_agent.desk.stream import Address, Stream
from edge_agent.messages.codes import FailureCode, Lang
from edge_agent.messages.event import Body, Done, Failure, Termination, Usage
from edge_agent.messages.rejection import RejectionName
from edge_agent.release.page import Page
from edge_agent.release.policy import Basis, Ending, Happened, Release, diagnosis_release, release
from edge_agent.release.rejections import rejection
from edge_agent.run.journal import Entry, JournalFault, Kind, Row
from edge_agent.run.lifecycle import RunAborted, RunState, RunTermination
from edge_agent.safety.permission import Role
from edge_agent.stages.job import Job, Told
from edge_agent.stages.opening import Opening

BROKEN_OFF: dict[RunState, Ending] = {
    RunState.TIMED_OUT: Ending.DEADLINE,
    RunState.BUDGET_EXHAUSTED: Ending.STOPPED_BY_BUDGET,
    RunState.CANCELLED: Ending.OPERATOR_CANCELLED,
    RunState.FAILED: Ending.STORE_FAILED,
    RunState.SUCCESS: Ending.EXECUTION_FAILED,
    RunState.RUNNING: Ending.EXECUTION_FAILED,
}
"""How a run that ended on the way came to its release."""


@dataclass(frozen=True, slots=True)
class Closing:
    """`journal_fault` locks the cell; it is told why."""

    opening: Opening
    journal_fault: Callable[[str], None]

    # -- a run that was served --------------------------------------------------------------------------------

    def broken_off(self, job: Job, state: RunState) -> Release:
        ending, ended = BROKEN_OFF[state], job.run.lifecycle.termination
        if ending is Ending.OPERATOR_CANCELLED and ended is not None and ended.reason == CLIENT_GONE:
            ending = Ending.CLIENT_GONE
        return diagnosis_release(ending, Basis.NOTHING)

    async def finish(self, job: Job, told: Told | Release) -> Release:
        decided = self._decided(job, told)
        if job.run.state is RunState.RUNNING:
            job.run.end(decided.run_state, decided.outcome.value)
        termination = job.run.lifecycle.termination
        assert termination is not None, "the run was ended a line before"
        try:
            if not job.stream.begun:  # a run that broke off before its first event still begins with one
                await job.stream.emit(self.opening.first_of(job))
            job.stream.silent = job.stream.silent or decided.silent
            job.stream.along(_termination_row(job, termination))
            await job.stream.emit(*self._shown(job, told, decided), self._done(job, decided, termination))
        except JournalFault as fault:
            decided = diagnosis_release(Ending.STORE_FAILED, Basis.NOTHING)
            self.journal_fault(str(fault))
            failure = _failure(job.page, job.run.ids.trace, FailureCode.RUN_PERSISTENCE_FAILED, stop=job.taken.stopped)
            job.stream.tell_unstored(self.opening.first_of(job), failure, self._done(job, decided, termination))
        return decided

    def _decided(self, job: Job, told: Told | Release) -> Release:
        decided = told if isinstance(told, Release) else _asked(told)
        if isinstance(told, Told) and job.run.state is RunState.RUNNING and not job.open_run.on_the_arm:
            try:
                job.run.check_active()  # a late result of a cancelled or overdue run; what the arm did always is told
            except RunAborted as aborted:
                return self.broken_off(job, aborted.state)
        if job.run.state is not RunState.RUNNING and decided.run_state is not job.run.state:
            return self.broken_off(job, job.run.state)
        return decided

    def _shown(self, job: Job, told: Told | Release, decided: Release) -> list[Body]:
        if job.stream.released:
            return []
        if decided.failure is not None:
            return [_failure(job.page, job.run.ids.trace, decided.failure, stop=job.taken.stopped)]
        return [told.content] if isinstance(told, Told) else []

    def _done(self, job: Job, decided: Release, ended: RunTermination) -> Done:
        return Done(
            outcome=decided.outcome,
            fallback_type=decided.fallback,
            run_state=ended.state.value,
            stop_reason=job.stop_reason.value if job.stop_reason else None,
            termination=Termination(
                state=ended.state.value,
                reason=ended.reason,
                at=self.opening.now(),
                late=tuple(each.state.value for each in ended.late),
            ),
            usage=Usage.model_validate(job.run.usage().as_dict()),
        )

    # -- what never became a run ------------------------------------------------------------------------------

    async def refuse(self, refused: Refused, speaker: Speaker) -> None:
        """Answers what was not accepted. Where no id can be read, or the id has a stream already, it goes to `-`."""
        if not refused.told:
            return
        said = refused.rejection
        level = "-" if said.name is RejectionName.DUPLICATE else said.answer_level
        traces = self.opening.traces()
        content = rejection(
            self.opening.page(speaker),
            traces,
            reason=said.name.value,
            code=said.error_code,
            facts={**said.facts, **refused.facts},
            not_done="but_stopped" if refused.stopped else None,
            first_run=said.key if said.name is RejectionName.DUPLICATE else None,
            first_state=refused.first_state,
        )
        first = self.opening.first(said.key, traces.parse_trace_id, speaker.lang)
        done = self._without_run(release(Happened.REFUSED), "refused")
        for each in dict.fromkeys((level, "-")):
            address = Address(speaker.user, speaker.channel, each, refused.reply_to)
            if await self._said(self.opening.stream(said.key, address), first, content, done):
                return

    async def _said(self, stream: Stream, *bodies: Body) -> bool:
        """False where the id has its end already. What cannot be written down is told all the same."""
        try:
            return await stream.emit(*bodies)
        except JournalFault as fault:
            self.journal_fault(str(fault))
            stream.tell_unstored(*bodies)
            return True

    def not_stored(self, request_id: str, speaker: Speaker, *, stop: bool) -> None:
        """A request whose row could not be written: told so, not acknowledged, and never run. `stop`: but for the stop
        in it, which was asked for before anything was written."""
        traces = self.opening.traces()
        address = Address(speaker.user, speaker.channel, request_id)
        failure = _failure(self.opening.page(speaker), traces.trace_id, FailureCode.RUN_PERSISTENCE_FAILED, stop=stop)
        first = self.opening.first(request_id, traces.parse_trace_id, speaker.lang)
        done = self._without_run(diagnosis_release(Ending.STORE_FAILED, Basis.NOTHING), "store_failed")
        self.opening.stream(request_id, address).tell_unstored(first, failure, done)

    async def left_open(self, row: Row) -> None:
        """A request of an earlier life that never ended: told as failed, now, and never run again."""
        run, user, channel = str(row.run), str(row.body["user"]), row.body["channel"]
        lang: Lang = "en" if row.body["request"].get("lang") == "en" else "zh"
        speaker = Speaker(user, Role.VIEWER, channel, lang)
        traces = self.opening.traces()
        failure = _failure(
            self.opening.page(speaker), traces.trace_id, FailureCode.INTERNAL_FAILURE, text="failure.restarted"
        )
        first = self.opening.first(run, traces.parse_trace_id, lang)
        done = self._without_run(diagnosis_release(Ending.EXECUTION_FAILED, Basis.NOTHING), "agent_restarted")
        await self.opening.stream(run, Address(user, channel, run)).emit(first, failure, done)

    def _without_run(self, decided: Release, reason: str) -> Done:
        return Done(
            outcome=decided.outcome,
            fallback_type=decided.fallback,
            run_state=decided.run_state.value,
            termination=Termination(state=decided.run_state.value, reason=reason, at=self.opening.now()),
            usage=Usage(),
        )


def _failure(page: Page, trace: str, code: FailureCode, *, stop: bool = False, text: str | None = None) -> Failure:
    """Of a stop it is never said that nothing was done: the controller was asked before anything else."""
    text = "failure.stop" if stop else text or f"failure.{code.value}"
    return Failure(code=code, text=page.say(text, page.facts({"trace_id": trace})), trace_id=trace)


def _termination_row(job: Job, ended: RunTermination) -> Entry:
    """Why execution stopped, with the first error met, which is for the journal alone."""
    body = {
        "state": ended.state.value,
        "reason": ended.reason,
        "first_error": ended.first_error,
        "late": [{"state": each.state.value, "reason": each.reason} for each in ended.late],
    }
    return Entry(Kind.TERMINATION, body, job.run_id)


def _asked(told: Told) -> Release:
    """A stage that asked its own rows of the release table brings the answer; for the others it is asked here."""
    return told.happened if isinstance(told.happened, Release) else release(told.happened)
