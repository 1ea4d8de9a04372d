"""A model that says what a labelled case tells it to. Counts as qualified; touches nothing.

Without given scores it gives 0.9 to the intent the rules read and spreads the rest evenly, and an even distribution
where they read nothing. `script` holds one item a call, in order; when it is used up, the default answers again.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from edge_agent.understand.port import (
    FailureKind,
    ModelAnswer,
    ModelFailure,
    ModelPurpose,
    Probabilities,
    Usage,
    Written,
)
from edge_agent.understand.scores import IntentScore, NoUsableModel, Scores
from offline_rules.reading import Intent, Match, Reading

TOP_SHARE = 0.9
SCRIPTED_TOKENS = Usage(input_tokens=12, output_tokens=1)

SCORED: tuple[Intent, ...] = tuple(i for i in Intent if i is not Intent.UNKNOWN)
"""The seven intents a model chooses among; UNKNOWN is what remains when none of them stands out."""

_FAILURES: dict[str, FailureKind] = {
    "timeout": FailureKind.TIMEOUT,
    "crash": FailureKind.UNAVAILABLE,
    "illegal": FailureKind.ILLEGAL,
}


def scripted_scores(reading: Reading, options: Sequence[str] = SCORED) -> Scores:
    read = reading.outcome.intent if isinstance(reading.outcome, Match) else None
    if read is None or read not in options:
        return tuple(IntentScore(o, 1 / len(options)) for o in options)
    rest = (1 - TOP_SHARE) / max(1, len(options) - 1)
    return tuple(IntentScore(o, TOP_SHARE if o == read else rest) for o in options)


@dataclass(slots=True)
class ScriptedModel:
    """`read` is the rules' reading of a text. `scores` answer every intent call where a case gives them."""

    read: Callable[[str], Reading]
    scores: Scores | None = None
    script: deque[Mapping[str, object]] = field(default_factory=deque)
    no_model: NoUsableModel | None = None
    calls: int = 0

    def usable(self) -> NoUsableModel | None:
        return self.no_model

    async def choose(
        self, context: str, options: Sequence[str], *, deadline_s: float, purpose: ModelPurpose = ModelPurpose.INTENT
    ) -> Probabilities | ModelFailure:
        del deadline_s
        if purpose is ModelPurpose.NEXT_TOOL and self.script and not self.script[0].keys() & {"choose", "fail"}:
            self.calls += 1
            return _spread(options, options[-1])  # the script goes on with a draft: no further tool
        answer = self._next(purpose, options)
        if isinstance(answer, Probabilities | ModelFailure):
            return answer
        if purpose is not ModelPurpose.INTENT:
            return _spread(options, None)
        scores = self.scores if self.scores is not None else scripted_scores(self.read(context), options)
        return Probabilities(tuple((s.intent, s.score) for s in scores), SCRIPTED_TOKENS)

    async def write(
        self,
        context: str,
        schema: Mapping[str, object],
        *,
        deadline_s: float,
        max_tokens: int,
        purpose: ModelPurpose = ModelPurpose.DRAFT,
    ) -> Written | ModelFailure:
        del context, schema, deadline_s, max_tokens
        answer = self._next(purpose, ())
        return answer if isinstance(answer, Written | ModelFailure) else Written("", SCRIPTED_TOKENS)

    def _next(self, purpose: ModelPurpose, options: Sequence[str]) -> ModelAnswer | None:
        """The next item of the script; intent calls use none of it but a scripted failure."""
        self.calls += 1
        if not self.script or (purpose is ModelPurpose.INTENT and "fail" not in self.script[0]):
            return None
        return _scripted(self.script.popleft(), options)


def script(items: Iterable[Mapping[str, object]]) -> deque[Mapping[str, object]]:
    return deque(items)


def _scripted(item: Mapping[str, object], options: Sequence[str]) -> ModelAnswer:
    """One item: `{"fail": …}` `{"choose": option}` `{"verdict": …}` `{"raw": text}` `{"draft": {…}}`."""
    if "fail" in item:
        return ModelFailure(_FAILURES[str(item["fail"])], "scripted by the case", SCRIPTED_TOKENS)
    for key in ("choose", "verdict"):
        if key in item:
            return _spread(options, str(item[key]))
    text = str(item["raw"]) if "raw" in item else json.dumps(item["draft"], ensure_ascii=False)
    return Written(text, SCRIPTED_TOKENS)


def _spread(options: Sequence[str], chosen: str | None) -> Probabilities | ModelFailure:
    if chosen is not None and chosen not in options:
        return ModelFailure(FailureKind.ILLEGAL, f"{chosen!r} was not among the options", SCRIPTED_TOKENS)
    if not options:
        return ModelFailure(FailureKind.ILLEGAL, "no option to choose from", SCRIPTED_TOKENS)
    values = tuple((o, 1.0 if o == chosen else 0.0) if chosen else (o, 1 / len(options)) for o in options)
    return Probabilities(values, SCRIPTED_TOKENS)
