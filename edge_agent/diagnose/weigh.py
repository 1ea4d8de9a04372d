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

RIVALS: Final = 2
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
    options = tuple(label(cause) for cause in causes)
    seen: list[Mapping[str, float]] = []
    for lines in (tuple(facts), NOTHING):
        answer = await gate.choose(_context(question, lines), options, purpose, attempt, gate.times.weigh_s)
        if not isinstance(answer, Probabilities):
            return answer
        seen.append(dict(answer.values))
    told, bare = seen
    return {c.id: math.log(max(told[label(c)], LEAST)) - math.log(max(bare[label(c)], LEAST)) for c in causes}


def label(cause: Cause) -> str:
    """A whole sentence. Short labels are ten times as fast and were no better than chance; and all options begin with
    one word, because a worker may rank options that begin differently by their first words alone."""
    return f"that {cause.en}"


def outweighs(cause: str, weights: Mapping[str, float]) -> bool:
    """It gains more than every other; an even gain is none."""
    return all(weights[cause] > gain for other, gain in weights.items() if other != cause)


def rivals(table: CauseTable, likely: Sequence[Cause]) -> tuple[Cause, ...]:
    """Causes without evidence, spread over the table."""
    there = {cause.id for cause in likely}
    others = [cause for cause in table.causes.values() if cause.id not in there]
    step = max(1, len(others) // RIVALS)
    return tuple(others[step // 2 :: step][:RIVALS])


def _context(question: str, lines: Sequence[str]) -> str:
    told = "\n".join(f"- {plain_text(line)[:LINE_CHARS]}" for line in lines)
    return f"Question: {plain_text(question)[:LINE_CHARS]}\nFacts:\n{told}\nThe facts show"
