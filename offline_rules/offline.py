"""The reading of one sentence as the lesson's `offline_route` gives it: with the shipped packs and the default cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from offline_rules.reading import Ambiguous, Intent, Match
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
    outcome = reading.outcome
    slots: dict[str, str] = {slot.name: slot.value for slot in reading.slots}
    if isinstance(outcome, Match):
        wish = outcome.intent is Intent.CONTROL_DEVICE and not reading.explicit
        served = not wish and outcome.intent is not Intent.GENERAL and reading.suspicious is None
        return OfflineDecision(served and outcome.missing is None, outcome.intent.value, slots, outcome.reason)
    if isinstance(outcome, Ambiguous) and outcome.slot is not None:
        slots.pop(outcome.slot, None)
    return OfflineDecision(False, Intent.UNKNOWN.value, slots, outcome.reason)


@cache
def _router() -> Router:
    return Router.load()
