"""What the agent needs of a language model: two verbs, each with a deadline, each with what it cost.

An answer or a failure is a value; an adapter raises nothing over this edge. A sentence to be scored is never cut; a
context for anything else is cut in its middle to what the model takes, and the answer says so (`cut`). Options and
probabilities are in the same order; probabilities are real ones and sum to one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeAlias

from edge_agent.understand.scores import NoUsableModel


class ModelPurpose(StrEnum):
    """What a call is for: it names the prompt and its calibration, and the row in the ledger."""

    INTENT = "intent"
    NEXT_TOOL = "next_tool"
    DRAFT = "draft"
    REPAIR = "repair"
    VERDICT = "verdict"


class FailureKind(StrEnum):
    """The words are the closed set of error codes."""

    UNAVAILABLE = "MODEL_UNAVAILABLE"
    """No worker, breaker open, or the worker died under the call."""
    TIMEOUT = "MODEL_TIMEOUT"
    ILLEGAL = "MODEL_OUTPUT_ILLEGAL"
    """Answered with what is no probability, no JSON of the schema, or more tokens than it takes."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens really used. `known` is False where the worker could not say: then these are the call's maximum."""

    input_tokens: int
    output_tokens: int
    duration_ms: float = 0.0
    known: bool = True


@dataclass(frozen=True, slots=True)
class Probabilities:
    values: tuple[tuple[str, float], ...]
    usage: Usage
    cut: bool = False

    def best(self) -> str:
        return max(self.values, key=lambda v: v[1])[0]


@dataclass(frozen=True, slots=True)
class Written:
    text: str
    usage: Usage
    cut: bool = False


@dataclass(frozen=True, slots=True)
class ModelFailure:
    kind: FailureKind
    detail: str
    """One sentence for the journal; never shown as it stands."""
    usage: Usage


class ModelPort(Protocol):
    def usable(self) -> NoUsableModel | None:
        """None when free-worded control may be proposed now; else the one condition, with its cause."""
        ...

    async def choose(
        self, context: str, options: Sequence[str], *, deadline_s: float, purpose: ModelPurpose = ModelPurpose.INTENT
    ) -> Probabilities | ModelFailure: ...

    async def write(
        self,
        context: str,
        schema: Mapping[str, object],
        *,
        deadline_s: float,
        max_tokens: int,
        purpose: ModelPurpose = ModelPurpose.DRAFT,
    ) -> Written | ModelFailure: ...


ModelAnswer: TypeAlias = Probabilities | Written | ModelFailure
