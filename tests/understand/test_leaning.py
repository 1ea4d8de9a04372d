"""What the words lean to, beside a model and without one: asked back, recorded, looked up; never moved."""

from __future__ import annotations

from dataclasses import replace

import pytest

from edge_agent.understand.decide import Model, interpret
from edge_agent.understand.interpretation import Disposition, Interpretation
from edge_agent.understand.leaning import joined
from edge_agent.understand.scores import IntentScore, ModelCause, NoUsableModel, top_two
from edge_agent.understand.thresholds import Thresholds
from offline_rules.reading import Intent, Lean, Leaning, Mood, NoMatch, Reading, Vague
from tests.understand.readings import HOME, RULE, TWO_BINS, reading, slot

DOWN = NoUsableModel(ModelCause.DOWN)
HALF = Thresholds(leaning_weight=0.5)
SAYS = "机器罢工了，到底哪里出毛病"


def leaning(intent: Intent, share: float) -> Leaning:
    rest = [other for other in Intent if other is not intent]
    return (Lean(intent, share), *(Lean(other, (1 - share) / len(rest)) for other in rest))


def said(intent: Intent, share: float, text: str = SAYS, *, mood: Mood = Mood.STATEMENT) -> Reading:
    return replace(reading(text, NoMatch("no_match_fallback_to_explain"), mood=mood), leaning=leaning(intent, share))


def scores(intent: Intent, share: float) -> tuple[IntentScore, ...]:
    rest = [other for other in Intent if other not in (intent, Intent.UNKNOWN)]
    return (IntentScore(intent, share), *(IntentScore(other, (1 - share) / len(rest)) for other in rest))


def heard(given: Reading, model: Model = DOWN) -> Interpretation:
    return interpret(given, model, HALF)


@pytest.mark.parametrize(
    ("intent", "disposition", "missing"),
    [
        (Intent.DIAGNOSE, Disposition.DIAGNOSE, None),
        (Intent.QUERY_STATUS, Disposition.ANSWER, None),
        (Intent.QUERY_RULE, Disposition.CLARIFY, "item_type"),
        (Intent.SUBMIT_FEEDBACK, Disposition.CLARIFY, "task_id"),
        (Intent.CONTROL_DEVICE, Disposition.CLARIFY, "action"),
        (Intent.GENERAL, Disposition.EXPLAIN, None),
    ],
)
def test_words_alone_lead_where_no_phrase_and_no_model_does(
    intent: Intent, disposition: Disposition, missing: str | None
) -> None:
    made = heard(said(intent, 0.95))
    assert (made.disposition, made.missing) == (disposition, missing)
    assert made.source == "rules"
    assert made.intent is (Intent.UNKNOWN if intent is Intent.GENERAL else intent)


@pytest.mark.parametrize("mood", list(Mood))
@pytest.mark.parametrize("model", [DOWN, scores(Intent.CONTROL_DEVICE, 0.99)])
def test_they_never_move_anything(mood: Mood, model: Model) -> None:
    text = "home"
    wish = replace(
        reading(text, NoMatch("no_match_fallback_to_explain"), slot(text, "action", "home"), mood=mood),
        leaning=leaning(Intent.CONTROL_DEVICE, 0.999),
    )
    if mood is not Mood.IMPERATIVE:
        assert not heard(wish, model).would_move


def test_a_stop_they_lean_to_is_offered_and_not_made() -> None:
    made = heard(said(Intent.STOP, 0.97))
    assert (made.disposition, made.reason) == (Disposition.CLARIFY, "stop_heard_by_model_only")


def test_not_sure_and_ours_is_asked_back() -> None:
    assert heard(said(Intent.UNKNOWN, 0.9)).reason == "unclear_wish"
    assert heard(said(Intent.DIAGNOSE, 0.5)).disposition is Disposition.CLARIFY
    assert heard(said(Intent.GENERAL, 0.6)).disposition is Disposition.EXPLAIN


NO_WISH = [Mood.NEGATION, Mood.QUOTATION, Mood.REPORT, Mood.CONDITION]


