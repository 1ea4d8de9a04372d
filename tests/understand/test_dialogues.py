"""Dialogues as the shipped rules read them: what fills a field of a motion, and what must not."""

from __future__ import annotations

import pytest

from edge_agent.understand.decide import interpret
from edge_agent.understand.interpretation import Disposition
from edge_agent.understand.pending import AskAgain, Joined, NewRequest, Pending, Withdrawn, answer, question
from edge_agent.understand.scores import IntentScore, ModelCause, NoUsableModel
from edge_agent.understand.thresholds import Thresholds
from offline_rules.reading import Intent
from offline_rules.router import Router

DOWN = NoUsableModel(ModelCause.DOWN)
NOW_S = 100.0


def asked_by_the_rules(router: Router, text: str, missing: str) -> Pending:
    first = router.read(text)
    made = interpret(first, (IntentScore(Intent.CONTROL_DEVICE, 1.0),), Thresholds())
    assert made.missing == missing, made
    pending = question(first, made, now_s=NOW_S)
    assert pending is not None
    return pending


NO_STATION = [
    "B老师",
    "B shift",
    "B上",
    "B下",
    "B关",
    "B open",
    "B out",
    "B glass",
    "B bin",
    "B home",
    "B pick",
    "B工位有人",
    "station B blocked",
    "B坏",
    "B broken",
    "B组",
    "except station B",
    "anywhere except station B",
]
NO_BIN = [
    "除2号箱",
    "all except bin 2",
    "other than bin 2",
    "bin 2 full",
    "2号箱满",
    "nah bin 2",
    "bin 2 nah",
    "2 full",
]
NO_ONE_BIN = [
    "2 or 3",
    "2和3",
    "1 or 2",
    "two three",
    "2分钟",
    "2点",
    "somewhere near bin 2",
    "一下",
    "一块玻璃",
    "one glass",
]
NO_BIN_BUT = ["two bottles", "2块玻璃", "2号工位", "2号箱取", "拿2号箱", "2号来", "bin 2 out", "3 cans", "2瓶", "B"]
NO_ACTION = [
    "放置区满",
    "place full",
    "lift broken",
    "put it off",
    "put off",
    "lay off",
    "drop dead",
    "get lost",
    "take five",
]
NO_MOTION = [
    "run away",
    "take care",
    "grab a coffee",
    "send help",
    "移动电话",
    "送水",
    "Tom pick",
    "小王夹取",
    "他夹取",
    "选1",
]


@pytest.mark.parametrize(
    ("text", "missing", "said"),
    [
        *(("move to the station", "station", said) for said in NO_STATION),
        *(("put glass in bin 2 or bin 3", "bin", said) for said in (*NO_BIN, *NO_ONE_BIN, *NO_BIN_BUT)),
        *(("C站铁盒子 弄到1号箱里 马上", "action", said) for said in (*NO_ACTION, *NO_MOTION, "pick list")),
    ],
)
def test_talk_that_holds_a_value_or_a_verb_fills_no_field_of_a_motion(text: str, missing: str, said: str) -> None:
    router = Router.load()
    got = answer(asked_by_the_rules(router, text, missing), said, router.read, now_s=NOW_S)
    if isinstance(got, Joined):
        assert not interpret(got.reading, got.scores, Thresholds()).would_move


@pytest.mark.parametrize(
    "said",
    [
        "B",
        "to station B please",
        "B站",
        "station B",
        "去B工位",
        "就B吧",
        "make it B",
        "ok B",
        "B then",
        "是B工位",
        "那就B",
        "选B",
        "Ｂ",
    ],
)
def test_the_value_with_polite_words_fills_it(said: str) -> None:
    router = Router.load()
    got = answer(asked_by_the_rules(router, "move to the station", "station"), said, router.read, now_s=NOW_S)
    assert isinstance(got, NewRequest) or (
        isinstance(got, Joined) and interpret(got.reading, got.scores, Thresholds()).would_move
    )


@pytest.mark.parametrize("said", ["停着", "the stop lamp of ours"])
def test_a_stop_word_in_the_answer_that_is_no_stop_takes_the_motion_back(said: str) -> None:
    router = Router.load()
    pending = asked_by_the_rules(router, "move to the station", "station")
    assert isinstance(answer(pending, said, router.read, now_s=NOW_S), Withdrawn)
    assert isinstance(answer(pending, "停", router.read, now_s=NOW_S), NewRequest)


@pytest.mark.parametrize(
    ("first", "said", "told"),
    [
        ("open", "the gripper", {"action": "open_gripper"}),
        ("打开", "夹爪", {"action": "open_gripper"}),
        ("drop it", "bin 2", {"action": "place", "bin": "2"}),
        ("抓取", "玻璃", {"action": "pick", "item_type": "glass"}),
    ],
)
def test_a_verb_is_made_whole_by_what_it_is_done_to(first: str, said: str, told: dict[str, str]) -> None:
    router = Router.load()
    reading = router.read(first)
    asked_which = question(reading, interpret(reading, DOWN, Thresholds()), now_s=NOW_S)
    assert asked_which is not None
    number = str(asked_which.options.index(Intent.CONTROL_DEVICE) + 1)
    chosen = answer(asked_which, number, router.read, now_s=NOW_S)
    assert isinstance(chosen, Joined)
    made = interpret(chosen.reading, chosen.scores, Thresholds())
    assert made.missing == "action"
    asked_what = question(chosen.reading, made, now_s=NOW_S, round_no=chosen.round)
    assert asked_what is not None
    got = answer(asked_what, said, router.read, now_s=NOW_S)
    assert isinstance(got, Joined), got
    whole = interpret(got.reading, got.scores, Thresholds())
    assert whole.disposition is Disposition.PROPOSE_MOTION
    assert {s.name: s.value for s in whole.slots} == told
    assert all(0 <= s.span[0] < s.span[1] <= len(whole.text) for s in whole.slots)


@pytest.mark.parametrize(
    ("said", "action"),
    [("夹取", "pick_place"), ("放进去", None), ("夹取吗", None), ("回头再说", None)],
)
def test_the_motion_that_was_asked_for_is_that_of_question_and_answer_together(said: str, action: str | None) -> None:
    """As the shipped rules read them: one that names a thing and a bin is another motion."""
    router = Router.load()
    got = answer(asked_by_the_rules(router, "C站铁盒子 弄到1号箱里 马上", "action"), said, router.read, now_s=NOW_S)
    if action is None:
        assert isinstance(got, AskAgain | NewRequest)
        return
    assert isinstance(got, Joined)
    whole = interpret(got.reading, got.scores, Thresholds())
    assert whole.disposition is Disposition.PROPOSE_MOTION
    told = {s.name: s.value for s in whole.slots}
    assert told == {"action": action, "item_type": "metal", "bin": "1", "station": "C"}
    assert all(s.span[1] <= len(whole.text) for s in whole.slots)
