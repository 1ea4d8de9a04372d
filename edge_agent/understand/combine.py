"""Rules and model, agreed or not: the agreement table as data.

The rules' outcome and the model's verdict name a row; the row names whose reading holds. The mood gate, grounding and
the cell's own words are looked at elsewhere, before and after; nothing here can make a motion of a sentence.
"""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

from edge_agent.understand.clarify import ClarifyEvidence
from edge_agent.understand.leaning import backs, may_be_ours, ours, unclear
from edge_agent.understand.mood import ASKED_BACK_UNPHRASED, lets_pass
from edge_agent.understand.slots import own
from offline_rules.mood import trails_off
from offline_rules.reading import Ambiguous, Intent, Match, Mood, NoMatch, Outcome, Reading, Slot, StopSense, Vague


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
    BACKED = "backed"
    """Above threshold, and a slot of that intent was said or the words lean to it too."""
    ALONE = "alone"
    """Above threshold with nothing else for it, and no wish by its mood or nothing of ours by its words."""
    UNCLEAR = "unclear"
    """Nothing above threshold and the words are about the cell, or heard with nothing else for it: to be asked back."""


class Whose(StrEnum):
    RULE = "rule"
    HEARD = "heard"
    """What model and words heard, without a phrase."""
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
    (Said.NO_MATCH, Verdict.UNCLEAR): Whose.ASK_CANDIDATES,
    (Said.NO_MATCH, Verdict.BACKED): Whose.HEARD,
    (Said.NO_MATCH, Verdict.ALONE): Whose.NOBODY,
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


def verdict(reading: Reading, slots: tuple[Slot, ...], evidence: ClarifyEvidence | None) -> Verdict:
    """The row's second half. `evidence` is None where nobody was asked; a name that is no intent adds nothing."""
    outcome, heard = reading.outcome, _confident_intent(evidence)
    if heard is None or heard in OUT_OF_SCOPE:
        return Verdict.UNCLEAR if _asked_back(reading, heard) else Verdict.NOTHING
    if heard is Intent.STOP:
        return Verdict.NOTHING if reading.stop is StopSense.RULED_OUT else Verdict.STOP_ONLY
    match outcome:
        case Match(intent=intent):
            return _against_match(intent, heard, reading.mood)
        case Ambiguous(slot=None, candidates=among):
            return Verdict.ONE_OF if heard in {m.intent for m in among} else Verdict.ANOTHER
        case Vague() | Ambiguous():
            return Verdict.ANOTHER
        case NoMatch():
            if own(heard, slots) or backs(reading.leaning, heard):
                return Verdict.BACKED
            doubtful = reading.mood in ASKED_BACK_UNPHRASED and may_be_ours(reading.leaning)
            return Verdict.UNCLEAR if doubtful else Verdict.ALONE
        case never:
            assert_never(never)


def _asked_back(reading: Reading, heard: Intent | None) -> bool:
    """Nobody understood it, it is about the cell, and it could be a wish: by its mood, or by words like those of other
    unclear wishes ("not there, there"). Talk of stopping that is no stop is none, nor is talk of a motion that is over
    or not wanted."""
    unread = isinstance(reading.outcome, NoMatch) and reading.stop is StopSense.NONE and heard is not Intent.GENERAL
    if not (unread and ours(reading.leaning)):
        return False
    first = reading.leaning[0].intent
    by_mood = reading.mood in ASKED_BACK_UNPHRASED and lets_pass(first, reading.mood, unphrased=True)
    unfinished = trails_off(reading.normalised)
    return by_mood or (unclear(reading.leaning, unfinished=unfinished) and reading.mood is not Mood.CANCEL)


def _against_match(intent: Intent, heard: Intent, mood: Mood) -> Verdict:
    """A greeting the rules know is no contradiction to settle: only two in-scope readings can contradict. Nor is a
    control wish heard in a question: the mood gate is closed to it, and to offer it would offer nothing."""
    if heard is intent:
        return Verdict.SAME
    if heard is Intent.CONTROL_DEVICE and not lets_pass(heard, mood, unphrased=True):
        return Verdict.NOTHING
    return Verdict.NOTHING if intent in OUT_OF_SCOPE else Verdict.ANOTHER


def _confident_intent(evidence: ClarifyEvidence | None) -> Intent | None:
    if evidence is None or evidence["reason"] != "confident":
        return None
    return INTENT_OF.get(evidence["top_intent"])
