"""One reading and its scores give one interpretation: the agreement table, row by row, and every gate around it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from edge_agent.understand.combine import AGREEMENT
from edge_agent.understand.decide import Model, asks_model, interpret
from edge_agent.understand.interpretation import Disposition, Interpretation
from edge_agent.understand.scores import IntentScore, ModelCause, NoUsableModel
from edge_agent.understand.thresholds import Risk, Threshold, Thresholds
from offline_rules.reading import Intent, Mood, NoMatch, Reading, Slot, StopSense
from tests.understand.readings import (
    EITHER,
    GLASS,
    HOME,
    NOTHING,
    RULE,
    TWO_BINS,
    VAGUE,
    as_question,
    match,
    reading,
    slot,
)

DOWN = NoUsableModel(ModelCause.DOWN)


def sure(intent: Intent, score: float = 0.9) -> tuple[IntentScore, ...]:
    rest = [i for i in Intent if i not in (intent, Intent.UNKNOWN)]
    return (IntentScore(intent, score), *(IntentScore(i, (1 - score) / len(rest)) for i in rest))


EVEN = sure(Intent.GENERAL, 1 / 7)


def decide(given: Reading, model: Model) -> Interpretation:
    return interpret(given, model, Thresholds())


@pytest.mark.parametrize(
    ("given", "model", "disposition", "intent", "source"),
    [
        # match: same, GENERAL, UNKNOWN or below threshold leaves the rule's; another in-scope intent is asked about
        (RULE, sure(Intent.QUERY_RULE), Disposition.ANSWER, Intent.QUERY_RULE, "rules+model"),
        (RULE, sure(Intent.GENERAL), Disposition.ANSWER, Intent.QUERY_RULE, "rules"),
        (RULE, EVEN, Disposition.ANSWER, Intent.QUERY_RULE, "rules"),
        (RULE, DOWN, Disposition.ANSWER, Intent.QUERY_RULE, "rules"),
        (RULE, sure(Intent.CONTROL_DEVICE), Disposition.CLARIFY, Intent.QUERY_RULE, "rules+model"),
        (RULE, sure(Intent.STOP), Disposition.CLARIFY, Intent.QUERY_RULE, "rules+model"),
        (HOME, sure(Intent.CONTROL_DEVICE), Disposition.PROPOSE_MOTION, Intent.CONTROL_DEVICE, "rules+model"),
        (HOME, EVEN, Disposition.PROPOSE_MOTION, Intent.CONTROL_DEVICE, "rules"),
        (HOME, sure(Intent.QUERY_STATUS), Disposition.CLARIFY, Intent.CONTROL_DEVICE, "rules+model"),
        # vague: always asked back
        (VAGUE, sure(Intent.CONTROL_DEVICE), Disposition.CLARIFY, Intent.UNKNOWN, "rules+model"),
        (VAGUE, EVEN, Disposition.CLARIFY, Intent.UNKNOWN, "rules"),
        (VAGUE, DOWN, Disposition.CLARIFY, Intent.UNKNOWN, "rules"),
        # ambiguous: the model may settle it between the rules' own candidates only
        (EITHER, sure(Intent.DIAGNOSE), Disposition.DIAGNOSE, Intent.DIAGNOSE, "rules+model"),
        (EITHER, sure(Intent.CONTROL_DEVICE), Disposition.CLARIFY, Intent.UNKNOWN, "rules+model"),
        (EITHER, EVEN, Disposition.CLARIFY, Intent.UNKNOWN, "rules"),
        (EITHER, DOWN, Disposition.CLARIFY, Intent.UNKNOWN, "rules"),
        # two values for one slot: never a choice
        (TWO_BINS, sure(Intent.CONTROL_DEVICE), Disposition.CLARIFY, Intent.CONTROL_DEVICE, "rules+model"),
        (TWO_BINS, DOWN, Disposition.CLARIFY, Intent.CONTROL_DEVICE, "rules"),
        # no match: the model's only with a slot of that intent
        (GLASS, sure(Intent.QUERY_RULE), Disposition.ANSWER, Intent.QUERY_RULE, "model"),
        (GLASS, sure(Intent.QUERY_STATUS), Disposition.EXPLAIN, Intent.UNKNOWN, "rules"),
        (NOTHING, sure(Intent.QUERY_RULE), Disposition.EXPLAIN, Intent.UNKNOWN, "rules"),
        (NOTHING, sure(Intent.CONTROL_DEVICE), Disposition.EXPLAIN, Intent.UNKNOWN, "rules"),
        (NOTHING, sure(Intent.STOP), Disposition.CLARIFY, Intent.UNKNOWN, "model"),
        (NOTHING, DOWN, Disposition.EXPLAIN, Intent.UNKNOWN, "rules"),
    ],
)
def test_agreement(given: Reading, model: Model, disposition: Disposition, intent: Intent, source: str) -> None:
    got = decide(given, model)
    assert (got.disposition, got.intent, got.source) == (disposition, intent, source)


def test_the_agreement_table_never_lets_the_model_alone_answer_a_vague_or_doubled_sentence() -> None:
    loose = {w for (s, _), w in AGREEMENT.items() if s in ("vague", "two_values")}
    assert loose == {"ask_candidates", "ask_slot"}


def test_contradiction_offers_the_two() -> None:
    got = decide(HOME, sure(Intent.QUERY_STATUS))
    assert [c.intent for c in got.candidates] == ["QUERY_STATUS", "CONTROL_DEVICE"]


def test_two_values_name_the_slot() -> None:
    assert decide(TWO_BINS, DOWN).missing == "bin"


def test_vague_offers_what_the_scores_make_likely() -> None:
    given = (IntentScore("QUERY_RULE", 0.41), IntentScore("SUBMIT_FEEDBACK", 0.39), IntentScore("GENERAL", 0.2))
    got = decide(VAGUE, given)
    assert [c.intent for c in got.candidates] == ["QUERY_RULE", "SUBMIT_FEEDBACK", "GENERAL"]
    assert got.reason == "top_score_low"


@pytest.mark.parametrize("cause", list(ModelCause))
def test_without_a_usable_model_control_is_explained_whatever_the_cause(cause: ModelCause) -> None:
    got = decide(HOME, NoUsableModel(cause))
    assert (got.disposition, got.reason) == (Disposition.EXPLAIN, "control_requires_llm_or_confirmation")
    assert (got.intent, got.no_model, got.would_move) == (Intent.CONTROL_DEVICE, cause, False)


@pytest.mark.parametrize("mood", [m for m in Mood if m is not Mood.IMPERATIVE])
@pytest.mark.parametrize("model", [sure(Intent.CONTROL_DEVICE), EVEN, DOWN])
@pytest.mark.parametrize("base", [HOME, GLASS, VAGUE, EITHER, TWO_BINS, NOTHING])
def test_no_mood_but_the_imperative_moves_anything(base: Reading, model: Model, mood: Mood) -> None:
    got = decide(replace(base, mood=mood), model)
    assert not got.would_move
    assert got.disposition in (Disposition.EXPLAIN, Disposition.CLARIFY) or got.intent is not Intent.CONTROL_DEVICE


def test_a_question_about_moving_is_explained_even_where_the_model_hears_another_intent() -> None:
    got = decide(as_question(HOME), sure(Intent.QUERY_STATUS))
    assert (got.disposition, got.reason) == (Disposition.EXPLAIN, "mood_question")


def test_taken_back_feedback_is_not_stored() -> None:
    text = "note for t014 lid open, no wait, don't"
    given = reading(text, match(Intent.SUBMIT_FEEDBACK), slot(text, "task_id", "t014"), mood=Mood.SELF_CORRECTION)
    assert decide(given, DOWN).disposition is Disposition.EXPLAIN


def test_the_model_alone_files_no_question() -> None:
    text = "t014 裂了吗"
    given = reading(text, NoMatch("no_match_fallback_to_explain"), slot(text, "task_id", "t014"), mood=Mood.QUESTION)
    assert decide(given, sure(Intent.SUBMIT_FEEDBACK)).disposition is Disposition.EXPLAIN


def _place(bin_known: bool = True) -> Reading:
    text = "pick glass into bin 12"
    return reading(
        text,
        match(Intent.CONTROL_DEVICE),
        slot(text, "action", "pick", "pick_place"),
        slot(text, "item_type", "glass"),
        slot(text, "bin", "12", known=bin_known),
    )


@pytest.mark.parametrize("model", [sure(Intent.CONTROL_DEVICE), DOWN])
def test_a_value_outside_the_cell_is_refused_by_name_with_and_without_model(model: Model) -> None:
    got = decide(_place(bin_known=False), model)
    assert (got.disposition, got.reason) == (Disposition.REFUSE, "out_of_cell")
    assert [s.value for s in got.refused] == ["12"]


def test_the_same_value_in_a_query_is_no_refusal() -> None:
    text = "arm_02 忙不忙"
    given = reading(text, match(Intent.QUERY_STATUS), slot(text, "device", "arm_02", known=False), mood=Mood.QUESTION)
    assert decide(given, DOWN).disposition is Disposition.ANSWER


@pytest.mark.parametrize("model", [sure(Intent.CONTROL_DEVICE), DOWN])
def test_one_missing_field_is_asked_for(model: Model) -> None:
    text = "夹取 玻璃 放过去"
    given = reading(
        text,
        match(Intent.CONTROL_DEVICE),
        slot(text, "action", "夹取", "pick_place"),
        slot(text, "item_type", "玻璃", "glass"),
    )
    got = decide(given, model)
    assert (got.disposition, got.reason, got.missing) == (Disposition.CLARIFY, "missing_slot", "bin")


def test_a_slot_without_a_span_does_not_exist() -> None:
    ghost = Slot("action", "home", (4, 4))
    outside = Slot("action", "home", (0, 99))
    for made_up in (ghost, outside):
        got = decide(reading("arm!", match(Intent.CONTROL_DEVICE), made_up), sure(Intent.CONTROL_DEVICE))
        assert (got.disposition, got.missing) == (Disposition.CLARIFY, "action")


def test_a_reset_is_understood_and_never_proposed() -> None:
    text = "复位机械臂"
    given = reading(text, match(Intent.CONTROL_DEVICE), slot(text, "action", "复位", "reset"))
    for model in (sure(Intent.CONTROL_DEVICE), DOWN):
        got = decide(given, model)
        assert (got.disposition, got.reason, got.would_move) == (Disposition.REFUSE, "reset_is_local", False)


@pytest.mark.parametrize("model", [sure(Intent.GENERAL), sure(Intent.CONTROL_DEVICE), DOWN])
def test_the_explicit_form_proposes_with_and_without_a_model(model: Model) -> None:
    text = "动作=回零 设备=arm_01"
    given = reading(
        text,
        match(Intent.CONTROL_DEVICE),
        slot(text, "action", "回零", "home"),
        slot(text, "device", "arm_01"),
    )
    got = decide(replace(given, explicit=True, ignored=("是否确认=是",)), model)
    assert (got.disposition, got.source, got.ignored) == (Disposition.PROPOSE_MOTION, "explicit", ("是否确认=是",))
    taken_back = decide(replace(given, explicit=True, mood=Mood.NEGATION), model)
    assert (taken_back.disposition, taken_back.reason) == (Disposition.EXPLAIN, "mood_negation")


@pytest.mark.parametrize("base", [HOME, RULE, GLASS, replace(HOME, explicit=True)])
def test_a_suspicious_text_is_explained_and_nothing_else(base: Reading) -> None:
    got = decide(replace(base, suspicious="claims_role"), sure(Intent.CONTROL_DEVICE))
    assert (got.disposition, got.reason, got.suspicious) == (Disposition.EXPLAIN, "claims_role", "claims_role")


def test_a_stop_is_a_stop_even_in_a_suspicious_text() -> None:
    given = replace(HOME, stop=StopSense.STOP, suspicious="invisible_characters", mood=Mood.QUESTION)
    assert decide(given, DOWN).disposition is Disposition.STOP


def test_where_a_stop_word_was_ruled_out_the_models_stop_is_not_asked_about() -> None:
    given = replace(NOTHING, stop=StopSense.RULED_OUT)
    assert decide(given, sure(Intent.STOP)).disposition is Disposition.EXPLAIN


@pytest.mark.parametrize("text", ["确认执行", "yes", "1", "好的。"])
def test_an_answer_without_a_question_does_nothing(text: str) -> None:
    got = decide(reading(text, match(Intent.CONTROL_DEVICE)), sure(Intent.CONTROL_DEVICE))
    assert (got.disposition, got.reason) == (Disposition.EXPLAIN, "nothing_pending")


@pytest.mark.parametrize("reason", ["empty_text", "too_long"])
def test_unreadable_input_is_refused(reason: str) -> None:
    assert decide(reading("", NoMatch(reason)), EVEN).disposition is Disposition.REFUSE


@pytest.mark.parametrize(
    ("given", "asks"),
    [
        (HOME, True),
        (RULE, True),
        (NOTHING, True),
        (replace(HOME, stop=StopSense.STOP), False),
        (replace(HOME, suspicious="markup"), False),
        (as_question(HOME), False),
    ],
)
def test_no_model_is_asked_where_it_has_no_say(given: Reading, asks: bool) -> None:
    assert asks_model(given) is asks


def test_thresholds_go_by_language_and_risk() -> None:
    strict = Thresholds(fitted=(("zh", Risk.READ, Threshold(0.95, 0.5)),))
    assert interpret(GLASS, sure(Intent.QUERY_RULE, 0.9), strict).disposition is Disposition.EXPLAIN
    assert interpret(GLASS, sure(Intent.QUERY_RULE, 0.96), strict).disposition is Disposition.ANSWER


def test_a_models_own_control_reading_needs_an_action_that_was_said() -> None:
    got = decide(GLASS, sure(Intent.CONTROL_DEVICE))
    assert (got.disposition, got.missing) == (Disposition.CLARIFY, "action")


def test_a_control_wish_only_the_model_hears_is_asked_about_in_a_statement_and_explained_in_a_question() -> None:
    stated = replace(GLASS, mood=Mood.STATEMENT)
    got = decide(stated, sure(Intent.CONTROL_DEVICE))
    assert (got.disposition, got.missing) == (Disposition.CLARIFY, "action")
    assert decide(as_question(GLASS), sure(Intent.CONTROL_DEVICE)).disposition is Disposition.EXPLAIN


def test_even_with_every_slot_a_statement_moves_nothing() -> None:
    said = replace(GLASS, mood=Mood.STATEMENT, slots=(*GLASS.slots, slot(GLASS.original, "action", "弄走", "pick")))
    got = decide(said, sure(Intent.CONTROL_DEVICE))
    assert (got.disposition, got.reason, got.would_move) == (Disposition.CLARIFY, "wish_to_confirm", False)
    assert [c.intent for c in got.candidates] == [Intent.CONTROL_DEVICE]


def test_feedback_only_the_model_heard_keeps_all_that_was_said() -> None:
    text = "t066 的料卡在导轨上"
    given = reading(text, NoMatch("no_match_fallback_to_explain"), slot(text, "task_id", "t066"), mood=Mood.STATEMENT)
    got = decide(given, sure(Intent.SUBMIT_FEEDBACK))
    assert got.disposition is Disposition.RECORD
    kept = got.slot("text")
    assert kept is not None
    assert (kept.value, kept.span) == (text, (0, len(text)))


def test_values_of_a_sentence_nobody_understood_are_not_shown_as_understood() -> None:
    assert decide(GLASS, sure(Intent.GENERAL)).slots == ()
