"""The way of one request, top to bottom. No stage calls the one before it.

    accepted → heard → decided → asked back | proposed | answered | recorded | diagnosed | explained | stopped
             → released → published

A question to the operator is a release, and its answer a new request. Whatever happens on the way, exactly one
`done` ends the request; what may be shown is decided by the release table alone.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from edge_agent.desk.arrival import ReplyTo
from edge_agent.desk.intake import Taken
from edge_agent.desk.open_runs import OPERATOR_CANCEL, OpenRun, OpenRuns
from edge_agent.desk.speaker import Speaker
from edge_agent.messages.codes import Phase
from edge_agent.messages.event import Status
from edge_agent.messages.request import Ask, Cancel, Confirm, Reply, StopRequest
from edge_agent.release.policy import Basis, Ending, Release, diagnosis_release
from edge_agent.run.budget import BudgetExceeded
from edge_agent.run.journal import Duplicate, Entry, Journal, JournalFault, Kind
from edge_agent.run.lifecycle import RunAborted, RunState
from edge_agent.safety.contract import MissingSlot
from edge_agent.stages.asking_back import AskingBack
from edge_agent.stages.closing import Closing
from edge_agent.stages.hearing import Hearing, RulesUnavailable
from edge_agent.stages.job import Job, Told
from edge_agent.stages.moving import Moving
from edge_agent.stages.opening import Opening
from edge_agent.stages.serving import Serving
from edge_agent.stages.telling import Telling
from edge_agent.understand.decide import ASK_WHETHER
from edge_agent.understand.interpretation import Disposition, Interpretation
from edge_agent.understand.pending import AskAgain, HandOver, Joined, NewRequest, Withdrawn
from offline_rules.reading import Mood, Reading, StopSense


@dataclass(frozen=True, slots=True)
class Pipeline:
    hearing: Hearing
    asking_back: AskingBack
    moving: Moving
    telling: Telling
    serving: Serving
    diagnose: Callable[[Job, Interpretation], Awaitable[Told | Release]]
    journal: Journal
    runs: OpenRuns
    opening: Opening
    closing: Closing

    # -- the line ---------------------------------------------------------------------------------------------

    async def handle(self, taken: Taken) -> Release:
        """Serves one accepted request to its `done`."""
        job = self.opening.job(taken)
        self.runs.put(job.open_run)
        try:
            told: Told | Release = await self._serve(job)
        except RunAborted as aborted:
            told = self.closing.broken_off(job, aborted.state)
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
            self.runs.end(job.speaker.user, job.run_id)
        return await self.closing.finish(job, told)

    async def stopped(self, speaker: Speaker, request_id: str, reply_to: ReplyTo) -> Release:
        """A stop that came on its own topic: asked of the arm already; this tells how it ended, and where nothing can
        be written down, that it was asked."""
        try:
            taken = await self._note_stop(speaker, request_id, reply_to)
        except JournalFault as fault:
            self.closing.journal_fault(str(fault))
            taken = _stop_of(speaker, request_id, reply_to)
        return await self.handle(taken)

    async def _note_stop(self, speaker: Speaker, request_id: str, reply_to: ReplyTo) -> Taken:
        """Stopping twice harms nobody: a repeated id is told under an id of its own."""
        body = {"user": speaker.user, "channel": speaker.channel, "request": {"type": "stop", "id": request_id}}
        written = await self.journal.append(Entry(Kind.REQUEST, body, request_id, f"{speaker.user}/{request_id}"))
        if isinstance(written, Duplicate):
            return await self._note_stop(speaker, self.moving.new_prompt_id(), reply_to)
        return _stop_of(speaker, request_id, reply_to)

    async def phase_of(self, open_run: OpenRun, phase: str) -> None:
        """A phase of the command that is out, as the supervision reaches it. One that cannot be written down locks
        the cell: what cannot be recorded is not done."""
        try:
            await open_run.stream.emit(Status(phase=Phase(phase)))
        except JournalFault as fault:
            self.closing.journal_fault(str(fault))

    async def _serve(self, job: Job) -> Told | Release:
        request = job.taken.request
        if job.taken.stopped or isinstance(request, Confirm):
            self.asking_back.withdraw(job)  # a yes to an older question would move what nobody thinks of any more
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

    async def _metadata(self, job: Job, intent: str | None) -> None:
        await job.stream.emit(self.opening.first_of(job, intent))

    # -- what was said ----------------------------------------------------------------------------------------

    async def _ask(self, job: Job, text: str) -> Told | Release:
        reading = self.hearing.reading(text)
        if self._calls_off(job, reading):
            await self._metadata(job, None)
            return await self._cancel(job, None)
        return await self._decide(job, reading, await self._hear(job, reading))

    async def _hear(self, job: Job, reading: Reading) -> Interpretation:
        """The first word goes out before the model is asked: nobody waits in silence."""
        await job.stream.emit(self.opening.first_of(job), Status(phase=Phase.UNDERSTANDING))
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
        """取消, 算了, cancel: said of something of this user's that is open. What may be a stop is asked about."""
        if reading.mood is not Mood.CANCEL or reading.stop in (StopSense.STOP, StopSense.IN_DOUBT):
            return False
        return self._open_prompt(job) or any(r.run is not job.run for r in self.runs.of(job.speaker.user))

    def _takes_back(self, job: Job, prompt_id: str, text: str) -> bool:
        """The same words, said as the answer to this user's open confirmation; what may be a stop, too."""
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
            Disposition.CLARIFY: lambda: self._ask_back(job, reading, heard, round_no),
            Disposition.REFUSE: lambda: self.telling.refuse(job, heard),
            Disposition.EXPLAIN: lambda: self.telling.explain(job, heard),
        }
        return await stages[heard.disposition]()

    async def _ask_back(self, job: Job, reading: Reading, heard: Interpretation, round_no: int) -> Told:
        """Nobody is asked whether they mean what is refused whatever they answer."""
        refused = self.moving.refused_outright(job, heard) if heard.reason == ASK_WHETHER else None
        return refused if refused is not None else await self.asking_back.ask(job, reading, heard, round_no)

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
        """What is on the arm is stopped, whatever else is open; what is not yet stored is called off."""
        others = [r for r in self.runs.of(job.speaker.user, run_id) if r.run is not job.run]
        if any(r.on_the_arm for r in others):
            self.moving.supervisor.request_stop(job.speaker.user)
            return await self.moving.stop(job)
        for each in others:
            each.run.cancel(OPERATOR_CANCEL)
        if run_id is not None and others:
            return self.telling.cancelled(job)
        asked, shown = self.asking_back.withdraw(job), await self.moving.withdraw(job)
        return self.telling.cancelled(job) if others or asked or shown else self.telling.nothing_to_cancel(job)


def _stop_of(speaker: Speaker, request_id: str, reply_to: ReplyTo) -> Taken:
    return Taken(StopRequest(v=1, id=request_id), request_id, speaker, reply_to, stopped=True)
