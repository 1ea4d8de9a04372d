"""The way of one request, top to bottom. No stage calls the one before it.

    accepted → heard → decided → asked back | proposed | answered | recorded | diagnosed | explained | stopped
             → released → published

A question to the operator is a release, and its answer a new request. Whatever happens on the way, exactly one
`done` ends the request; what may be shown is decided by the release table alone.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from edge_agent.desk.intake import Refused, Taken
from edge_agent.desk.open_runs import CLIENT_GONE, OpenRun, OpenRuns
from edge_agent.desk.speaker import Speaker
from edge_agent.desk.stream import Address, Publisher, Stream
from edge_agent.messages.codes import FailureCode, Lang, Phase
from edge_agent.messages.event import Body, Done, Failure, Metadata, Status, Termination, Usage
from edge_agent.messages.rejection import RejectionName
from edge_agent.messages.request import Ask, Cancel, Confirm, Reply, StopRequest
from edge_agent.release.page import Page, Traces
from edge_agent.release.policy import Basis, Ending, Happened, Release, diagnosis_release, release
from edge_agent.release.rejections import rejection
from edge_agent.run.budget import BudgetExceeded, BudgetLimits
from edge_agent.run.context import Run, RunIds
from edge_agent.run.ids import ParseTraceId, RunId, TraceId
from edge_agent.run.journal import Duplicate, Entry, Journal, JournalFault, Kind, Row
from edge_agent.run.lifecycle import RunAborted, RunState, RunTermination
from edge_agent.safety.contract import MissingSlot
from edge_agent.safety.permission import Role
from edge_agent.stages.asking_back import AskingBack
from edge_agent.stages.hearing import Hearing, RulesUnavailable
from edge_agent.stages.job import Job, Told
from edge_agent.stages.moving import Moving
from edge_agent.stages.serving import Serving
from edge_agent.stages.telling import Telling
from edge_agent.understand.interpretation import Disposition, Interpretation
from edge_agent.understand.pending import AskAgain, HandOver, Joined, NewRequest, Withdrawn
from offline_rules.reading import Mood, Reading, StopSense


@dataclass(frozen=True, slots=True)
class Deadlines:
    run_s: float
    motion_s: float
    """Of a confirmation's run: the command's longest duration and a margin."""


@dataclass(frozen=True, slots=True)
class About:
    """What every stream says of the agent itself."""

    agent: str
    rules_version: str
    model: Callable[[], str | None]


@dataclass(slots=True)
class Pipeline:
    hearing: Hearing
    asking_back: AskingBack
    moving: Moving
    telling: Telling
    serving: Serving
    diagnose: Callable[[Job, Interpretation], Awaitable[Told | Release]]
    journal: Journal
    publisher: Publisher
    runs: OpenRuns
    page: Callable[[Speaker], Page]
    deadlines: Deadlines
    limits: Callable[[], BudgetLimits]
    about: About
    monotonic_s: Callable[[], float]
    now: Callable[[], datetime]
    entropy: Callable[[int], bytes]
    on_ended: Callable[[Job, Release], None] = lambda _job, _release: None

    # -- the line ---------------------------------------------------------------------------------------------

    async def handle(self, taken: Taken) -> Release:
        """Serves one accepted request to its `done`."""
        job = self._open(taken)
        self.runs.put(job.open_run)
        try:
            told: Told | Release = await self._serve(job)
        except RunAborted as aborted:
            told = self._broken_off(job, aborted.state)
        except BudgetExceeded:
            told = diagnosis_release(Ending.STOPPED_BY_BUDGET, Basis.NOTHING)
        except RulesUnavailable as error:
            job.run.end(RunState.FAILED, "rules_unavailable", str(error))
            told = diagnosis_release(Ending.ROUTING_UNAVAILABLE, Basis.NOTHING)
        except JournalFault as fault:
            job.run.end(RunState.FAILED, "store_failed", str(fault))
            told = diagnosis_release(Ending.STORE_FAILED, Basis.NOTHING)
        except Exception as error:  # noqa: BLE001 - the run's failure exit: nobody is left without a word
            job.run.end(RunState.FAILED, "internal_failure", repr(error))
            told = diagnosis_release(Ending.EXECUTION_FAILED, Basis.NOTHING)
        finally:
            self.runs.end(job.run_id)
        return await self._finish(job, told)

    async def stopped(self, speaker: Speaker, request_id: str, response_topic: str | None) -> Release:
        """A stop that came on its own topic: asked of the arm already; this tells how it ended."""
        taken = await self._note_stop(speaker, request_id, response_topic)
        return await self.handle(taken)

    async def _note_stop(self, speaker: Speaker, request_id: str, response_topic: str | None) -> Taken:
        """Stopping twice harms nobody: a repeated id is told under an id of its own."""
        body = {"user": speaker.user, "channel": speaker.channel, "request": {"type": "stop", "id": request_id}}
        written = await self.journal.append(Entry(Kind.REQUEST, body, request_id, f"{speaker.user}/{request_id}"))
        if isinstance(written, Duplicate):
            return await self._note_stop(speaker, self.moving.new_prompt_id(), response_topic)
        return Taken(StopRequest(v=1, id=request_id), request_id, speaker, response_topic, stopped=True)

    async def phase_of(self, open_run: OpenRun, phase: str) -> None:
        """A phase of the command that is out, as the supervision reaches it."""
        await open_run.stream.emit(Status(phase=Phase(phase)))

    async def close_left_open(self, row: Row) -> None:
        """A request of an earlier life that never ended: told as failed, now, and never run again."""
        request, user = row.body["request"], str(row.body["user"])
        lang: Lang = "en" if request.get("lang") == "en" else "zh"
        speaker = Speaker(user, Role.VIEWER, row.body["channel"], lang)
        address = Address(user, speaker.channel, str(row.run))
        trace = self.entropy(8).hex()
        stream = Stream(RunId(str(row.run)), address, journal=self.journal, publisher=self.publisher, now=self.now)
        decided = diagnosis_release(Ending.EXECUTION_FAILED, Basis.NOTHING)
        page = self.page(speaker)
        failure = Failure(
            code=FailureCode.INTERNAL_FAILURE,
            text=page.say("failure.INTERNAL_FAILURE", page.facts({"trace_id": trace})),
            trace_id=trace,
        )
        done = Done(
            outcome=decided.outcome,
            run_state=decided.run_state.value,
            termination=Termination(state=decided.run_state.value, reason="agent_restarted", at=self.now()),
            usage=Usage(),
        )
        await stream.emit(self._first(str(row.run), f"p-{trace}", None, lang), failure, done)

    async def _serve(self, job: Job) -> Told | Release:
        request = job.taken.request
        if job.taken.stopped:
            await self._metadata(job, "STOP")
            return await self.moving.stop(job)
        match request:
            case Ask(text=text):
                return await self._ask(job, text)
            case Reply(text=text, prompt_id=prompt_id):
                return await self._reply(job, prompt_id, text)
            case Confirm():
                await self._metadata(job, "CONTROL_DEVICE")
                return await self.moving.answer(job, request)
            case Cancel(run=run_id):
                await self._metadata(job, None)
                return await self._cancel(job, run_id)
            case StopRequest():
                raise TypeError("a stop is served before this")
            case _:
                await self._metadata(job, None)
                return await self.serving.serve(job, request)

    # -- what was said ----------------------------------------------------------------------------------------

    async def _ask(self, job: Job, text: str) -> Told | Release:
        reading = self.hearing.reading(text)
        if self._calls_off(job, reading):
            await self._metadata(job, None)
            return await self._cancel(job, None)
        return await self._decide(job, reading, await self._hear(job, reading))

    async def _hear(self, job: Job, reading: Reading) -> Interpretation:
        """The first word goes out before the model is asked: nobody waits in silence."""
        first = self._first(job.run_id, job.run.ids.parse_trace, None, job.speaker.lang)
        await job.stream.emit(first, Status(phase=Phase.UNDERSTANDING))
        return await self.hearing.interpret(job, reading)

    async def _reply(self, job: Job, prompt_id: str, text: str) -> Told | Release:
        if self._takes_back(job, prompt_id, text):
            await self._metadata(job, None)
            return await self._cancel(job, None)
        heard = self.asking_back.hear(job, prompt_id, text)
        if not isinstance(heard, NewRequest):
            await self._metadata(job, None)
        match heard:
            case Told():
                return heard
            case Joined(reading=reading, scores=scores, round=round_no):
                settled = self.hearing.settle(job, reading, scores)
                return await self._decide(job, reading, settled, round_no)
            case NewRequest():
                reading = self.hearing.reading(text)
                return await self._decide(job, reading, await self._hear(job, reading))
            case Withdrawn():
                return self.telling.cancelled(job)
            case AskAgain(pending=pending):
                again = self.hearing.reading(pending.reading.original)
                asked = await self.hearing.interpret(job, again)
                return await self.asking_back.put(job, pending, replace(asked, reason="answer_not_understood"))
            case HandOver():
                return self.telling.handed_over(job)
            case _:
                raise AssertionError(f"a reply that is none of these: {heard!r}")

    def _calls_off(self, job: Job, reading: Reading) -> bool:
        """取消, 算了, cancel: said of something of this user's that is open."""
        if reading.mood is not Mood.CANCEL or reading.stop is StopSense.STOP:
            return False
        return self._open_prompt(job) or any(r.run is not job.run for r in self.runs.of(job.speaker.user))

    def _takes_back(self, job: Job, prompt_id: str, text: str) -> bool:
        """The same words, said as the answer to this user's open confirmation."""
        prompt = self.moving.supervisor.prompts.open
        if prompt is None or (prompt.user, prompt.prompt_id) != (job.speaker.user, prompt_id):
            return False
        reading = self.hearing.reading(text)
        return reading.mood is Mood.CANCEL and reading.stop is not StopSense.STOP

    def _open_prompt(self, job: Job) -> bool:
        prompt = self.moving.supervisor.prompts.open
        own = prompt is not None and prompt.user == job.speaker.user
        return own or self.asking_back.open_for(job) is not None

    async def _decide(self, job: Job, reading: Reading, heard: Interpretation, round_no: int = 1) -> Told | Release:
        job.reading = heard
        stages: Mapping[Disposition, Callable[[], Awaitable[Told | Release]]] = {
            Disposition.ANSWER: lambda: self.telling.answer(job, heard),
            Disposition.RECORD: lambda: self.telling.record(job, heard),
            Disposition.DIAGNOSE: lambda: self.diagnose(job, heard),
            Disposition.PROPOSE_MOTION: lambda: self._propose(job, reading, heard, round_no),
            Disposition.STOP: lambda: self._stop(job),
            Disposition.CLARIFY: lambda: self.asking_back.ask(job, reading, heard, round_no),
            Disposition.REFUSE: lambda: self.telling.refuse(job, heard),
            Disposition.EXPLAIN: lambda: self.telling.explain(job, heard),
        }
        return await stages[heard.disposition]()

    async def _propose(self, job: Job, reading: Reading, heard: Interpretation, round_no: int) -> Told:
        proposed = await self.moving.propose(job, heard)
        if not isinstance(proposed, MissingSlot):
            return proposed
        lacking = replace(heard, disposition=Disposition.CLARIFY, reason="missing_slot", missing=proposed.name)
        return await self.asking_back.ask(job, reading, lacking, round_no)

    async def _stop(self, job: Job) -> Told:
        """Chosen by number from a question: the one stop that was not heard on arrival."""
        self.moving.supervisor.request_stop(job.speaker.user)
        return await self.moving.stop(job)

    async def _cancel(self, job: Job, run_id: str | None) -> Told:
        """What is not yet stored is called off; what is on the arm is stopped."""
        if self.asking_back.withdraw(job) or await self.moving.withdraw(job):
            return self.telling.cancelled(job)
        others = [r for r in self.runs.of(job.speaker.user, run_id) if r.run is not job.run]
        if any(r.on_the_arm for r in others):
            self.moving.supervisor.request_stop(job.speaker.user)
            return await self.moving.stop(job)
        for each in others:
            each.run.cancel("operator_cancel")
        return self.telling.cancelled(job) if others else self.telling.nothing_to_cancel(job)

    # -- the ends ---------------------------------------------------------------------------------------------

    def _broken_off(self, job: Job, state: RunState) -> Release:
        ending = {
            RunState.TIMED_OUT: Ending.DEADLINE,
            RunState.BUDGET_EXHAUSTED: Ending.STOPPED_BY_BUDGET,
            RunState.CANCELLED: Ending.OPERATOR_CANCELLED,
            RunState.FAILED: Ending.STORE_FAILED,
            RunState.SUCCESS: Ending.EXECUTION_FAILED,
            RunState.RUNNING: Ending.EXECUTION_FAILED,
        }[state]
        gone = job.run.lifecycle.termination
        if ending is Ending.OPERATOR_CANCELLED and gone is not None and gone.reason == CLIENT_GONE:
            ending = Ending.CLIENT_GONE
        return diagnosis_release(ending, Basis.NOTHING)

    async def _finish(self, job: Job, told: Told | Release) -> Release:
        """Nothing is published for a run that ended meanwhile; the first end is the one that is told."""
        decided = _decided(told)
        if isinstance(told, Told) and job.run.state is RunState.RUNNING:
            decided = self._still_wanted(job, decided)
        if job.run.state is not RunState.RUNNING and decided.run_state is not job.run.state:
            decided = self._broken_off(job, job.run.state)
        job.run.end(decided.run_state, decided.outcome.value)
        bodies = [*self._shown(job, told, decided), self._done(job, decided)]
        try:
            await self._first_word(job)
            job.stream.silent = job.stream.silent or decided.silent
            await job.stream.emit(*bodies)
        except JournalFault as fault:
            decided = diagnosis_release(Ending.STORE_FAILED, Basis.NOTHING)
            self.moving.supervisor.journal_fault(str(fault))
            first = self._first(job.run_id, job.run.ids.parse_trace, None, job.speaker.lang)
            failure = self._failure(job, FailureCode.RUN_PERSISTENCE_FAILED)
            job.stream.tell_unstored(first, failure, self._done(job, decided))
        self.on_ended(job, decided)
        return decided

    def not_stored(self, request_id: str, speaker: Speaker) -> None:
        """A request whose row could not be written: told so, not acknowledged, and never run."""
        trace = self.entropy(8).hex()
        address = Address(speaker.user, speaker.channel, request_id)
        stream = Stream(RunId(request_id), address, journal=self.journal, publisher=self.publisher, now=self.now)
        page, decided = self.page(speaker), diagnosis_release(Ending.STORE_FAILED, Basis.NOTHING)
        failure = Failure(
            code=FailureCode.RUN_PERSISTENCE_FAILED,
            text=page.say("failure.RUN_PERSISTENCE_FAILED", page.facts({"trace_id": trace})),
            trace_id=trace,
        )
        ended = Termination(state=decided.run_state.value, reason="store_failed", at=self.now())
        done = Done(outcome=decided.outcome, run_state=decided.run_state.value, termination=ended, usage=Usage())
        stream.tell_unstored(self._first(request_id, f"p-{trace}", None, speaker.lang), failure, done)

    def _still_wanted(self, job: Job, decided: Release) -> Release:
        """A late result of a cancelled or overdue run is not published. What the arm did always is."""
        if job.open_run.on_the_arm:
            return decided
        try:
            job.run.check_active()
        except RunAborted as aborted:
            return self._broken_off(job, aborted.state)
        return decided

    def _shown(self, job: Job, told: Told | Release, decided: Release) -> list[Body]:
        if job.stream.released:
            return []
        if decided.failure is not None:
            return [self._failure(job, decided.failure)]
        if isinstance(told, Told):
            return [told.content]
        return []

    def _failure(self, job: Job, code: FailureCode) -> Failure:
        return Failure(
            code=code,
            text=job.page.say(f"failure.{code.value}", job.page.facts({"trace_id": job.run.ids.trace})),
            trace_id=job.run.ids.trace,
        )

    def _done(self, job: Job, decided: Release) -> Done:
        ended = job.run.lifecycle.termination
        assert ended is not None, "the run was ended a line before"
        return Done(
            outcome=decided.outcome,
            fallback_type=decided.fallback,
            run_state=ended.state.value,
            stop_reason=job.stop_reason.value if job.stop_reason else None,
            termination=self._termination(ended),
            usage=Usage.model_validate(job.run.usage().as_dict()),
        )

    def _termination(self, ended: RunTermination) -> Termination:
        return Termination(
            state=ended.state.value,
            reason=ended.reason,
            at=self.now(),
            late=tuple(each.state.value for each in ended.late),
        )

    # -- opening ----------------------------------------------------------------------------------------------

    def _open(self, taken: Taken) -> Job:
        ids = RunIds(
            RunId(taken.request_id), TraceId(self.entropy(8).hex()), ParseTraceId(f"p-{self.entropy(8).hex()}")
        )
        limit_s = self.deadlines.motion_s if isinstance(taken.request, Confirm) else self.deadlines.run_s
        run = Run(ids, self.limits(), self.monotonic_s() + limit_s, self.monotonic_s)
        address = Address(taken.speaker.user, taken.speaker.channel, ids.run, taken.response_topic)
        stream = Stream(ids.run, address, journal=self.journal, publisher=self.publisher, now=self.now)
        return Job(taken, OpenRun(run, taken.speaker, stream), self.page(taken.speaker))

    async def _metadata(self, job: Job, intent: str | None) -> None:
        await job.stream.emit(self._first(job.run_id, job.run.ids.parse_trace, intent, job.speaker.lang))

    def _first(self, run: str, parse_trace: str, intent: str | None, lang: Lang) -> Metadata:
        return Metadata(
            request_id=run,
            parse_trace_id=parse_trace,
            intent=intent,
            lang=lang,
            agent=self.about.agent,
            model=self.about.model(),
            rules_version=self.about.rules_version,
        )

    async def _first_word(self, job: Job) -> None:
        """A run that broke off before its first event still begins with one."""
        if not job.stream.begun:
            await self._metadata(job, None)

    # -- refusals ---------------------------------------------------------------------------------------------

    async def refuse(self, refused: Refused, speaker: Speaker) -> None:
        """Answers what was not accepted. Where no id can be read, or the id has a stream already, it goes to `-`."""
        if not refused.told:
            return
        said = refused.rejection
        known = said.readable_id and said.name is not RejectionName.DUPLICATE
        address = Address(speaker.user, speaker.channel, said.key if known else "-", refused.response_topic)
        stream = Stream(RunId(said.key), address, journal=self.journal, publisher=self.publisher, now=self.now)
        trace, parse_trace = self.entropy(8).hex(), f"p-{self.entropy(8).hex()}"
        content = rejection(
            self.page(speaker),
            Traces(trace, parse_trace),
            reason=said.name.value,
            code=said.error_code,
            facts={"why": said.detail},
            first_run=said.key if said.name is RejectionName.DUPLICATE else None,
            first_state=refused.first_state,
        )
        decided = release(Happened.REFUSED)
        ended = Termination(state=decided.run_state.value, reason="refused", at=self.now())
        done = Done(
            outcome=decided.outcome,
            fallback_type=decided.fallback,
            run_state=decided.run_state.value,
            termination=ended,
            usage=Usage(),
        )
        await stream.emit(self._first(said.key, parse_trace, None, speaker.lang), content, done)


def _decided(told: Told | Release) -> Release:
    """A stage that asked its own rows of the release table brings the answer; for the others it is asked here."""
    if isinstance(told, Release):
        return told
    return told.happened if isinstance(told.happened, Release) else release(told.happened)
