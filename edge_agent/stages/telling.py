"""What a sentence that moves nothing comes to: an answer, a record, a refusal, a word of explanation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, assert_never

from edge_agent.messages.codes import ErrorCode, Phase, RetryDecision
from edge_agent.messages.content import Content
from edge_agent.messages.wire import Scalar
from edge_agent.release.answers import answer, ask_a_person, done_ack, explanation, no_entry, record
from edge_agent.release.explanations import NEEDS_MODEL
from edge_agent.release.policy import Happened
from edge_agent.release.rejections import rejection
from edge_agent.safety.permission import Operation
from edge_agent.stages.job import Job, Told
from edge_agent.tools.boundary import Boundary
from edge_agent.tools.degrade import AskPerson, Broken, Empty, FromCopy, Live, Refused, query_end
from edge_agent.tools.evidence import evidence_of, scalars
from edge_agent.tools.ports import RuleCopy
from edge_agent.tools.result import FailedAttempt, ToolResult
from edge_agent.tools.tool import Caller, ToolName
from edge_agent.understand.decide import RESET_IS_LOCAL
from edge_agent.understand.interpretation import Interpretation
from edge_agent.understand.mood import reason as mood_reason
from offline_rules.reading import Intent, Mood

SAID_OTHERWISE = frozenset(Mood) - {Mood.IMPERATIVE, Mood.STATEMENT, Mood.QUESTION, Mood.CANCEL}
"""A wish in one of these moods is told as what it was (deferred, quoted, conditional, …), never as not understood."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query as the tools know it: which, with what, and the name of its text."""

    tool: ToolName
    args: Mapping[str, Any]
    what: str


class RunBroken(Exception):
    """A query that failed for the run's own reasons: spent, ended, or its record not kept. The code says which."""


