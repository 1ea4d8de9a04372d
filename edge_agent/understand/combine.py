"""Rules and model, agreed or not: the agreement table as data.

The rules' outcome and the model's verdict name a row; the row names whose reading holds. The mood gate, grounding and
the cell's own words are looked at elsewhere, before and after; nothing here can make a motion of a sentence.
"""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

from edge_agent.understand.clarify import ClarifyEvidence
from edge_agent.understand.mood import lets_pass
from edge_agent.understand.slots import own
from offline_rules.reading import Ambiguous, Intent, Match, Mood, NoMatch, Outcome, Slot, StopSense, Vague


class Said(StrEnum):
    """What the rules came to."""

    MATCH = "match"
    VAGUE = "vague"
    AMBIGUOUS = "ambiguous"
    TWO_VALUES = "two_values"
    NO_MATCH = "no_match"


class Verdict(StrEnum):
    """What the model adds to it."""

    NOTHING = "nothing"
    """No usable model, below threshold, GENERAL or UNKNOWN."""
    SAME = "same"
    ANOTHER = "another"
    ONE_OF = "one_of"
    STOP_ONLY = "stop_only"
    GROUNDED = "grounded"
    """Above threshold, and a slot of that intent was said."""
    UNGROUNDED = "ungrounded"


class Whose(StrEnum):
    RULE = "rule"
    MODEL = "model"
    ONE_OF = "one_of"
    ASK_BETWEEN = "ask_between"
    ASK_CANDIDATES = "ask_candidates"
    ASK_SLOT = "ask_slot"
    ASK_STOP = "ask_stop"
    NOBODY = "nobody"


AGREEMENT: dict[tuple[Said, Verdict], Whose] = {
    (Said.MATCH, Verdict.NOTHING): Whose.RULE,
    (Said.MATCH, Verdict.SAME): Whose.RULE,
    (Said.MATCH, Verdict.ANOTHER): Whose.ASK_BETWEEN,
    (Said.MATCH, Verdict.STOP_ONLY): Whose.ASK_BETWEEN,
    (Said.VAGUE, Verdict.NOTHING): Whose.ASK_CANDIDATES,
    (Said.VAGUE, Verdict.ANOTHER): Whose.ASK_CANDIDATES,
    (Said.VAGUE, Verdict.STOP_ONLY): Whose.ASK_CANDIDATES,
    (Said.AMBIGUOUS, Verdict.NOTHING): Whose.ASK_CANDIDATES,
    (Said.AMBIGUOUS, Verdict.ONE_OF): Whose.ONE_OF,
    (Said.AMBIGUOUS, Verdict.ANOTHER): Whose.ASK_CANDIDATES,
    (Said.AMBIGUOUS, Verdict.STOP_ONLY): Whose.ASK_CANDIDATES,
    # One slot with two values is never chosen for the operator, however sure anyone is.
    (Said.TWO_VALUES, Verdict.NOTHING): Whose.ASK_SLOT,
    (Said.TWO_VALUES, Verdict.ANOTHER): Whose.ASK_SLOT,
    (Said.TWO_VALUES, Verdict.STOP_ONLY): Whose.ASK_SLOT,
    (Said.NO_MATCH, Verdict.NOTHING): Whose.NOBODY,
    (Said.NO_MATCH, Verdict.GROUNDED): Whose.MODEL,
    (Said.NO_MATCH, Verdict.UNGROUNDED): Whose.NOBODY,
    (Said.NO_MATCH, Verdict.STOP_ONLY): Whose.ASK_STOP,
}
"""A pair that is not here can not come about: `verdict` gives each outcome only the verdicts of its own rows."""

INTENT_OF: dict[str, Intent] = {intent.value: intent for intent in Intent}

OUT_OF_SCOPE = frozenset({Intent.GENERAL, Intent.UNKNOWN})


def said(outcome: Outcome) -> Said:
    match outcome:
        case Match():
            return Said.MATCH
        case Vague():
            return Said.VAGUE
        case Ambiguous(slot=None):
            return Said.AMBIGUOUS
        case Ambiguous():
            return Said.TWO_VALUES
        case NoMatch():
            return Said.NO_MATCH
        case never:
            assert_never(never)


def verdict(
    outcome: Outcome, stop: StopSense, slots: tuple[Slot, ...], evidence: ClarifyEvidence | None, mood: Mood
) -> Verdict:
    """The row's second half. `evidence` is None where no model was asked; a name that is no intent adds nothing."""
    heard = _confident_intent(evidence)
    if heard is None or heard in OUT_OF_SCOPE:
        return Verdict.NOTHING
    if heard is Intent.STOP:
        return Verdict.NOTHING if stop is StopSense.RULED_OUT else Verdict.STOP_ONLY
    match outcome:
        case Match(intent=intent):
            return _against_match(intent, heard, mood)
        case Ambiguous(slot=None, candidates=among):
            return Verdict.ONE_OF if heard in {m.intent for m in among} else Verdict.ANOTHER
        case Vague() | Ambiguous():
            return Verdict.ANOTHER
        case NoMatch():
            return Verdict.GROUNDED if own(heard, slots) else Verdict.UNGROUNDED
        case never:
            assert_never(never)


def _against_match(intent: Intent, heard: Intent, mood: Mood) -> Verdict:
    """A greeting the rules know is no contradiction to settle: only two in-scope readings can contradict. Nor is a
    control wish heard in a question: the mood gate is closed to it, and to offer it would offer nothing."""
    if heard is intent:
        return Verdict.SAME
    if heard is Intent.CONTROL_DEVICE and not lets_pass(heard, mood, by_model=True):
        return Verdict.NOTHING
    return Verdict.NOTHING if intent in OUT_OF_SCOPE else Verdict.ANOTHER


def _confident_intent(evidence: ClarifyEvidence | None) -> Intent | None:
    if evidence is None or evidence["reason"] != "confident":
        return None
    return INTENT_OF.get(evidence["top_intent"])
