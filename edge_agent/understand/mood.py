"""The mood gate: what a sentence that is no order may still lead to. Pure tables.

A control wish needs the imperative. Feedback is not stored where the operator took it back or asked what it means;
its own text may be in any mood ("the gripper did not close"). Everything else only reads.
"""

from __future__ import annotations

from offline_rules.reading import Intent, Mood

EVERY_MOOD = frozenset(Mood)

ALLOWED: dict[Intent, frozenset[Mood]] = {
    Intent.CONTROL_DEVICE: frozenset({Mood.IMPERATIVE}),
    Intent.SUBMIT_FEEDBACK: EVERY_MOOD - {Mood.SELF_CORRECTION, Mood.CANCEL, Mood.MEANING_OF},
}

ASKED_BACK = frozenset({Mood.IMPERATIVE, Mood.STATEMENT, Mood.QUESTION, Mood.CONDITION, Mood.DEFERRED, Mood.RECURRING})
"""An unclear wish is asked back; an unclear negation, quotation, report or withdrawal is not a wish."""


ALLOWED_BY_MODEL: dict[Intent, frozenset[Mood]] = {
    **ALLOWED,
    Intent.CONTROL_DEVICE: frozenset({Mood.IMPERATIVE, Mood.STATEMENT}),
    Intent.SUBMIT_FEEDBACK: frozenset({Mood.IMPERATIVE, Mood.STATEMENT, Mood.PAST, Mood.REPORT}),
}
"""Where no rule heard the wish to file something, a question is not filed on the model's word alone. A control wish
that only the model heard in a plain statement may be asked about; moving takes the imperative all the same."""


def lets_pass(intent: Intent, mood: Mood, *, by_model: bool = False) -> bool:
    table = ALLOWED_BY_MODEL if by_model else ALLOWED
    return mood in table.get(intent, EVERY_MOOD)


def reason(mood: Mood) -> str:
    return f"mood_{mood.value.lower()}"
