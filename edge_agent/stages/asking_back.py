"""One pending question a person: put it, remember it, and make a reading of what was answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from edge_agent.desk.speaker import Speaker
from edge_agent.messages.content import Content
from edge_agent.release.answers import explanation
from edge_agent.release.policy import Happened
from edge_agent.release.prompts import Wish, clarification
from edge_agent.release.rejections import rejection
from edge_agent.run.journal import Entry, Journal, Kind
from edge_agent.stages.job import Job, Told
from edge_agent.understand.interpretation import Interpretation
from edge_agent.understand.pending import (
    EXPIRES_IN_S,
    Answered,
    Expired,
    Pending,
    PendingQuestions,
    answer,
    question,
)
from offline_rules.reading import Intent, Reading


@dataclass(slots=True)
class AskingBack:
    read: Callable[[str], Reading]
    journal: Journal
    new_prompt_id: Callable[[], str]
    monotonic_s: Callable[[], float]
    pending: PendingQuestions = field(default_factory=PendingQuestions)
    _ids: dict[tuple[str, str], str] = field(default_factory=dict)

    async def ask(self, job: Job, reading: Reading, asked: Interpretation, round_no: int = 1) -> Told:
        """Puts the question of a `CLARIFY`; after two rounds a person is due, and what works without understanding."""
        pending = question(reading, asked, now_s=self.monotonic_s(), round_no=round_no)
        if pending is None:
            return Told(explanation(job.page, job.traces, reason="rounds_used", source=job.source), Happened.EXPLAINED)
        return await self.put(job, pending, asked)

    async def put(self, job: Job, pending: Pending, asked: Interpretation) -> Told:
        prompt_id = self.new_prompt_id()
        content = clarification(
            job.page,
            job.traces,
            reason=asked.reason,
            prompt_id=prompt_id,
            expires_in_s=EXPIRES_IN_S,
            candidates=asked.candidates,
            missing=asked.missing,
            intent=asked.intent.value,
            values=_values(asked),
            wish=_wish(asked),
            scores=asked.evidence,
            round_=pending.round,
        )
        shown = tuple(Intent(c.intent) for c in content.candidates)
        key = job.speaker.key
        self.pending.ask(key, _with_options(pending, shown))
        self._ids[key] = prompt_id
        body = {"prompt_id": prompt_id, "user": job.speaker.user, "kind": "clarification", "round": pending.round}
        await self.journal.append(Entry(Kind.PROMPT, body, job.run_id))
        return Told(content, Happened.CLARIFICATION)

    def open_for(self, job: Job) -> Pending | None:
        return self.pending.of(job.speaker.key)

    def open_id(self, speaker: Speaker) -> str | None:
        """The question this person can answer now, by its prompt."""
        return self._ids.get(speaker.key) if self.pending.of(speaker.key) is not None else None

    def withdraw(self, job: Job) -> bool:
        self._ids.pop(job.speaker.key, None)
        return self.pending.take(job.speaker.key) is not None

    def hear(self, job: Job, prompt_id: str, text: str) -> Answered | Told:
        """What `text` makes of the open question; a rejection where the question is not this one, or is over."""
        key = job.speaker.key
        pending = self.pending.of(key)
        if pending is None or self._ids.get(key) != prompt_id:
            return self._refused(job, "prompt_wrong")
        answered = answer(pending, text, self.read, now_s=self.monotonic_s())
        self.withdraw(job)
        return self._refused(job, "prompt_late") if isinstance(answered, Expired) else answered

    def _refused(self, job: Job, reason: str) -> Told:
        content: Content = rejection(job.page, job.traces, reason=reason)
        return Told(content, Happened.REFUSED)


def _values(asked: Interpretation) -> tuple[str, ...]:
    """The values that were said for the one slot that is asked for, where there are several."""
    said = dict.fromkeys(s.value for s in asked.slots if s.name == asked.missing)
    return tuple(said) if len(said) > 1 else ()


def _wish(asked: Interpretation) -> Wish | None:
    """The whole motion that is asked about, where one is."""
    whole = asked.intent is Intent.CONTROL_DEVICE and asked.slot("action") is not None and asked.missing is None
    if not whole or len(asked.candidates) != 1:
        return None
    return Wish({s.name: s.value for s in asked.slots}, asked.beside)


def _with_options(pending: Pending, shown: tuple[Intent, ...]) -> Pending:
    """A number names what was shown to this reader, never what was left out."""
    return Pending(
        reading=pending.reading,
        intent=pending.intent,
        options=shown,
        missing=pending.missing,
        round=pending.round,
        expires_at_s=pending.expires_at_s,
    )
