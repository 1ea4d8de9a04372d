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

ASKED_BACK_UNPHRASED = (ASKED_BACK | {Mood.PAST}) - {Mood.CONDITION}
"""Where no phrase shows a wish: "再搞一次刚才那个" is one, "if the bin is full" is half of one."""

ALLOWED_UNPHRASED: dict[Intent, frozenset[Mood]] = {
    **ALLOWED,
    Intent.CONTROL_DEVICE: frozenset({Mood.IMPERATIVE, Mood.STATEMENT}),
    Intent.SUBMIT_FEEDBACK: EVERY_MOOD - {Mood.CANCEL, Mood.MEANING_OF},
}
"""What people report is full of words that show a mood ("it was in bin 1 when I came", "分错了，不对"). A control wish
that no phrase heard in a plain statement may be asked about; moving takes the imperative all the same."""


def lets_pass(intent: Intent, mood: Mood, *, unphrased: bool = False) -> bool:
    table = ALLOWED_UNPHRASED if unphrased else ALLOWED
    return mood in table.get(intent, EVERY_MOOD)


def reason(mood: Mood) -> str:
    return f"mood_{mood.value.lower()}"
