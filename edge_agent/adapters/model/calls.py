"""One call of the model between the caller and the owner of the process: the job, and what its end becomes. Pure but
for the future it carries."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from edge_agent.adapters.model import wire
from edge_agent.adapters.model.worker_process import WorkerDied
from edge_agent.understand.port import FailureKind, ModelFailure, Probabilities, Usage

MAX_CALL_TOKENS = 400
"""What a call counts as when the process could not say what it used."""


@dataclass(slots=True)
class Job:
    request: dict[str, object]
    kind: type[wire.Reply]
    deadline_at_s: float
    answer: asyncio.Future[wire.Reply | ModelFailure]
    started: bool = False


def give(job: Job, got: wire.Reply | ModelFailure) -> None:
    if not job.answer.done():
        job.answer.set_result(got)


def kind_of(death: WorkerDied | wire.IllegalReply) -> FailureKind:
    return FailureKind.ILLEGAL if isinstance(death, wire.IllegalReply) else FailureKind.UNAVAILABLE


def failure_of(failed: wire.Failed) -> ModelFailure:
    kind = FailureKind.TIMEOUT if failed.kind == "aborted" else FailureKind.ILLEGAL
    return ModelFailure(kind, failed.text, unknown(0))


def unavailable(why: str) -> ModelFailure:
    return ModelFailure(FailureKind.UNAVAILABLE, why, Usage(0, 0))


def unknown(max_tokens: int) -> Usage:
    return Usage(MAX_CALL_TOKENS, max_tokens, known=False)


def at_most(failure: ModelFailure, max_tokens: int) -> ModelFailure:
    """A call that failed half-way counts as the most it could have used."""
    return failure if failure.usage.known else ModelFailure(failure.kind, failure.detail, unknown(max_tokens))


def among(options: Sequence[str], of: Mapping[str, float], got: wire.Scored) -> Probabilities | ModelFailure:
    """Only the options that were offered, summing to one again."""
    kept = [(option, of[option]) for option in options if option in of]
    total = sum(p for _, p in kept)
    if len(kept) != len(options) or total <= 0:
        return ModelFailure(FailureKind.ILLEGAL, "an option the model has no label for", unknown(0))
    values = tuple((option, p / total) for option, p in kept)
    return Probabilities(values, Usage(got.input_tokens, 1, got.ms), got.cut)
