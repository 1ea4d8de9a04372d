"""The model's interceptor: before and after every call. `BudgetExceeded`, `RunAborted` and `JournalFault` leave.

Before: what led up to it is on the disk, the run is active, the input's bytes and a call are reserved. After: the
attempt goes into the ledger (once, by call and attempt) with the run's next commit, tokens and bytes are counted, and
the run must still be active, or the answer is too late.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from edge_agent.run.budget import TokenUsage
from edge_agent.run.context import Run
from edge_agent.run.journal import Entry, Journal, Kind
from edge_agent.understand.port import ModelFailure, ModelPort, ModelPurpose, Probabilities, Written

CHOOSE_S: Final = 1.5
WRITE_S: Final = 15.0
WEIGH_S: Final = 6.0
"""Ranking whole sentences: a few dozen passes of one token. A model that is not back by then is killed, and a killed
model costs everybody two seconds, so this is several times what an idle machine takes."""
MAX_TOKENS: Final = 1_024
"""Of one written answer: a draft of eight clauses takes about half of it."""
DETAIL_CHARS: Final = 200

A = TypeVar("A", Probabilities, Written)


@dataclass(frozen=True, slots=True)
class ModelTimes:
    choose_s: float = CHOOSE_S
    weigh_s: float = WEIGH_S
    write_s: float = WRITE_S
    max_tokens: int = MAX_TOKENS


@dataclass(frozen=True, slots=True)
class ModelGate:
    """One run's way to the model."""

    run: Run
    model: ModelPort
    journal: Journal
    times: ModelTimes = ModelTimes()

    async def choose(
        self,
        context: str,
        options: Sequence[str],
        purpose: ModelPurpose,
        attempt: int = 1,
        limit_s: float | None = None,
    ) -> Probabilities | ModelFailure:
        """`limit_s` in place of the time a choice of labels takes."""
        await self._before(context)
        limit_s, begun_s = min(limit_s or self.times.choose_s, self.run.left_s()), self.run.clock()
        answer = await self.model.choose(context, options, deadline_s=limit_s, purpose=purpose)
        return self._after(answer, purpose, attempt, begun_s, "")

    async def write(
        self, context: str, schema: Mapping[str, object], purpose: ModelPurpose, attempt: int = 1
    ) -> Written | ModelFailure:
        await self._before(context)
        limit_s, begun_s = min(self.times.write_s, self.run.left_s()), self.run.clock()
        answer = await self.model.write(
            context, schema, deadline_s=limit_s, max_tokens=self.times.max_tokens, purpose=purpose
        )
        return self._after(answer, purpose, attempt, begun_s, answer.text if isinstance(answer, Written) else "")

    async def _before(self, context: str) -> None:
        """The call is reserved last: what is reserved is asked, and has its row."""
        await self.run.waiting.commit(self.journal)
        self.run.check_active()
        self.run.reserve_run_bytes(len(context.encode("utf-8", "replace")))
        self.run.reserve_model_call()

    def _after(
        self, answer: A | ModelFailure, purpose: ModelPurpose, attempt: int, begun_s: float, text: str
    ) -> A | ModelFailure:
        self._write_down(answer, purpose, attempt, self.run.clock() - begun_s)
        self.run.record_tokens(TokenUsage(answer.usage.input_tokens, answer.usage.output_tokens))
        self.run.reserve_run_bytes(len(text.encode("utf-8", "replace")))
        self.run.check_active()
        return answer

    def _write_down(
        self, answer: Probabilities | Written | ModelFailure, purpose: ModelPurpose, attempt: int, took_s: float
    ) -> None:
        ids, call = self.run.ids, self.run.usage().model_calls
        failure = answer if isinstance(answer, ModelFailure) else None
        body = {
            "call": call,
            "attempt": attempt,
            "purpose": str(purpose),
            "input_tokens": answer.usage.input_tokens,
            "output_tokens": answer.usage.output_tokens,
            "ms": round(took_s * 1000, 3),
            "end": "ok" if failure is None else str(failure.kind),
            "detail": "" if failure is None else failure.detail[:DETAIL_CHARS],
        }
        self.run.waiting.put(Entry(Kind.MODEL_CALL, body, ids.run, key=f"{ids.trace}/{call}/{attempt}"))
