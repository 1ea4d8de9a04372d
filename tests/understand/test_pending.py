"""A question waits for one user on one channel, two rounds at most, and its answer still rests on said words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from edge_agent.understand.decide import interpret
from edge_agent.understand.interpretation import Disposition
from edge_agent.understand.pending import (
    AskAgain,
    Expired,
    HandOver,
    Joined,
    NewRequest,
    Pending,
    PendingQuestions,
    Withdrawn,
    answer,
    question,
)
from edge_agent.understand.scores import IntentScore, ModelCause, NoUsableModel
from edge_agent.understand.thresholds import Thresholds
from offline_rules.reading import Ambiguous, Bare, Intent, Mood, NoMatch, Reading, Slot, StopSense, Vague
from tests.understand.readings import HOME, NOTHING, RULE, TWO_BINS, VAGUE, match, reading, slot

DOWN = NoUsableModel(ModelCause.DOWN)
NOW_S = 100.0


def _fragment(text: str, *slots: Slot) -> Reading:
    return replace(reading(text, Vague("object_without_verb"), *slots, mood=Mood.STATEMENT), bare=Bare.VALUE)


REPLIES: dict[str, Reading] = {
    r.original: r
    for r in (
        HOME,
        RULE,
        _fragment("glass", slot("glass", "item_type", "glass")),
        _fragment("t014", slot("t014", "task_id", "t014")),
        _fragment("bin 2", slot("bin 2", "bin", "2")),
        _fragment("paper, bin 2", slot("paper, bin 2", "item_type", "paper"), slot("paper, bin 2", "bin", "2")),
        reading("算了", NoMatch("no_match_fallback_to_explain"), mood=Mood.CANCEL),
        reading("2号箱?", Vague("object_without_verb"), slot("2号箱?", "bin", "2"), mood=Mood.QUESTION),
        replace(reading("停", NoMatch("x")), stop=StopSense.STOP),
    )
}


def read(text: str) -> Reading:
    return REPLIES.get(text, reading(text, NoMatch("no_match_fallback_to_explain"), mood=Mood.STATEMENT))


def asked(given: Reading, round_no: int = 1) -> Pending:
    pending = question(given, interpret(given, DOWN, Thresholds()), now_s=NOW_S, round_no=round_no)
    assert pending is not None
    return pending


_PICK = "夹取 玻璃 放过去"
PICK = reading(
    _PICK,
    match(Intent.CONTROL_DEVICE),
    slot(_PICK, "action", "夹取", "pick_place"),
    slot(_PICK, "item_type", "玻璃", "glass"),
)


@pytest.mark.parametrize("number", ["1", "１", "第1个", "1.", "1)", "选1", "option 1", " 1 "])
def test_a_number_picks_an_option(number: str) -> None:
    got = answer(asked(VAGUE), number, read, now_s=NOW_S + 1)
    assert isinstance(got, Joined)
    next_one = interpret(got.reading, got.scores, Thresholds())
    assert (next_one.intent, next_one.missing, got.round) == (Intent.QUERY_RULE, "item_type", 2)


def test_number_then_item_then_answer() -> None:
    first = answer(asked(VAGUE), "1", read, now_s=NOW_S)
    assert isinstance(first, Joined)
    second = question(first.reading, interpret(first.reading, DOWN, Thresholds()), now_s=NOW_S, round_no=first.round)
    assert second is not None
    got = answer(second, "glass", read, now_s=NOW_S)
    assert isinstance(got, Joined)
    final = interpret(got.reading, got.scores, Thresholds())
    assert final.disposition is Disposition.ANSWER
    item = final.slot("item_type")
    assert item is not None
    assert final.text[slice(*item.span)] == "glass"


@pytest.mark.parametrize("words", ["4", "0", "12", "one of them", "1 or 2"])
def test_no_such_option_is_asked_again_and_then_handed_over(words: str) -> None:
    again = answer(asked(VAGUE), words, read, now_s=NOW_S)
    assert isinstance(again, AskAgain)
    assert again.pending.round == 2
    assert isinstance(answer(again.pending, words, read, now_s=NOW_S), HandOver)


def test_no_third_question() -> None:
    assert question(VAGUE, interpret(VAGUE, DOWN, Thresholds()), now_s=NOW_S, round_no=3) is None


def test_a_key_field_tells_the_options_apart() -> None:
    got = answer(asked(VAGUE), "glass", read, now_s=NOW_S)
    assert isinstance(got, Joined)
    assert interpret(got.reading, got.scores, Thresholds()).disposition is Disposition.ANSWER


def test_the_missing_field_makes_the_motion_whole_with_and_without_a_model() -> None:
    got = answer(asked(PICK), "bin 2", read, now_s=NOW_S)
    assert isinstance(got, Joined)
    whole = interpret(got.reading, got.scores, Thresholds())
    assert whole.disposition is Disposition.PROPOSE_MOTION
    assert {s.name: s.value for s in whole.slots} == {"action": "pick_place", "item_type": "glass", "bin": "2"}
    assert all(whole.text[slice(*s.span)] for s in whole.slots)
    assert interpret(got.reading, DOWN, Thresholds()).reason == "control_requires_llm_or_confirmation"


def test_a_bare_value_is_read_as_the_field_that_was_asked_for() -> None:
    got = answer(asked(PICK), "2", read, now_s=NOW_S)
    assert isinstance(got, Joined)
    value = got.reading.slot("bin")
    assert value is not None
    assert (value.value, got.reading.original[slice(*value.span)]) == ("2", "2")


def test_one_of_two_values_is_settled_by_the_operator() -> None:
    got = answer(asked(TWO_BINS), "bin 2", read, now_s=NOW_S)
    assert isinstance(got, Joined)
    assert interpret(got.reading, got.scores, Thresholds()).missing == "action"


def test_a_second_value_for_another_field_is_asked_back() -> None:
    got = answer(asked(PICK), "paper, bin 2", read, now_s=NOW_S)
    assert isinstance(got, Joined)
    assert isinstance(got.reading.outcome, Ambiguous)
    assert interpret(got.reading, got.scores, Thresholds()).missing == "item_type"


@pytest.mark.parametrize("rewrite", ["home the arm", "查一下 glass 的分拣规则", "停"])
def test_a_sentence_of_its_own_is_a_new_request(rewrite: str) -> None:
    assert isinstance(answer(asked(VAGUE), rewrite, read, now_s=NOW_S), NewRequest)


def test_a_withdrawal_ends_it() -> None:
    assert isinstance(answer(asked(PICK), "算了", read, now_s=NOW_S), Withdrawn)


def test_a_question_gives_no_value() -> None:
    assert isinstance(answer(asked(PICK), "2号箱?", read, now_s=NOW_S), AskAgain)


def test_an_answer_does_not_make_an_order_of_a_question() -> None:
    pending = replace(asked(PICK), reading=replace(PICK, mood=Mood.QUESTION))
    got = answer(pending, "bin 2", read, now_s=NOW_S)
    assert isinstance(got, Joined)
    assert not interpret(got.reading, got.scores, Thresholds()).would_move


def test_it_expires_on_the_given_clock() -> None:
    pending = asked(VAGUE)
    assert isinstance(answer(pending, "1", read, now_s=pending.expires_at_s), Expired)
    assert isinstance(answer(pending, "1", read, now_s=pending.expires_at_s - 0.001), Joined)


def test_yes_means_the_only_option() -> None:
    stop_now = replace(asked(VAGUE), reading=NOTHING, options=(Intent.STOP,))
    got = answer(stop_now, "是", read, now_s=NOW_S)
    assert isinstance(got, Joined)
    assert interpret(got.reading, got.scores, Thresholds()).disposition is Disposition.STOP


def test_yes_means_nothing_among_several() -> None:
    assert isinstance(answer(asked(VAGUE), "yes", read, now_s=NOW_S), AskAgain)


_PUT = "you have cardboard in hand, put in bin 1"
WISH = replace(
    reading(_PUT, NoMatch("x"), slot(_PUT, "item_type", "cardboard", "paper"), slot(_PUT, "bin", "bin 1", "1")),
    mood=Mood.STATEMENT,
    wished=slot(_PUT, "action", "put", "place"),
)


def asked_whether() -> Pending:
    made = interpret(WISH, (IntentScore(Intent.CONTROL_DEVICE, 1.0),), Thresholds())
    assert (made.disposition, made.reason) == (Disposition.CLARIFY, "wish_to_confirm")
    pending = question(WISH, made, now_s=NOW_S)
    assert pending is not None
    return pending


SAYS_YES = ["1", "yes", "Yes.", "OK", "yes please", "sure", "that's right", "go ahead", "no problem", "ok, do it"]
SAYS_YES_ZH = ["是", "是的", "对。", "确认", "嗯", "好的谢谢", "没错", "没问题", "确认执行", "对啊", "就是这样"]


@pytest.mark.parametrize("said", [*SAYS_YES, *SAYS_YES_ZH])
def test_a_yes_to_the_one_motion_that_was_asked_about_is_the_order(said: str) -> None:
    got = answer(asked_whether(), said, read, now_s=NOW_S)
    assert isinstance(got, Joined)
    whole = interpret(got.reading, got.scores, Thresholds())
    assert whole.disposition is Disposition.PROPOSE_MOTION
    assert {s.name: s.value for s in whole.slots} == {"action": "place", "item_type": "paper", "bin": "1"}
    assert all(whole.text[slice(*s.span)] for s in whole.slots)
    assert interpret(got.reading, DOWN, Thresholds()).disposition is Disposition.EXPLAIN


@pytest.mark.parametrize("said", ["no", "No.", "n", "不", "不是", "不要", "否"])
def test_a_no_to_the_one_motion_ends_it(said: str) -> None:
    assert isinstance(answer(asked_whether(), said, read, now_s=NOW_S), Withdrawn)


@pytest.mark.parametrize(
    "said",
    [
        "2",
        "perhaps",
        "yes or no",
        "it is",
        "1号",
        "第1个",
        "1个",
        "number 1",
        "#1",
        "no1",
        "yes but",
        "ok wait",
        "是的吗",
        "好的等下",
    ],
)
def test_neither_yes_nor_no_moves_nothing(said: str) -> None:
    assert isinstance(answer(asked_whether(), said, read, now_s=NOW_S), AskAgain)


def test_a_no_among_several_options_is_not_understood() -> None:
    assert isinstance(answer(asked(VAGUE), "no", read, now_s=NOW_S), AskAgain)


def test_one_question_for_each_user_and_channel() -> None:
    store = PendingQuestions(capacity=2)
    first, second = asked(VAGUE), asked(PICK)
    store.ask(("ann", "mqtt"), first)
    store.ask(("ann", "console"), second)
    store.ask(("ann", "mqtt"), second)
    assert (store.of(("ann", "mqtt")), len(store)) == (second, 2)
    store.ask(("bo", "mqtt"), first)
    assert (store.of(("ann", "console")), len(store)) == (None, 2)
    assert store.take(("bo", "mqtt")) == first
    assert store.take(("bo", "mqtt")) is None
