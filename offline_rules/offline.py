"""The reading of one sentence as the lesson's `offline_route` gives it: with the shipped packs and the default cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from offline_rules.reading import Ambiguous, Intent, Match, NoMatch, StopSense, Vague
from offline_rules.router import Router


@dataclass(frozen=True, slots=True)
class OfflineDecision:
    """`ok`: the rules alone can answer or record this. A control wish is never ok; `reason` says what it needs."""

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
            served = reading.stop is StopSense.STOP or intent not in (Intent.CONTROL_DEVICE, Intent.GENERAL)
            return OfflineDecision(served and missing is None, intent.value, slots, reason)
        case Vague(reason=reason) | Ambiguous(reason=reason) | NoMatch(reason=reason):
            return OfflineDecision(False, Intent.UNKNOWN.value, slots, reason)


@cache
def _router() -> Router:
    return Router.load()
