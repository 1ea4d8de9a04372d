"""Why something was only explained, and the ways on for each reason. Data. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

NEEDS_MODEL: Final = "control_requires_llm_or_confirmation"
"""Has a text of its own, the customer's, under `control_without_model`."""

_TO_MOVE: Final = ("say_command", "operator_does", "query_status")
_TO_KNOW: Final = ("query_rule", "query_status", "feedback", "ask_capability")

STEPS: Final[Mapping[str, tuple[str, ...]]] = {
    "greeting": _TO_KNOW,
    "capability": ("query_rule", "feedback", "say_command", "query_status"),
    "mood_question": _TO_MOVE,
    "mood_negation": ("say_stop", "query_status"),
    "mood_condition": _TO_MOVE,
    "mood_past": ("query_status", "feedback"),
    "mood_quotation": _TO_MOVE,
    "mood_report": ("feedback", "query_status"),
    "mood_deferred": _TO_MOVE,
    "mood_recurring": _TO_MOVE,
    "mood_self_correction": ("query_status", "say_command"),
    "mood_cancel": ("query_status", "say_stop"),
    "mood_meaning_of": _TO_MOVE,
    "mood_statement": _TO_KNOW,
    "suspicious": ("rephrase", "explicit_form", "query_rule"),
    "stop_ruled_out": ("say_stop", "query_status"),
    "nothing_pending": ("say_something", "query_status"),
    "no_match_fallback_to_explain": _TO_KNOW,
    "out_of_scope": _TO_KNOW,
    "rounds_used": ("query_rule", "feedback", "explicit_form", "call_technician"),
    "model_down": ("query_rule", "feedback", "explicit_form"),
}
SAME_AS: Final[Mapping[str, str]] = {
    "keyword_general": "capability",
    "hidden_characters": "suspicious",
    "look_alike": "suspicious",
    "role_claim": "suspicious",
    "skips_a_check": "suspicious",
    "markup_or_code": "suspicious",
}
"""Reasons that are told in the words of another."""
OTHERWISE: Final = "no_match_fallback_to_explain"
"""How a reason without words of its own is told: it was not understood, nothing was done, here is what works."""


def words_for(reason: str, told_as: str | None = None) -> str:
    """The name under `explanation`: the reason's own words, else those of `told_as`, else: it was not understood."""
    named, other = SAME_AS.get(reason, reason), told_as or OTHERWISE
    choices = (other, named) if named == OTHERWISE else (named, other)
    return next((n for n in choices if n in STEPS), OTHERWISE)
