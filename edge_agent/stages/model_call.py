"""Every call of the model goes through here: may it, what did it cost, how did it end.

Before: the run is active and the call is reserved. After: tokens are recorded and the attempt is written down, once
(its key is run, call and attempt). `BudgetExceeded` and `RunAborted` leave; nothing is swallowed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from edge_agent.run.budget import TokenUsage
from edge_agent.run.context import Run
from edge_agent.run.journal import Entry, Journal, Kind
from edge_agent.understand.port import ModelFailure, ModelPurpose, Probabilities, Written

Got = TypeVar("Got", Probabilities, Written)


@dataclass(slots=True)
class ModelCalls:
    """The calls of one run, in order."""

    run: Run
    journal: Journal
    _calls: int = field(default=0, init=False)

    async def call(
        self,
        purpose: ModelPurpose,
        attempt: int,
        ask: Callable[[float], Awaitable[Got | ModelFailure]],
        *,
        limit_s: float,
    ) -> Got | ModelFailure:
        """`ask` is given its deadline in seconds: the verb's own limit, or what the run has left if that is less."""
        self.run.check_active()
        self.run.reserve_model_call()
        self._calls += 1
        number = self._calls
        began_s = self.run.clock()
        answer = await ask(min(limit_s, self.run.left_s()))
        await self._write_down(purpose, number, attempt, answer, self.run.clock() - began_s)
        self.run.record_tokens(TokenUsage(answer.usage.input_tokens, answer.usage.output_tokens))
        self.run.check_active()
        return answer

    async def _write_down(
        self, purpose: ModelPurpose, number: int, attempt: int, answer: Got | ModelFailure, took_s: float
    ) -> None:
        body = {
            "call": number,
            "attempt": attempt,
            "purpose": purpose.value,
            "input_tokens": answer.usage.input_tokens,
            "output_tokens": answer.usage.output_tokens,
            "ms": round(took_s * 1000, 3),
            "end": answer.kind.value if isinstance(answer, ModelFailure) else "ok",
            "detail": answer.detail if isinstance(answer, ModelFailure) else "",
        }
        run_id = self.run.ids.run
        await self.journal.append(Entry(Kind.MODEL_CALL, body, run_id, key=f"{run_id}/{number}/{attempt}"))
