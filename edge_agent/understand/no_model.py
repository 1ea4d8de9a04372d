"""A site without a language model: the same one condition as a model that is down, said from the start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from edge_agent.understand.port import FailureKind, ModelFailure, ModelPurpose, Usage
from edge_agent.understand.scores import ModelCause, NoUsableModel

_NOTHING = ModelFailure(FailureKind.UNAVAILABLE, "no model is configured", Usage(0, 0))


class NoModel:
    """`ModelPort` that has nothing to say."""

    def usable(self) -> NoUsableModel | None:
        return NoUsableModel(ModelCause.NONE)

    async def choose(
        self, context: str, options: Sequence[str], *, deadline_s: float, purpose: ModelPurpose = ModelPurpose.INTENT
    ) -> ModelFailure:
        del context, options, deadline_s, purpose
        return _NOTHING

    async def write(
        self,
        context: str,
        schema: Mapping[str, object],
        *,
        deadline_s: float,
        max_tokens: int,
        purpose: ModelPurpose = ModelPurpose.DRAFT,
    ) -> ModelFailure:
        del context, schema, deadline_s, max_tokens, purpose
        return _NOTHING
