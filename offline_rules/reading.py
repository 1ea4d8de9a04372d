"""What the rules have to say about one sentence. Pure data; every other room of the agent reads this.

A `Reading` is always complete: each stage states what it found and why, so that a person can follow it from the
record alone. Spans are half-open character offsets into the *original* text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, TypeAlias

Lang: TypeAlias = Literal["zh", "en"]
SlotName: TypeAlias = Literal[
    "item_type", "bin", "station", "device", "action", "task_id", "text", "window", "alarms", "speed"
]


class Intent(StrEnum):
    QUERY_RULE = "QUERY_RULE"
    QUERY_STATUS = "QUERY_STATUS"
    SUBMIT_FEEDBACK = "SUBMIT_FEEDBACK"
    DIAGNOSE = "DIAGNOSE"
    CONTROL_DEVICE = "CONTROL_DEVICE"
    STOP = "STOP"
    GENERAL = "GENERAL"
    UNKNOWN = "UNKNOWN"


class Mood(StrEnum):
    """Only `IMPERATIVE` may lead to a motion. `STATEMENT` is what is none of the others and asks for nothing."""

    IMPERATIVE = "IMPERATIVE"
    QUESTION = "QUESTION"
    NEGATION = "NEGATION"
    CONDITION = "CONDITION"
    PAST = "PAST"
    QUOTATION = "QUOTATION"
    REPORT = "REPORT"
    DEFERRED = "DEFERRED"
    RECURRING = "RECURRING"
    SELF_CORRECTION = "SELF_CORRECTION"
    CANCEL = "CANCEL"
    MEANING_OF = "MEANING_OF"
    STATEMENT = "STATEMENT"


@dataclass(frozen=True, slots=True)
class Slot:
    """A value and the words of the operator it stands on. `known` is False for a value of the right shape
    that this cell does not have (`arm_02`, bin 9): said, kept as said, and refused by name for control."""

    name: SlotName
    value: str
    span: tuple[int, int]
    known: bool = True


@dataclass(frozen=True, slots=True)
class Match:
    intent: Intent
    score: float
    rule_id: str
    reason: str
    missing: SlotName | None = None
    """The one required slot that was not said."""


@dataclass(frozen=True, slots=True)
class Vague:
    """Verb without object, object without verb, a deictic, a vague verb: to be asked back."""

    reason: str
    candidates: tuple[Intent, ...] = ()


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several intents fit, or one slot has two values (`slot` names it)."""

    reason: str
    candidates: tuple[Match, ...] = ()
    slot: SlotName | None = None


@dataclass(frozen=True, slots=True)
class NoMatch:
    reason: str


Outcome: TypeAlias = Match | Vague | Ambiguous | NoMatch


@dataclass(frozen=True, slots=True)
class Lean:
    """How far the words of a sentence lean to an intent: a share of 1."""

    intent: Intent
    share: float


Leaning: TypeAlias = tuple[Lean, ...]
"""Every intent with its share, largest first; empty where nobody asked."""


class StopSense(StrEnum):
    NONE = "NONE"
    STOP = "STOP"
    RULED_OUT = "RULED_OUT"
    """A stop word stands there, in a question, report, past, reset, compound, quotation, or nobody would mean it."""
    IN_DOUBT = "IN_DOUBT"
    """It sounds like a call to stop, and not surely enough to stop on: to be asked about."""


class Bare(StrEnum):
    """What a text is made of, polite words aside: enough to answer what was asked, and no more than that."""

    NO = "NO"
    """Something else is said too."""
    VALUE = "VALUE"
    """Values, and words for bin and station."""
    MOTION = "MOTION"
    """Words of a motion beside them."""


@dataclass(frozen=True, slots=True)
class Reading:
    original: str
    normalised: str
    lang: Lang
    stop: StopSense
    mood: Mood
    outcome: Outcome
    slots: tuple[Slot, ...] = ()
    suspicious: str | None = None
    """Why the text may be explained and never acted on; None for a clean text."""
    explicit: bool = False
    """The explicit form (`action=home device=arm_01`), every slot named."""
    ignored: tuple[str, ...] = field(default=())
    """Parts heard and left aside on purpose (`confirm=yes`), for the journal."""
    leaning: Leaning = ()
    """What the words lean to by themselves: never a command, a stop or a mood."""
    leaning_on: tuple[str, ...] = ()
    """The word groups that spoke most for the first of `leaning`, where no phrase fits; or for a stop, where no word of
    the lexicon did."""
    wished: Slot | None = None
    """The one action the words speak of where no phrase took in the sentence: enough to ask whether it is meant."""
    beside: tuple[str, ...] = ()
    """What was said beside the wish and says nothing of a motion, as it was written."""
    bare: Bare = Bare.NO

    def slot(self, name: SlotName) -> Slot | None:
        return next((s for s in self.slots if s.name == name), None)
