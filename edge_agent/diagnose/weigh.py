"""How much the facts speak for each cause, by a small model: what it takes for likelier once it has seen them.

A small model's raw choice follows the words more than the facts (measured: its bare SUPPORTED or UNSUPPORTED is the
same for true and false causes). So each cause is weighed twice, with the facts and without, and only the difference
counts, in nats. It never writes a word, and it may be wrong: the table has said before that the evidence is there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from edge_agent.diagnose.cause_table import Cause, CauseTable
from edge_agent.diagnose.model_gate import ModelGate
from edge_agent.tools.projection import plain_text
from edge_agent.understand.port import ModelFailure, ModelPurpose, Probabilities

MARGIN_NATS: Final = 1.0
"""Between two causes with evidence: measured on the shipped table, smaller gaps were as often wrong as right."""
RIVALS: Final = 3
"""Causes without evidence that a supported one must outweigh."""
LEAST: Final = 1e-9
LINE_CHARS: Final = 200
NOTHING: Final = ("nothing was found",)


async def gains(
    gate: ModelGate,
    question: str,
    facts: Sequence[str],
    causes: Sequence[Cause],
    purpose: ModelPurpose,
    attempt: int = 1,
) -> Mapping[str, float] | ModelFailure:
    """By cause id. Two model calls."""
    options = tuple(cause.en for cause in causes)
    seen: list[Mapping[str, float]] = []
    for lines in (tuple(facts), NOTHING):
        answer = await gate.choose(_context(question, lines), options, purpose, attempt)
        if not isinstance(answer, Probabilities):
            return answer
        seen.append(dict(answer.values))
    told, bare = seen
    return {c.id: math.log(max(told[c.en], LEAST)) - math.log(max(bare[c.en], LEAST)) for c in causes}


def best(weights: Mapping[str, float], margin: float) -> str | None:
    """The cause that outweighs every other by `margin`; None where none does."""
    ranked = sorted(weights.items(), key=lambda pair: -pair[1])
    if len(ranked) > 1 and ranked[0][1] - ranked[1][1] <= margin:
        return None
    return ranked[0][0]


def rivals(table: CauseTable, likely: Sequence[Cause]) -> tuple[Cause, ...]:
    """Causes without evidence, spread over the table."""
    there = {cause.id for cause in likely}
    others = [cause for cause in table.causes.values() if cause.id not in there]
    step = max(1, len(others) // RIVALS)
    return tuple(others[step // 2 :: step][:RIVALS])


def _context(question: str, lines: Sequence[str]) -> str:
    told = "\n".join(f"- {plain_text(line)[:LINE_CHARS]}" for line in lines)
    return f"Question: {plain_text(question)[:LINE_CHARS]}\nFacts:\n{told}\nMost likely cause:"
