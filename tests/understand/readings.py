"""Readings written by hand, so that this room's tests need no phrase packs."""

from __future__ import annotations

from dataclasses import replace

from offline_rules.reading import (
    Ambiguous,
    Intent,
    Match,
    Mood,
    NoMatch,
    Outcome,
    Reading,
    Slot,
    SlotName,
    StopSense,
    Vague,
)


def slot(text: str, name: SlotName, said: str, value: str | None = None, *, known: bool = True) -> Slot:
    start = text.index(said)
    return Slot(name, value if value is not None else said, (start, start + len(said)), known)


def match(intent: Intent, missing: SlotName | None = None, reason: str = "keyword_rule") -> Match:
    return Match(intent, 1.0, "zh/x#1", reason, missing)


def reading(text: str, outcome: Outcome, *slots: Slot, mood: Mood = Mood.IMPERATIVE) -> Reading:
    lang = "zh" if any("\u4e00" <= c <= "\u9fff" for c in text) else "en"
    return Reading(
        original=text,
        normalised=text.casefold(),
        lang=lang,  # type: ignore[arg-type]
        stop=StopSense.NONE,
        mood=mood,
        outcome=outcome,
        slots=slots,
    )


_HOME = "home the arm"
HOME = reading(_HOME, match(Intent.CONTROL_DEVICE), slot(_HOME, "action", "home"))
_RULE = "查一下 glass 的分拣规则"
RULE = reading(_RULE, match(Intent.QUERY_RULE, reason="keyword_rule+item_type"), slot(_RULE, "item_type", "glass"))
VAGUE = reading("帮我处理一下", Vague("vague_verb"))
_TWO = "put glass in bin 1 or bin 3"
TWO_BINS = reading(
    _TWO, Ambiguous("two_values", (match(Intent.CONTROL_DEVICE),), "bin"), slot(_TWO, "item_type", "glass")
)
_EITHER = "glass t014"
EITHER = reading(
    _EITHER,
    Ambiguous("several_intents", (match(Intent.QUERY_RULE), match(Intent.DIAGNOSE))),
    slot(_EITHER, "item_type", "glass"),
    slot(_EITHER, "task_id", "t014"),
)
NOTHING = reading("今天天气不错", NoMatch("no_match_fallback_to_explain"), mood=Mood.STATEMENT)
_SAYS = "把玻璃弄走吧"
GLASS = reading(_SAYS, NoMatch("no_match_fallback_to_explain"), slot(_SAYS, "item_type", "玻璃", "glass"))


def as_question(base: Reading) -> Reading:
    return replace(base, mood=Mood.QUESTION)
