"""What one sentence was understood to mean, and everything it rests on. Pure data, written once, never changed.

Only `PROPOSE_MOTION` may ever lead to a motion, and only by way of a confirmation.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

from edge_agent.understand.clarify import ClarifyEvidence
from edge_agent.understand.scores import ModelCause, Scores
from offline_rules.reading import Intent, Lang, Mood, Slot, SlotName

Source: TypeAlias = Literal["rules", "model", "rules+model", "explicit"]


class Disposition(StrEnum):
    ANSWER = "ANSWER"
    RECORD = "RECORD"
    DIAGNOSE = "DIAGNOSE"
    PROPOSE_MOTION = "PROPOSE_MOTION"
    STOP = "STOP"
    CLARIFY = "CLARIFY"
    REFUSE = "REFUSE"
    EXPLAIN = "EXPLAIN"


@dataclass(frozen=True, slots=True)
class Interpretation:
    """`candidates` is the list offered with `CLARIFY`, best first; empty there means: name `missing`, or ask to
    rephrase. `scores` are those of model and words, empty where a phrase needed neither. `refused` are the slots this
    cell does not have.
    """

    text: str
    lang: Lang
    intent: Intent
    slots: tuple[Slot, ...]
    mood: Mood
    disposition: Disposition
    reason: str
    source: Source
    candidates: Scores = ()
    scores: Scores = ()
    missing: SlotName | None = None
    refused: tuple[Slot, ...] = ()
    beside: tuple[str, ...] = ()
    """What was said beside a wish that is asked about, and was not taken in."""
    evidence: ClarifyEvidence | None = None
    no_model: ModelCause | None = None
    """Why no model had a say; None where it had, or where it was not needed."""
    leaning_on: tuple[str, ...] = ()
    """The word groups a reading without a phrase stands on (`{item_type}` a value, `~` a piece of a word)."""
    suspicious: str | None = None
    ignored: tuple[str, ...] = ()

    @property
    def would_move(self) -> bool:
        return self.disposition is Disposition.PROPOSE_MOTION

    def slot(self, name: SlotName) -> Slot | None:
        return next((s for s in self.slots if s.name == name), None)
