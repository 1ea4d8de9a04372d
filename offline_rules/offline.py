"""The reading of one sentence as the lesson's `offline_route` gives it: with the shipped packs and the default cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from offline_rules.reading import Ambiguous, Intent, Match, NoMatch, Vague
from offline_rules.router import Router


@dataclass(frozen=True, slots=True)
class OfflineDecision:
    """`ok`: the rules alone can answer or record this, or put it to the operator's confirmation. A control wish in
    free words is never ok; `reason` says what it needs."""

    ok: bool
    intent: str
    slots: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""


def offline_route(text: str) -> OfflineDecision:
    """What can be done with a sentence while the language model is down."""
    reading = _router().read(text)
    slots: dict[str, str] = {slot.name: slot.value for slot in reading.slots}
    match reading.outcome:
        case Match(intent=intent, reason=reason, missing=missing):
            wish = intent is Intent.CONTROL_DEVICE and not reading.explicit
            served = not wish and intent is not Intent.GENERAL and reading.suspicious is None
            return OfflineDecision(served and missing is None, intent.value, slots, reason)
        case Ambiguous(reason=reason, slot=twice) if twice is not None:
            once = {name: value for name, value in slots.items() if name != twice}
            return OfflineDecision(False, Intent.UNKNOWN.value, once, reason)
        case Vague(reason=reason) | Ambiguous(reason=reason) | NoMatch(reason=reason):
            return OfflineDecision(False, Intent.UNKNOWN.value, slots, reason)


@cache
def _router() -> Router:
    return Router.load()