@pytest.mark.parametrize("mood", [*NO_WISH, Mood.CANCEL])
def test_not_sure_and_no_wish_is_explained(mood: Mood) -> None:
    assert heard(said(Intent.UNKNOWN, 0.6, mood=mood)).disposition is Disposition.EXPLAIN
    assert heard(said(Intent.DIAGNOSE, 0.5, mood=mood)).disposition is Disposition.EXPLAIN


@pytest.mark.parametrize("mood", NO_WISH)
def test_words_of_an_unclear_wish_are_asked_back_in_any_mood_but_a_withdrawal(mood: Mood) -> None:
    assert heard(said(Intent.UNKNOWN, 0.9, "not there, there", mood=mood)).reason == "unclear_wish"
    assert heard(said(Intent.UNKNOWN, 0.9, "never mind", mood=Mood.CANCEL)).disposition is Disposition.EXPLAIN


@pytest.mark.parametrize(("share", "asked"), [(0.9, True), (0.5, False)])
def test_two_values_in_what_looks_like_a_question_are_asked_about_where_the_words_are_a_wish(
    share: float, asked: bool
) -> None:
    either = replace(TWO_BINS, mood=Mood.QUESTION, leaning=leaning(Intent.UNKNOWN, share))
    made = heard(either)
    assert (made.disposition is Disposition.CLARIFY, made.missing == "bin") == (asked, asked)


HALF_SAID = replace(HOME, mood=Mood.STATEMENT, wished=slot("home the arm", "action", "home"))
"""A phrase of a motion took in a part of the sentence, so nobody ordered anything yet."""


@pytest.mark.parametrize("model", [scores(Intent.CONTROL_DEVICE, 0.99), scores(Intent.GENERAL, 0.99)])
def test_a_motion_half_said_is_asked_about_where_the_words_are_a_wish_and_explained_where_not(model: Model) -> None:
    made = heard(replace(HALF_SAID, leaning=leaning(Intent.CONTROL_DEVICE, 0.9)), model)
    assert (made.disposition, made.reason, made.would_move) == (Disposition.CLARIFY, "wish_to_confirm", False)
    assert [c.intent for c in made.candidates] == [Intent.CONTROL_DEVICE]
    unsure = heard(replace(HALF_SAID, leaning=leaning(Intent.CONTROL_DEVICE, 0.8)), model)
    assert (unsure.disposition, unsure.reason) == (Disposition.EXPLAIN, "mood_statement")


def test_a_motion_half_said_that_the_words_do_not_name_is_explained() -> None:
    sure = leaning(Intent.CONTROL_DEVICE, 0.99)
    for wished in (None, slot("home the arm", "action", "home", "park")):
        made = heard(replace(HALF_SAID, wished=wished, leaning=sure), scores(Intent.CONTROL_DEVICE, 0.99))
        assert (made.disposition, made.reason) == (Disposition.EXPLAIN, "mood_statement")


@pytest.mark.parametrize("mood", [m for m in Mood if m not in (Mood.IMPERATIVE, Mood.STATEMENT)])
def test_a_motion_half_said_in_any_other_mood_is_explained(mood: Mood) -> None:
    told = replace(HOME, mood=mood, leaning=leaning(Intent.CONTROL_DEVICE, 0.99))
    made = heard(told, scores(Intent.CONTROL_DEVICE, 0.99))
    assert (made.disposition, made.reason) == (Disposition.EXPLAIN, f"mood_{mood.value.lower()}")


def test_a_motion_half_said_without_a_model_is_explained_with_the_way_that_works() -> None:
    made = heard(replace(HALF_SAID, leaning=leaning(Intent.CONTROL_DEVICE, 0.9)))
    assert (made.disposition, made.reason) == (Disposition.EXPLAIN, "control_requires_llm_or_confirmation")


