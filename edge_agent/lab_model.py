"""The model with the lab's faults in it: whoever asks meets a worker that is down, dead, slow or wrong.

`down` lasts while it is in; every other fault strikes once a count. A model that only ranks labels writes nothing, so
while a fault of the draft is in, the diagnosis thinks in the style that writes, looks once, and concludes.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from edge_agent.diagnose.thinker import Style
from edge_agent.understand.port import (
    FailureKind,
    ModelFailure,
    ModelPort,
    ModelPurpose,
    Probabilities,
    Usage,
    Written,
)
from edge_agent.understand.scores import ModelCause, NoUsableModel

OF_THE_DRAFT: Final = ("model.bad_json", "model.unsupported_claim", "model.wrong_citation")
SLOW_MS: Final = 1_000
NOTHING_YET: Final = "nothing yet"
"""What a view says before the first fact."""
NOWHERE: Final = "r99"
"""A record that no run has."""
COST: Final = Usage(12, 1)


class ModelFaults(Protocol):
    def fires(self, name: str) -> bool: ...

    def holds(self, name: str) -> bool: ...

    def number(self, name: str, argument: str, default: float) -> float: ...


@dataclass(frozen=True, slots=True)
class LabModel:
    """`ModelPort` over another one."""

    inner: ModelPort
    faults: ModelFaults
    sleep: Callable[[float], Awaitable[None]]

    def usable(self) -> NoUsableModel | None:
        return NoUsableModel(ModelCause.DOWN) if self.faults.holds("model.down") else self.inner.usable()

    def style(self) -> Style:
        return "mixed" if self._writes_wrong() else "labels"

    async def choose(
        self, context: str, options: Sequence[str], *, deadline_s: float, purpose: ModelPurpose = ModelPurpose.INTENT
    ) -> Probabilities | ModelFailure:
        failed = await self._struck(deadline_s)
        if failed is not None:
            return failed
        if purpose is ModelPurpose.NEXT_TOOL and self._writes_wrong():
            chosen = options[0] if NOTHING_YET in context else options[-1]
            return Probabilities(tuple((o, float(o == chosen)) for o in options), COST)
        return await self.inner.choose(context, options, deadline_s=deadline_s, purpose=purpose)

    async def write(
        self,
        context: str,
        schema: Mapping[str, object],
        *,
        deadline_s: float,
        max_tokens: int,
        purpose: ModelPurpose = ModelPurpose.DRAFT,
    ) -> Written | ModelFailure:
        failed = await self._struck(deadline_s)
        if failed is not None:
            return failed
        wrong = next((each for each in OF_THE_DRAFT if self.faults.fires(each)), None)
        if wrong is not None:
            return Written(_WRONG[wrong](schema), COST)
        return await self.inner.write(context, schema, deadline_s=deadline_s, max_tokens=max_tokens, purpose=purpose)

    def _writes_wrong(self) -> bool:
        return any(self.faults.holds(each) for each in OF_THE_DRAFT)

    async def _struck(self, deadline_s: float) -> ModelFailure | None:
        """What the call comes to in place of an answer; None: the model is asked."""
        if self.faults.holds("model.down"):
            return ModelFailure(FailureKind.UNAVAILABLE, "put in by the lab: model.down", COST)
        if self.faults.fires("model.crash"):
            return ModelFailure(FailureKind.UNAVAILABLE, "put in by the lab: model.crash", COST)
        hangs, delay_s = self._delay()
        if hangs or delay_s:
            await self.sleep(deadline_s if hangs else min(delay_s, deadline_s))
        if hangs or delay_s >= deadline_s:
            return ModelFailure(FailureKind.TIMEOUT, "put in by the lab: model.hang or model.slow", COST)
        return None

    def _delay(self) -> tuple[bool, float]:
        """(hangs for good, seconds it takes longer)."""
        if self.faults.fires("model.hang"):
            return True, 0.0
        delay_s = self.faults.number("model.slow", "delay_ms", SLOW_MS) / 1000
        return False, delay_s if self.faults.fires("model.slow") else 0.0


def _no_json(_schema: Mapping[str, object]) -> str:
    return '{"cause": the arm was tired'


def _unsupported(schema: Mapping[str, object]) -> str:
    """The cause that has the least to stand on, with a clause that claims nothing checkable."""
    causes, records = _offered(schema)
    return _draft(causes[-1], "the records show it clearly", records[0])


def _uncited(schema: Mapping[str, object]) -> str:
    causes, _ = _offered(schema)
    return _draft(causes[0], "the records show it clearly", NOWHERE)


def _draft(cause: str, text: str, record: str) -> str:
    return json.dumps({"cause": cause, "clauses": [{"text": text, "evidence": [record]}], "next_steps": []})


def _offered(schema: Mapping[str, object]) -> tuple[list[str], list[str]]:
    """Causes and records that a draft's schema allows; those with evidence come first."""
    properties: Mapping[str, Any] = schema["properties"]  # type: ignore[assignment]  # JSON Schema, built by the draft
    causes = [each for each in properties["cause"]["enum"] if each is not None]
    evidence = properties["clauses"]["items"]["properties"]["evidence"]["items"]
    return causes or ["no_part"], evidence["enum"]


_WRONG: Final[Mapping[str, Callable[[Mapping[str, object]], str]]] = {
    "model.bad_json": _no_json,
    "model.unsupported_claim": _unsupported,
    "model.wrong_citation": _uncited,
}
