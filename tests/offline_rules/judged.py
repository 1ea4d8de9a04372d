"""What a reading would lead to with a usable model that agrees: for checking sentences by rules alone."""

from __future__ import annotations

from functools import cache
from typing import Final

from offline_rules.reading import Ambiguous, Intent, Match, Mood, NoMatch, Reading, StopSense, Vague
from offline_rules.router import Router

READS: Final = {
    Intent.QUERY_RULE: "ANSWER",
    Intent.QUERY_STATUS: "ANSWER",
    Intent.SUBMIT_FEEDBACK: "RECORD",
    Intent.DIAGNOSE: "DIAGNOSE",
    Intent.GENERAL: "EXPLAIN",
}
COMPARED: Final = frozenset({"item_type", "bin", "station", "device", "action", "task_id"})
WISH: Final = frozenset({Mood.IMPERATIVE, Mood.STATEMENT, Mood.QUESTION, Mood.CONDITION, Mood.DEFERRED, Mood.RECURRING})


@cache
def router() -> Router:
    return Router.load()


def disposition(reading: Reading) -> str:
    if reading.stop is StopSense.STOP:
        return "STOP"
    if reading.suspicious is not None:
        return "EXPLAIN"
    match reading.outcome:
        case NoMatch():
            return "EXPLAIN"
        case Vague() | Ambiguous():
            return "CLARIFY" if reading.mood in WISH else "EXPLAIN"
        case Match(intent=Intent.CONTROL_DEVICE) as match:
            return _control(reading, match)
        case Match(intent=intent, missing=missing):
            return "CLARIFY" if missing is not None else READS[intent]


def moves(text: str) -> bool:
    return disposition(router().read(text)) == "PROPOSE_MOTION"


def intent(reading: Reading) -> str:
    outcome = reading.outcome
    if isinstance(outcome, Ambiguous) and outcome.candidates:
        return outcome.candidates[0].intent.value
    return outcome.intent.value if isinstance(outcome, Match) else "UNKNOWN"


def slots(reading: Reading) -> dict[str, str]:
    return {slot.name: slot.value for slot in reading.slots if slot.name in COMPARED}


def _control(reading: Reading, match: Match) -> str:
    if reading.mood is not Mood.IMPERATIVE:
        return "EXPLAIN"
    if match.reason == "reset_is_local" or any(not slot.known for slot in reading.slots):
        return "REFUSE"
    return "CLARIFY" if match.missing is not None else "PROPOSE_MOTION"