@dataclass(frozen=True, slots=True)
class Telling:
    boundary: Boundary
    copy: RuleCopy
    only_device: str | None
    """The device meant where none is named; None where the cell has several."""

    async def answer(self, job: Job, heard: Interpretation) -> Told:
        asked = self._question(heard)
        await job.phase(Phase.QUERYING)
        result = await self.boundary.call(job.run, _caller(job), asked.tool, asked.args, heard=_told_of_retries(job))
        job.run.check_active()
        job.evidence.append(evidence_of(result))
        match query_end(result, asked.args, self.copy):
            case Live():
                return self._found(job, asked, result)
            case FromCopy(data=data, age_s=age_s):
                return await self._from_copy(job, asked, data, age_s)
            case Empty():
                return self._empty(job, asked)
            case AskPerson():
                return self._ask_person(job, asked, result)
            case Refused():
                return self._refused(job, asked, result)
            case Broken():
                raise RunBroken(str(result.code))
            case never:
                assert_never(never)

    async def record(self, job: Job, heard: Interpretation) -> Told:
        """Once, however often it is sent: the row's key is the request's id."""
        said = heard.slot("text")
        task = heard.slot("task_id")
        args = {
            "request_id": job.run_id,
            "task_id": task.value if task else "",
            "text": said.value if said else heard.text,
        }
        await job.phase(Phase.RECORDING)
        result = await self.boundary.call(job.run, _caller(job), ToolName.FEEDBACK, args, heard=_told_of_retries(job))
        job.run.check_active()
        job.evidence.append(evidence_of(result))
        if not result.ok:
            return self._not_recorded(job, result)
        content = record(
            job.page,
            job.traces,
            record_id=str(result.data.get("record_id", result.record or "")),
            data={"task_id": args["task_id"], "feedback": args["text"]},
            repeated=bool(result.data.get("repeated", False)),
            model_down=job.model_down,
            source=job.source,
            reason=job.reason,
        )
        return Told(content, Happened.RECORDED)

    async def explain(self, job: Job, heard: Interpretation) -> Told:
        action = heard.slot("action")
        by_mood = mood_reason(heard.mood) if heard.mood in SAID_OTHERWISE else None
        told_as = "suspicious" if heard.suspicious is not None else by_mood
        content = explanation(
            job.page,
            job.traces,
            reason=heard.reason,
            facts={"action": action.value if action else None},
            told_as=told_as,
            source=job.source,
            model_down=job.model_down and heard.reason != NEEDS_MODEL,
        )
        happened = Happened.CONTROL_WITHOUT_MODEL if heard.reason == NEEDS_MODEL else Happened.EXPLAINED
        return Told(content, happened)

    async def refuse(self, job: Job, heard: Interpretation) -> Told:
        first = heard.refused[0] if heard.refused else None
        decision = RetryDecision.NON_RETRYABLE
        content = rejection(
            job.page,
            job.traces,
            reason=heard.reason,
            code=None if heard.reason == RESET_IS_LOCAL else ErrorCode.INPUT_INVALID,
            facts={"slot": first.name, "value": first.value} if first else {},
            retry_decision=decision,
        )
        return Told(content, Happened.REFUSED)

    def cancelled(self, job: Job) -> Told:
        return Told(done_ack(job.page, job.traces, what="cancel"), Happened.SERVED)

    def nothing_to_cancel(self, job: Job) -> Told:
        return Told(rejection(job.page, job.traces, reason="nothing_to_cancel"), Happened.REFUSED)

    def handed_over(self, job: Job) -> Told:
        return Told(explanation(job.page, job.traces, reason="rounds_used", source=job.source), Happened.EXPLAINED)

    # -- queries ----------------------------------------------------------------------------------------------

    def _question(self, heard: Interpretation) -> Question:
        said: dict[str, str] = {s.name: s.value for s in heard.slots}
        if heard.intent is Intent.QUERY_RULE:
            return Question(ToolName.SORTING_RULES, {"item_type": said["item_type"]}, "rule")
        if "task_id" in said:
            return Question(ToolName.TASK_STATUS, {"task_id": said["task_id"]}, "task")
        if "alarms" in said:
            return Question(ToolName.ALARM_HISTORY, {"active_only": True}, "alarms")
        device = said.get("device", self.only_device)
        return Question(ToolName.ARM_STATUS, {} if device is None else {"device": device}, "device")

    def _found(self, job: Job, asked: Question, result: ToolResult) -> Told:
        rows = [scalars(row) for row in result.data.get("alarms", ())] if asked.what == "alarms" else ()
        content = answer(
            job.page,
            job.traces,
            what=asked.what,
            data=scalars(result.data),
            rows=rows,
            attempt=result.attempt,
            model_down=job.model_down,
            hits=result.hits,
            source=job.source,
            reason=job.reason,
        )
        return Told(content, Happened.ANSWERED_LIVE)

    def _refused(self, job: Job, asked: Question, result: ToolResult) -> Told:
        """Refused by the tool: never tried again, never answered from anywhere else."""
        reason = "tool_permission_denied" if result.code is ErrorCode.PERMISSION_DENIED else "input_invalid"
        slot = next(iter(asked.args), None)
        content = rejection(
            job.page,
            job.traces,
            reason=reason,
            code=result.code,
            facts={"what": result.tool_name, "slot": slot},
            retry_decision=result.decision,
        )
        return Told(content, Happened.REFUSED)

    async def _from_copy(self, job: Job, asked: Question, data: Mapping[str, Any], age_s: float) -> Told:
        await job.phase(Phase.DEGRADING)
        content = answer(
            job.page,
            job.traces,
            what=asked.what,
            data=scalars(data),
            age_s=age_s,
            model_down=job.model_down,
            source=job.source,
            reason=job.reason,
        )
        return Told(content, Happened.ANSWERED_FROM_COPY)

    def _empty(self, job: Job, asked: Question) -> Told:
        """No alarm is good news, not a lack of evidence."""
        known: dict[str, Scalar] = scalars(asked.args)
        if asked.what == "alarms":
            content: Content = answer(
                job.page, job.traces, what="no_alarms", data={}, model_down=job.model_down, hits=0, source=job.source
            )
            return Told(content, Happened.ANSWERED_LIVE)
        content = no_entry(
            job.page, job.traces, what=asked.what, data=known, model_down=job.model_down, source=job.source
        )
        return Told(content, Happened.NOTHING_FOUND)

    def _ask_person(self, job: Job, asked: Question, result: ToolResult) -> Told:
        content = ask_a_person(
            job.page,
            job.traces,
            what=asked.what,
            data=scalars(asked.args),
            code=str(result.code),
            attempts=result.attempt,
            model_down=job.model_down,
            source=job.source,
        )
        return Told(content, Happened.QUERY_FAILED)

    def _not_recorded(self, job: Job, result: ToolResult) -> Told:
        """Denied by the role of who asks, or by the store behind it: each is told as what it is."""
        denied = result.code is ErrorCode.PERMISSION_DENIED
        needed = job.page.audience.needed_for(Operation.RECORD) if denied else None
        by_role = {} if needed is None else {"needed": needed}
        reason = "record_permission_denied" if by_role else "tool_permission_denied" if denied else "record_failed"
        content = rejection(
            job.page,
            job.traces,
            reason=reason,
            code=result.code,
            facts={"what": result.tool_name, **by_role},
            retry_decision=result.decision,
        )
        return Told(content, Happened.REFUSED if denied else Happened.RECORD_FAILED)


def _caller(job: Job) -> Caller:
    return Caller(job.speaker.user, job.speaker.role)


def _told_of_retries(job: Job) -> Any:
    async def heard(failed: FailedAttempt) -> None:
        await job.phase(Phase.RETRYING, attempt=failed.attempt + 1)

    return heard
