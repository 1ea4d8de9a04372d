"""What a decision costs beside its floor and its alternative, measured in turn on the same process.

Floor: the bare forward pass over the same new tokens, timed inside the process around the library alone. Alternative:
the same decision as generated JSON under a schema. Figures are milliseconds as the caller sees them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from edge_agent.adapters.model import wire
from edge_agent.adapters.model.client import WorkerModel
from edge_agent.adapters.model.errors import ModelRefused
from edge_agent.adapters.model.prompt import LABELS, Prompt
from edge_agent.understand.port import ModelFailure, ModelPurpose

CALL_DEADLINE_S = 60.0
JSON_TOKENS = 64
JSON_ASK = 'Reply with JSON: {{"intent": …, "confidence": 0 to 100, "item": …}}.\nSentence: {text}\nJSON:'
JSON_SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "intent": {"enum": [label.value for label in LABELS]},
        "confidence": {"type": "integer"},
        "item": {"type": "string", "maxLength": 20},
    },
    "required": ["intent", "confidence", "item"],
}

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class DecisionCost:
    decision_ms: tuple[float, ...]
    forward_ms: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """Median of the pairs' ratios: both halves of a pair met the same load."""
        return median(d / f for d, f in zip(self.decision_ms, self.forward_ms, strict=True))


async def decision_cost(
    model: WorkerModel, prompt: Prompt, texts: Sequence[str], *, clock: Clock = time.perf_counter
) -> DecisionCost:
    """One decision and one bare pass for each text, alternating which goes first. Raises `ModelRefused`."""
    pairs = [await _pair(model, prompt, text, clock, forward_first=bool(n % 2)) for n, text in enumerate(texts)]
    return DecisionCost(tuple(d for d, _ in pairs), tuple(f for _, f in pairs))


async def json_decision_ms(model: WorkerModel, text: str, *, clock: Clock = time.perf_counter) -> float:
    """The same decision, generated under a schema. Raises `ModelRefused`."""
    started = clock()
    got = await model.write(
        JSON_ASK.format(text=text),
        JSON_SCHEMA,
        deadline_s=CALL_DEADLINE_S,
        max_tokens=JSON_TOKENS,
        purpose=ModelPurpose.DRAFT,
    )
    if isinstance(got, ModelFailure):
        raise ModelRefused(got.detail)
    return (clock() - started) * 1000


async def _pair(
    model: WorkerModel, prompt: Prompt, text: str, clock: Clock, *, forward_first: bool
) -> tuple[float, float]:
    if forward_first:
        forward = await _forward_ms(model, prompt, text)
        return await _decision_ms(model, text, clock), forward
    decision = await _decision_ms(model, text, clock)
    return decision, await _forward_ms(model, prompt, text)


async def _decision_ms(model: WorkerModel, text: str, clock: Clock) -> float:
    started = clock()
    got = await model.choose(text, [label.value for label in LABELS], deadline_s=CALL_DEADLINE_S)
    if isinstance(got, ModelFailure):
        raise ModelRefused(got.detail)
    return (clock() - started) * 1000


async def _forward_ms(model: WorkerModel, prompt: Prompt, text: str) -> float:
    request: dict[str, object] = {"op": "forward", "text": prompt.ask(text)}
    return (await model.operate(request, wire.Forwarded, deadline_s=CALL_DEADLINE_S)).forward_ms
