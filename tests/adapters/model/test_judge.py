"""Figures, thresholds and bars, over scores written by hand."""

from __future__ import annotations

import pytest

from edge_agent.adapters.model import judge
from edge_agent.adapters.model.profile import Figures, FittedThreshold
from edge_agent.understand.scores import IntentScore
from edge_agent.understand.thresholds import Risk, Thresholds
from offline_rules.reading import Intent, Lang


def judged(label: Intent, heard: Intent, score: float, lang: Lang = "zh") -> judge.Judged:
    rest = Intent.GENERAL if heard is not Intent.GENERAL else Intent.STOP
    return judge.Judged("x", lang, label, (IntentScore(heard, score), IntentScore(rest, 1 - score)))


RIGHT = [judged(Intent.CONTROL_DEVICE, Intent.CONTROL_DEVICE, 0.99)] * 100


def line(found: list[FittedThreshold], lang: Lang, risk: Risk) -> float:
    return next(t.min_top_score for t in found if (t.lang, t.risk) == (lang, risk))


def test_the_line_stands_above_the_wrong_ones() -> None:
    wrong = [judged(Intent.QUERY_STATUS, Intent.CONTROL_DEVICE, 0.83)] * 20
    found = judge.fit_thresholds([*RIGHT, *wrong])
    assert line(found, "zh", Risk.MOTION) == 0.85
    assert line(found, "en", Risk.MOTION) == judge.LOWEST[Risk.MOTION]


def test_where_nothing_is_rare_enough_the_line_is_the_highest() -> None:
    wrong = [judged(Intent.QUERY_STATUS, Intent.CONTROL_DEVICE, 0.999)] * 9
    assert line(judge.fit_thresholds(wrong), "zh", Risk.MOTION) == judge.GRID[-1]


def test_a_motion_never_gets_a_lower_line_than_a_question() -> None:
    assert judge.LOWEST[Risk.MOTION] > judge.LOWEST[Risk.READ]


def test_what_is_answered_at_once_may_be_wrong_less_often_than_what_is_asked_about_first() -> None:
    assert judge.MOST_WRONG[Risk.READ] < min(judge.MOST_WRONG[Risk.WRITE], judge.MOST_WRONG[Risk.MOTION])


def test_figures_by_language() -> None:
    sentences = [
        judged(Intent.STOP, Intent.STOP, 0.9),
        judged(Intent.STOP, Intent.CONTROL_DEVICE, 0.9),
        judged(Intent.STOP, Intent.CONTROL_DEVICE, 0.52),
        judged(Intent.STOP, Intent.STOP, 0.9, "en"),
    ]
    zh, en = judge.figures(sentences, Thresholds())
    assert zh.n == 3
    assert [zh.accuracy, zh.coverage] == pytest.approx([1 / 3, 2 / 3])
    assert [zh.wrong_act_rate, zh.ask_rate] == pytest.approx([1 / 3, 1 / 3])
    assert (en.n, en.accuracy) == (1, 1.0)


def measured(**changed: float) -> Figures:
    good = {"n": 100, "accuracy": 0.95, "coverage": 0.9, "ask_rate": 0.1, "wrong_act_rate": 0.0}
    return Figures.model_validate({"lang": "zh", **good, **changed})


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"accuracy": 0.899}, "accuracy"),
        ({"coverage": 0.74}, "above threshold"),
        ({"wrong_act_rate": 0.021}, "control"),
        ({"n": 0}, "no sentence"),
    ],
)
def test_each_bar_by_itself_is_enough_to_fall_short(changed: dict[str, float], says: str) -> None:
    assert judge.shortfalls([measured()]) == []
    (reason,) = judge.shortfalls([measured(**changed)])
    assert says in reason


def test_confusion_counts_pairs() -> None:
    table = judge.confusion([*RIGHT, judged(Intent.STOP, Intent.GENERAL, 0.9)])
    assert table == {
        (Intent.CONTROL_DEVICE, Intent.CONTROL_DEVICE): 100,
        (Intent.STOP, Intent.GENERAL): 1,
    }
