"""A question after a cause: looked into, guarded, and told as far as the records carry it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

from edge_agent.diagnose.diagnosis import Diagnosis, DiagnosisEnd, Site
from edge_agent.diagnose.diagnosis import Stage as Look
from edge_agent.diagnose.evidence_gate import Observation
from edge_agent.diagnose.previous_turn import PreviousTurn, PreviousTurns, completed
from edge_agent.diagnose.target import Target
from edge_agent.diagnose.thinker import Style
from edge_agent.diagnose.window_words import window_of
from edge_agent.messages.codes import Lang, Phase
from edge_agent.messages.content import Clause, Fact
from edge_agent.release.policy import Ending, Release, diagnosis_release
from edge_agent.release.reports import diagnosis
from edge_agent.run.lifecycle import RunAborted, RunState
from edge_agent.stages.job import Job, Told
from edge_agent.tools.evidence import evidence_of
from edge_agent.tools.tool import Caller
from edge_agent.understand.interpretation import Interpretation

BUG = "inside.unrecognised_exception"
"""The fault that strikes here."""


@dataclass(frozen=True, slots=True)
class Diagnosing:
    site: Site
    now: Callable[[], datetime]
    monotonic_s: Callable[[], float]
    turns: PreviousTurns = field(default_factory=PreviousTurns)
    style: Callable[[], Style] = lambda: "labels"
    fires: Callable[[str], bool] = lambda _fault: False

    async def diagnose(self, job: Job, heard: Interpretation) -> Told | Release:
        target = self._target(job, heard)
        caller = Caller(job.speaker.user, job.speaker.role)
        site = replace(self.site, style=self.style())
        looking = Diagnosis(
            site, job.run, caller, target, job.speaker.lang, on_stage=_phases(job), on_look=self._looked
        )
        try:
            end = await looking.run()
        except RunAborted as aborted:
            if aborted.state is not RunState.TIMED_OUT:
                raise
            end = looking.ended(Ending.DEADLINE)
        return self._told(job, target, end)

    async def _looked(self, seen: Observation) -> None:
        """Where a bug of ours would break out of the loop, once something was found."""
        if seen.gain == "GAINED" and self.fires(BUG):
            raise LookupError(BUG)

    def _target(self, job: Job, heard: Interpretation) -> Target:
        """What was said, completed from the last published conclusion where it names nothing of its own."""
        said: dict[str, str] = {s.name: s.value for s in heard.slots}
        moment = self.now().astimezone()
        offset = moment.utcoffset()
        offset_s = int(offset.total_seconds()) if offset is not None else 0
        window = window_of(said.get("window", heard.text), int(moment.timestamp() * 1000), offset_s)
        since_ms, until_ms = window or (0, 0)
        target = Target(
            question=heard.text,
            task_id=said.get("task_id"),
            device=said.get("device"),
            item_type=said.get("item_type"),
            since_ms=since_ms,
            until_ms=until_ms,
        )
        return completed(target, self.turns.of(job.speaker.key, self.monotonic_s()))

    def _told(self, job: Job, target: Target, end: DiagnosisEnd) -> Told | Release:
        decided = diagnosis_release(end.ending, end.basis, context_missing=end.missing is not None)
        job.evidence.extend(evidence_of(result) for result in end.results)
        job.stop_reason = end.stop_reason
        turn = _turn(job, target, end)
        self.turns.ended(job.speaker.key, decided.outcome, turn, self.monotonic_s())
        if decided.failure is not None:
            return decided
        lang, table = job.speaker.lang, self.site.table
        steps = [table.steps[step] for step in end.next_steps if step in table.steps]
        content = diagnosis(
            job.page,
            job.traces,
            fallback=decided.fallback,
            cause=end.cause.id if end.cause else None,
            cause_text=_in(lang, end.cause.zh, end.cause.en) if end.cause else None,
            clauses=[Clause(text=c.text, evidence=c.evidence) for c in end.clauses],
            facts=[Fact(text=f.text, record=f.record) for f in end.snapshot.facts],
            checked=end.snapshot.checked,
            limits=end.snapshot.limits,
            steps=[(_in(lang, s.zh, s.en), _in(lang, s.example_zh, s.example_en) or None) for s in steps],
            suggested=end.snapshot.suggested,
            stop_reason=end.stop_reason.value if end.stop_reason else None,
            timed_out=end.ending is Ending.DEADLINE,
            missing=end.missing,
            reason=end.reason,
        )
        return Told(content, decided)


def _phases(job: Job) -> Callable[[Look], Awaitable[None]]:
    async def on_stage(stage: Look) -> None:
        await job.phase(Phase(stage))

    return on_stage


def _turn(job: Job, target: Target, end: DiagnosisEnd) -> PreviousTurn | None:
    if end.cause is None:
        return None
    records = tuple(dict.fromkeys(record for clause in end.clauses for record in clause.evidence))
    return PreviousTurn(job.run_id, target.task_id, target.device, target.item_type, end.cause.id, records)


def _in(lang: Lang, zh: str, en: str) -> str:
    return zh if lang == "zh" else en