@pytest.mark.parametrize(
    ("text", "share", "asked"),
    [("pick up uh", 0.65, True), ("arm...", 0.65, True), ("arm...", 0.55, False), ("put it no wait", 0.65, False)],
)
def test_what_breaks_off_is_asked_back_and_what_is_taken_back_is_not(text: str, share: float, asked: bool) -> None:
    unread = said(Intent.UNKNOWN, share, text, mood=Mood.SELF_CORRECTION)
    fragment = replace(unread, outcome=Vague("fragment_arm"))
    for given in (unread, fragment):
        assert (heard(given).disposition is Disposition.CLARIFY) is asked


def test_talk_of_a_motion_that_is_over_is_not_asked_back() -> None:
    done = said(Intent.CONTROL_DEVICE, 0.8, "我已经把它移到工位 B 了", mood=Mood.PAST)
    assert heard(done, scores(Intent.GENERAL, 0.2)).disposition is Disposition.EXPLAIN


def test_a_report_is_filed_in_whatever_mood_its_words_show_and_a_question_is_not() -> None:
    for mood in (Mood.CONDITION, Mood.NEGATION, Mood.QUESTION, Mood.SELF_CORRECTION):
        assert heard(said(Intent.SUBMIT_FEEDBACK, 0.95, mood=mood)).intent is Intent.SUBMIT_FEEDBACK
    asked = heard(said(Intent.SUBMIT_FEEDBACK, 0.95, "夹爪是不是松了?", mood=Mood.QUESTION))
    assert (asked.disposition, asked.reason) == (Disposition.EXPLAIN, "mood_question")
    noted = heard(
        said(Intent.SUBMIT_FEEDBACK, 0.95, "it made a noise, would you make a note of it?", mood=Mood.QUESTION)
    )
    assert (noted.disposition, noted.missing) == (Disposition.CLARIFY, "task_id")
    withdrawn = heard(said(Intent.SUBMIT_FEEDBACK, 0.95, mood=Mood.CANCEL))
    assert withdrawn.disposition is Disposition.EXPLAIN


def test_a_phrase_needs_no_second_and_without_a_model_no_words_talk_it_away() -> None:
    for phrase in (RULE, HOME):
        against = replace(phrase, leaning=leaning(Intent.GENERAL, 0.99))
        assert heard(against).reason == heard(phrase).reason
    vague = replace(reading("帮我处理一下", Vague("vague_verb")), leaning=leaning(Intent.DIAGNOSE, 0.99))
    assert heard(vague).disposition is Disposition.CLARIFY


def test_a_model_that_hears_what_nothing_backs_is_asked_about_and_not_followed() -> None:
    unbacked = said(Intent.GENERAL, 0.6)
    alone = interpret(unbacked, scores(Intent.QUERY_STATUS, 0.95), Thresholds())
    assert (alone.disposition, alone.intent) == (Disposition.CLARIFY, Intent.UNKNOWN)
    assert alone.candidates[0].intent == Intent.QUERY_STATUS
    quoted = interpret(replace(unbacked, mood=Mood.QUOTATION), scores(Intent.QUERY_STATUS, 0.95), Thresholds())
    assert quoted.disposition is Disposition.EXPLAIN
    backed = interpret(said(Intent.QUERY_STATUS, 0.6), scores(Intent.QUERY_STATUS, 0.95), Thresholds())
    assert (backed.disposition, backed.source) == (Disposition.ANSWER, "model")


def test_both_together_decide_by_their_weight() -> None:
    words, model = leaning(Intent.DIAGNOSE, 0.9), scores(Intent.QUERY_STATUS, 0.9)
    assert joined(words, model, 0.0) == model
    assert top_two(joined(words, model, 0.2))[0].intent == Intent.QUERY_STATUS
    assert top_two(joined(words, model, 0.8))[0].intent == Intent.DIAGNOSE
    assert sum(score.score for score in joined(words, model, 0.5)) == pytest.approx(1.0)


def test_the_model_has_no_say_about_what_is_unclear() -> None:
    made = joined(leaning(Intent.UNKNOWN, 0.8), scores(Intent.CONTROL_DEVICE, 0.99), 0.5)
    assert top_two(made)[0] == IntentScore(Intent.UNKNOWN, 0.8)
