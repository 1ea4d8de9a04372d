"""The bench of labelled cases as it stands on this machine: live cells, the shipped language, this machine's clocks."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from edge_agent.adapters.clock import SystemClock
from edge_agent.cases import switched_off
from edge_agent.cases.conduct import Hands
from edge_agent.cases.live_cell import live_cell, rules_of, shipped_rules
from edge_agent.cases.mechanisms import Mechanism
from edge_agent.cases.runner import Bench
from edge_agent.policies import Policies
from edge_agent.run.ids import ULID_ENTROPY_BYTES, ulid
from edge_agent.understand.decide import Model, asks_model, interpret
from edge_agent.understand.interpretation import Interpretation
from edge_agent.understand.scores import ModelCause, NoUsableModel
from edge_agent.understand.scripted import scripted_scores
from edge_agent.understand.thresholds import Thresholds
from offline_rules.router import Router


def bench(policies: Policies | None = None) -> Bench:
    """With a policy folder, cells and readings are those of a site that has it."""
    clock = SystemClock()
    hands = Hands(
        new_id=lambda: ulid(clock.wall_ms(), secrets.token_bytes(ULID_ENTROPY_BYTES)),
        now=clock.now,
        monotonic_s=clock.monotonic_s,
    )
    rules = rules_of(policies)
    reader = SentenceReader(rules, None if policies is None else policies.thresholds)
    return Bench(partial(live_cell, policies, rules), reader, hands)


@dataclass(slots=True)
class SentenceReader:
    """`sentences.Reader` over the shipped rules and the scripted model."""

    rules: Router = field(default_factory=shipped_rules)
    limits: Thresholds | None = None

    async def __call__(self, text: str, *, llm_available: bool, without: frozenset[Mechanism]) -> Mapping[str, Any]:
        read = switched_off.reading(self.rules.read, without, model_down=not llm_available)
        reading = read(text)
        scores = scripted_scores(self.rules.read(text))
        model: Model = scores if llm_available else NoUsableModel(ModelCause.DOWN)
        asked = asks_model(reading) or not llm_available
        return told(interpret(reading, model if asked else (), switched_off.thresholds(without, self.limits)))


def told(heard: Interpretation) -> dict[str, Any]:
    """The reading as a sentence line compares it."""
    return {
        "intent": heard.intent.value,
        "slots": {slot.name: slot.value for slot in heard.slots},
        "mood": heard.mood.value,
        "disposition": heard.disposition.value,
        "would_move": heard.would_move,
        "reason": heard.reason,
    }
