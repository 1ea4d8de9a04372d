"""From text to one interpretation: the rules always, the model where it can change anything.

Two scoring attempts at most, the second only while a worker is up; both failed is the same as no usable model, and
the rules carry on alone. Rules that cannot be asked at all end the run: without them no word is grounded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from edge_agent.diagnose.model_gate import ModelGate, ModelTimes
from edge_agent.run.journal import Entry, Journal, Kind
from edge_agent.stages.job import Job
from edge_agent.understand.decide import Model, asks_model, interpret
from edge_agent.understand.interpretation import Interpretation
from edge_agent.understand.port import ModelPort, ModelPurpose, Probabilities
from edge_agent.understand.scores import IntentScore, ModelCause, NoUsableModel
from edge_agent.understand.scripted import SCORED
from edge_agent.understand.thresholds import Thresholds
from offline_rules.reading import Reading

SCORING_ATTEMPTS = 2
RULES_RAISE = "inside.rules_raise"
"""The fault that strikes here: after the stop words were heard, so that a stop still works."""


class RulesUnavailable(Exception):
    """The rules raised, or their packs are gone. Nothing can be grounded, so nothing can be done."""


@dataclass(frozen=True, slots=True)
class Hearing:
    read: Callable[[str], Reading]
    model: ModelPort
    journal: Journal
    thresholds: Thresholds
    times: ModelTimes
    fires: Callable[[str], bool] = lambda _fault: False

    def reading(self, text: str) -> Reading:
        """Raises `RulesUnavailable`."""
        try:
            if self.fires(RULES_RAISE):
                raise LookupError(RULES_RAISE)
            return self.read(text)
        except Exception as error:
            raise RulesUnavailable(type(error).__name__) from error

    async def interpret(self, job: Job, reading: Reading) -> Interpretation:
        heard = interpret(reading, await self._scores(job, reading), self.thresholds)
        self._write_down(job, heard)
        return heard

    def settle(self, job: Job, reading: Reading, scores: Model) -> Interpretation:
        """A reading whose intent the operator chose; the model gate still has its say."""
        down = self.model.usable()
        heard = interpret(reading, down if down is not None else scores, self.thresholds)
        self._write_down(job, heard)
        return heard

    async def _scores(self, job: Job, reading: Reading) -> Model:
        if not asks_model(reading):
            return self.model.usable() or ()
        down: NoUsableModel | None = self.model.usable()
        gate = ModelGate(job.run, self.model, self.journal, self.times)
        for attempt in range(1, SCORING_ATTEMPTS + 1):
            if down is not None:
                break
            answer = await gate.choose(reading.original, SCORED, ModelPurpose.INTENT, attempt)
            if isinstance(answer, Probabilities):
                return tuple(IntentScore(name, score) for name, score in answer.values)
            down = self.model.usable()
        return down or NoUsableModel(ModelCause.DOWN)

    def _write_down(self, job: Job, heard: Interpretation) -> None:
        body = {
            "text": heard.text,
            "intent": heard.intent.value,
            "slots": {s.name: {"value": s.value, "span": list(s.span), "known": s.known} for s in heard.slots},
            "mood": heard.mood.value,
            "disposition": heard.disposition.value,
            "reason": heard.reason,
            "source": heard.source,
            "scores": [[s.intent, round(s.score, 4)] for s in heard.scores],
            "candidates": [[c.intent, round(c.score, 4)] for c in heard.candidates],
            "missing": heard.missing,
            "no_model": heard.no_model,
            "leaning_on": list(heard.leaning_on),
            "suspicious": heard.suspicious,
            "ignored": list(heard.ignored),
            "parse_trace_id": job.run.ids.parse_trace,
        }
        job.stream.along(Entry(Kind.READING, body, job.run_id))
