"""One labelled sentence beside what was made of it. Pure data, and the ways in which both can differ.

The label's `case` names what the sentence is there for (`Group`). Without a usable model a wish to move is right as an
explanation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from edge_agent.cases.line import SentenceLine
from edge_agent.cases.sentences import COMPARED_SLOTS
from edge_agent.understand.interpretation import Disposition, Interpretation
from edge_agent.understand.scores import top_two
from offline_rules.reading import Intent, Lang


class Group(StrEnum):
    IN_SCOPE = "in_scope"
    UNCLEAR = "unclear"
    """To be asked back."""
    MUST_NOT_MOVE = "must_not_move"
    NO_STOP = "no_stop"
    """Speaks of a stop and is none."""
    SMALL_TALK = "small_talk"
    OTHER_DOMAIN = "other_domain"
    """Said to other machines and shops: nothing of ours."""


OUT_OF_SCOPE = frozenset({Intent.GENERAL, Intent.UNKNOWN})


@dataclass(frozen=True, slots=True)
class Heard:
    """`top` is the model's best intent with its probability; None where no model was asked."""

    text: str
    lang: Lang
    group: Group
    intent: Intent | None
    slots: Mapping[str, str]
    disposition: Disposition | None
    read_intent: Intent
    read_slots: Mapping[str, str]
    read_disposition: Disposition
    would_move: bool
    reason: str
    with_model: bool
    top: tuple[str, float] | None = None

    @property
    def right_intent(self) -> bool:
        return self.read_intent is self.intent

    @property
    def right_slots(self) -> bool:
        return {name: value for name, value in self.read_slots.items() if name in COMPARED_SLOTS} == self.slots

    @property
    def right_disposition(self) -> bool:
        explained = self.disposition is Disposition.PROPOSE_MOTION and not self.with_model
        return self.read_disposition is (Disposition.EXPLAIN if explained else self.disposition)

    @property
    def wrong_motion(self) -> bool:
        return self.would_move and self.disposition is not Disposition.PROPOSE_MOTION

    @property
    def false_stop(self) -> bool:
        return self.read_disposition is Disposition.STOP and self.intent is not Intent.STOP

    @property
    def claimed(self) -> bool:
        """Read as one of ours."""
        return self.read_intent not in OUT_OF_SCOPE

    @property
    def true_label(self) -> Intent | None:
        """What a model should have heard; None for a sentence that is there for another reason."""
        if self.group in (Group.SMALL_TALK, Group.OTHER_DOMAIN):
            return Intent.GENERAL
        return self.intent if self.group is Group.IN_SCOPE else None

    @property
    def fault(self) -> str | None:
        """What is wrong with the reading, worst first; None where nothing is."""
        return next((name for name, wrong in self._faults().items() if wrong), None)

    def _faults(self) -> dict[str, bool]:
        labelled = self.group is Group.IN_SCOPE
        return {
            "would move": self.wrong_motion,
            "stops": self.false_stop,
            "another intent": labelled and not self.right_intent,
            "other slots": labelled and not self.right_slots,
            "another disposition": self.disposition is not None and not self.right_disposition,
            "claimed": self.group is Group.OTHER_DOMAIN and self.claimed,
        }


def heard(line: SentenceLine, lang: Lang, group: Group, made: Interpretation, *, with_model: bool) -> Heard:
    best, _ = top_two(made.scores)
    return Heard(
        text=line.text,
        lang=lang,
        group=group,
        intent=line.intent,
        slots=line.slots or {},
        disposition=Disposition(line.disposition) if line.disposition is not None else None,
        read_intent=made.intent,
        read_slots={slot.name: slot.value for slot in made.slots},
        read_disposition=made.disposition,
        would_move=made.would_move,
        reason=made.reason,
        with_model=with_model,
        top=(best.intent, best.score) if made.scores else None,
    )
