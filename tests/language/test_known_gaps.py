"""Sentences that once were read wrongly, each for a reason of its own."""

from __future__ import annotations

from functools import cache

import pytest

from offline_rules.reading import Intent, Match, Mood, NoMatch, Reading, StopSense
from offline_rules.router import Router


@cache
def router() -> Router:
    return Router.load()


def read(text: str) -> Reading:
    return router().read(text)


@pytest.mark.parametrize(
    ("text", "action", "word"),
    [
        ("让机械臂回零", "home", "回零"),
        ("have the robot go home", "home", "go home"),
        ("把机械臂开到C站", "move", "开"),
        ("get the arm to pick glass", "pick", "pick"),
        ("让机械臂夹取 glass 并放到 2 号箱", "pick_place", "夹取"),
        ("让机械臂把夹爪打开", "open_gripper", "打开"),
    ],
)
def test_an_action_stands_on_its_own_word(text: str, action: str, word: str) -> None:
    slot = read(text).slot("action")
    assert slot is not None
    assert (slot.value, text[slot.span[0] : slot.span[1]]) == (action, word)


@pytest.mark.parametrize("text", ["让手臂停到泊位", "机械臂收起来停好", "把车停到二号车位"])
def test_to_park_is_no_stop(text: str) -> None:
    assert read(text).stop is StopSense.RULED_OUT


@pytest.mark.parametrize("text", ["不要再动了", "stop already", "别再移动了"])
def test_a_stop_is_a_stop(text: str) -> None:
    assert read(text).stop is StopSense.STOP


@pytest.mark.parametrize(
    "text", ["昨晚停机的原因", "difference between halt and e-stop", "he hit the e-stop", "急停和停止有什么区别"]
)
def test_to_speak_of_a_stop_is_none(text: str) -> None:
    assert read(text).stop is StopSense.RULED_OUT


def test_a_sentence_no_phrase_fits_keeps_its_values() -> None:
    made = read("t066 那个料不知所云")
    assert isinstance(made.outcome, NoMatch)
    assert [(slot.name, slot.value) for slot in made.slots] == [("task_id", "t066")]


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("where is t0088", Intent.QUERY_STATUS),
        ("how much longer for t045", Intent.QUERY_STATUS),
        ("t018为啥没成功", Intent.DIAGNOSE),
        ("why didn't t018 work", Intent.DIAGNOSE),
        ("纸板今天识别率低，为什么", Intent.DIAGNOSE),
        ("three glass bottles broke today, figure out why", Intent.DIAGNOSE),
    ],
)
def test_told_in_other_words(text: str, intent: Intent) -> None:
    outcome = read(text).outcome
    assert isinstance(outcome, Match)
    assert outcome.intent is intent


@pytest.mark.parametrize("text", ["要是夹爪松开会怎么样", "夹爪打开的话会发生什么"])
def test_what_would_happen_asks_for_no_state(text: str) -> None:
    assert isinstance(read(text).outcome, NoMatch)


def test_pet_is_a_plastic_in_capitals_or_among_chinese_characters() -> None:
    found = {text: read(text).slot("item_type") for text in ("PET goes where", "pet 放几号箱", "where does a pet go")}
    assert [None if slot is None else slot.value for slot in found.values()][:2] == ["plastic", "plastic"]
    last = found["where does a pet go"]
    assert last is None or not last.known


@pytest.mark.parametrize(("text", "mood"), [("arm_01 现在动没动", Mood.QUESTION), ("夹爪张着没", Mood.QUESTION)])
def test_a_question_without_a_mark(text: str, mood: Mood) -> None:
    assert read(text).mood is mood


def test_to_draw_back_is_no_correction() -> None:
    assert read("收回到待机位").mood is Mood.IMPERATIVE
    assert read("刚才的话收回").mood is not Mood.IMPERATIVE
