"""One mechanism taken away, to see what it was worth: what the agent would do had nobody built it. Pure.

Each stands in for the part it replaces, on the case cell alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, TypeAlias

from edge_agent.cases.mechanisms import Mechanism
from edge_agent.diagnose.diagnosis import Guards
from edge_agent.diagnose.dossier import Dossier
from edge_agent.diagnose.draft import Draft
from edge_agent.diagnose.model_gate import ModelGate
from edge_agent.diagnose.semantic_guard import Case, Judged
from edge_agent.diagnose.thinker import Style
from edge_agent.policies import Policies
from edge_agent.run.retry import RetryPolicy
from edge_agent.tools.ports import CopiedRule, RuleCopy
from edge_agent.understand.slots import grounded, missing
from edge_agent.understand.thresholds import Threshold, Thresholds
from offline_rules.reading import Ambiguous, Intent, Match, Mood, NoMatch, Reading, Slot, SlotName, StopSense, Vague

Read: TypeAlias = Callable[[str], Reading]

HERE: Final = frozenset(Mechanism)

INVENTED: Final[Mapping[SlotName, str]] = {
    "task_id": "t000",
    "item_type": "glass",
    "bin": "1",
    "station": "A",
    "action": "home",
    "device": "arm_01",
}
"""What a model that fills every gap would have said."""


def reading(read: Read, off: frozenset[Mechanism], *, model_down: bool) -> Read:
    """The rules without the mechanisms that are off. A stop is always heard."""

    def changed(text: str) -> Reading:
        found = read(text)
        if found.stop is StopSense.STOP:
            return found
        if Mechanism.OFFLINE in off and model_down:
            return replace(found, outcome=NoMatch("no_match_fallback_to_explain"), slots=())
        if Mechanism.MOOD in off:
            found = _ordered(found)
        if Mechanism.CLARIFY in off:
            found = replace(found, outcome=_guessed(found))
        return _filled(found) if Mechanism.GROUNDING in off else found

    return changed


def policies(told: Policies, off: frozenset[Mechanism]) -> Policies:
    return replace(told, retry=RetryPolicy(max_attempts=1), retries={}) if Mechanism.RETRY in off else told


def thresholds(off: frozenset[Mechanism], told: Thresholds | None = None) -> Thresholds:
    return Thresholds(default=Threshold(0.0, 0.0)) if Mechanism.CLARIFY in off else told or Thresholds()


def guards(off: frozenset[Mechanism]) -> Guards:
    """Without them every draft is taken at its word."""
    return Guards(failing=_nothing_wrong, judge=_believed) if Mechanism.GUARDS in off else Guards()


def rule_copy(copy: RuleCopy, off: frozenset[Mechanism]) -> RuleCopy:
    return NoCopy() if Mechanism.OFFLINE in off else copy


class NoCopy:
    """`RuleCopy` of a cell that keeps none."""

    def rule(self, item_type: str) -> CopiedRule | None:
        """Nothing, whatever is asked."""
        del item_type
        return None


def _nothing_wrong(_draft: Draft, _dossier: Dossier) -> tuple[str, ...]:
    return ()


async def _believed(_case: Case, _gate: ModelGate, _style: Style) -> Judged:
    return Judged("SUPPORTED", "table", "the guards are switched off")


def _ordered(found: Reading) -> Reading:
    """Every sentence is an order: a control word is heard as one, whatever stands around it."""
    action = found.slot("action")
    if isinstance(found.outcome, NoMatch) and action is not None:
        outcome = Match(intent=Intent.CONTROL_DEVICE, score=1.0, rule_id="any", reason="keyword_control")
        return replace(found, mood=Mood.IMPERATIVE, outcome=outcome)
    return replace(found, mood=Mood.IMPERATIVE)


def _guessed(found: Reading) -> Match | Vague | Ambiguous | NoMatch:
    """The first that could be meant is taken."""
    match found.outcome:
        case Vague(candidates=(first, *_)):
            return Match(intent=first, score=1.0, rule_id="guess", reason="keyword_guess")
        case Ambiguous(candidates=(first_match, *_)):
            return replace(first_match, missing=None)
        case other:
            return other


def _filled(found: Reading) -> Reading:
    """A slot that nobody said is made up, with the whole sentence as its span."""
    if not isinstance(found.outcome, Match):
        return found
    lacking = found.outcome.missing or missing(found.outcome.intent, grounded(found))
    if lacking is None or lacking not in INVENTED or not found.original:
        return found
    slot = Slot(lacking, INVENTED[lacking], (0, len(found.original)))
    return replace(found, outcome=replace(found.outcome, missing=None), slots=(*found.slots, slot))
