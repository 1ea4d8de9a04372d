"""The leaning says what words lean to: shares of all intents, the same every time, never a command."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_agent.adapters.model.labelled import Part, shipped
from offline_rules.fitting import digest_of, fit, for_leaning
from offline_rules.leaning import LEANS, groups, leaning_of, shipped_leaning, words_for
from offline_rules.reading import Ambiguous, Intent, Match, NoMatch, Outcome
from offline_rules.router import Router
from offline_rules.weights import WeightTable, parse_table, written

WHY, HOW = "why did it fail", "how is it doing"


@cache
def shared_router() -> Router:
    return Router.load()


@pytest.fixture(scope="module")
def router() -> Router:
    return shared_router()


def said(router: Router, text: str) -> frozenset[str]:
    return groups(router.tokens(text))


def fitted(router: Router, sentences: dict[str, Intent]) -> WeightTable:
    made = for_leaning([*sentences.items()] * 3, router)
    return parse_table(written(fit(made, len(LEANS)), "digest"), len(LEANS))


@settings(deadline=None)
@given(text=st.text(max_size=80))
def test_every_intent_has_its_share_of_one(text: str) -> None:
    leaning = leaning_of(shipped_leaning(), said(shared_router(), text))
    assert {lean.intent for lean in leaning} == set(Intent)
    assert sum(lean.share for lean in leaning) == pytest.approx(1.0)
    assert [lean.share for lean in leaning] == sorted((lean.share for lean in leaning), reverse=True)


def test_a_value_stands_there_as_its_kind_and_a_number_as_a_number(router: Router) -> None:
    assert groups(router.tokens("put the glass in bin 2")) == groups(router.tokens("put the paper in bin 5"))
    assert groups(router.tokens("at 6:40")) == groups(router.tokens("at 7:15"))
    assert groups(router.tokens("put the glass in bin 2")) != groups(router.tokens("the glass is in bin 2"))


def test_a_slip_of_the_finger_leaves_other_pieces_standing(router: Router) -> None:
    shared = groups(router.tokens("grinding")) & groups(router.tokens("grindign"))
    assert any(group.startswith("~") for group in shared)


def test_it_learns_what_it_is_shown_and_the_same_every_time(router: Router) -> None:
    shown = {WHY: Intent.DIAGNOSE, HOW: Intent.QUERY_STATUS, "hello there": Intent.GENERAL}
    one, two = fitted(router, shown), fitted(router, shown)
    assert one == two
    assert {text: leaning_of(one, said(router, text))[0].intent for text in shown} == shown


def test_it_says_which_words_decided(router: Router) -> None:
    table = fitted(router, {WHY: Intent.DIAGNOSE, HOW: Intent.QUERY_STATUS})
    words = words_for(table, said(router, WHY), Intent.DIAGNOSE)
    assert words
    assert all(table.weights[group][LEANS.index(Intent.DIAGNOSE)] > 0 for group in words)


@pytest.mark.parametrize("broken", ["", "digest\n", "digest\nwhy\t1 2 3\n", "digest\n\t1 x\n"])
def test_a_broken_table_is_refused(broken: str) -> None:
    with pytest.raises(ValueError, match=r"table of weights|invalid literal"):
        parse_table(broken, len(LEANS))


def test_the_shipped_table_was_fitted_on_the_shipped_sentences() -> None:
    fit_on = files("edge_agent.adapters.model").joinpath("data", f"{Part.FIT}.jsonl").read_bytes()
    assert shipped_leaning().fitted_on == digest_of(fit_on), "fit the table anew: make leaning"


def test_it_reads_the_sentences_it_was_fitted_on() -> None:
    """Far below what it reads in truth; a table of noise would not come near."""
    some = shipped(Part.FIT)[::20]
    right = sum(leaning_of(shipped_leaning(), said(shared_router(), s.text))[0].intent is s.intent for s in some)
    assert right >= 0.9 * len(some)


@pytest.mark.parametrize(
    "text", ["open the gripper then", "把夹子闭拢咯", "stop stop stop", "home the arm, please now"]
)
def test_it_changes_nothing_of_outcome_stop_and_mood(
    router: Router, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = router.read(text)
    all_control = WeightTable(tuple(900 if intent is Intent.CONTROL_DEVICE else 0 for intent in LEANS), {})
    monkeypatch.setattr("offline_rules.router.shipped_leaning", lambda: all_control)
    after = router.read(text)
    assert after.leaning != before.leaning or not before.leaning
    assert replace(after, leaning=before.leaning, leaning_on=before.leaning_on) == before


def test_a_stop_and_an_unreadable_text_lean_to_nothing(router: Router) -> None:
    assert router.read("stop").leaning == ()
    assert router.read(" ").leaning == ()
    assert isinstance(router.read("让机械臂回零").outcome, Match)


def leaning_to(intent: Intent, tenths: int) -> WeightTable:
    """A table that gives every sentence the same: `tenths` over all other intents."""
    return WeightTable(tuple(10 * tenths if each is intent else 0 for each in LEANS), {})


PARTLY = "for the record, cardboard was put in bin 2 at about three o'clock"
"""A phrase hears a rule asked for in a part of it."""


def outcome_of(router: Router, text: str, table: WeightTable, monkeypatch: pytest.MonkeyPatch) -> Outcome:
    monkeypatch.setattr("offline_rules.router.shipped_leaning", lambda: table)
    return router.read(text).outcome


@pytest.mark.parametrize(
    ("intent", "tenths", "stands"),
    [
        (Intent.SUBMIT_FEEDBACK, 80, False),
        (Intent.CONTROL_DEVICE, 80, False),
        (Intent.SUBMIT_FEEDBACK, 20, True),
        (Intent.GENERAL, 80, True),
        (Intent.UNKNOWN, 80, False),
        (Intent.UNKNOWN, 20, True),
        (Intent.STOP, 80, True),
        (Intent.QUERY_RULE, 80, True),
    ],
)
def test_words_that_are_sure_of_another_wish_overrule_a_phrase_of_a_part(
    router: Router, intent: Intent, tenths: int, stands: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = outcome_of(router, PARTLY, leaning_to(intent, tenths), monkeypatch)
    assert isinstance(found, Match if stands else NoMatch)


@pytest.mark.parametrize(
    "text", ["which bin does glass go into", "为什么 t014 失败了", "did you close the gripper", "A或者B站的玻璃放2号箱"]
)
def test_a_phrase_that_took_in_all_of_it_and_talk_of_a_motion_stand(
    router: Router, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = router.read(text).outcome
    assert not isinstance(before, NoMatch)
    for intent in (Intent.QUERY_STATUS, Intent.SUBMIT_FEEDBACK):
        assert outcome_of(router, text, leaning_to(intent, 80), monkeypatch) == before


@pytest.mark.parametrize("text", ["不是这个是那个", "help me with it", "不对，不对，这是金属，不是玻璃"])
def test_small_talk_gives_way_though_its_phrase_took_in_all_of_it(router: Router, text: str) -> None:
    assert isinstance(router.read(text).outcome, NoMatch)
    assert isinstance(router.read("你好").outcome, Match)


@pytest.mark.parametrize(
    ("intent", "stands"), [(Intent.SUBMIT_FEEDBACK, False), (Intent.DIAGNOSE, False), (Intent.QUERY_RULE, True)]
)
def test_two_kinds_of_things_ask_no_rule_where_the_words_tell_or_ask_why(
    router: Router, intent: Intent, stands: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = outcome_of(router, "Sorting error. Plastic cup in glass bin.", leaning_to(intent, 3), monkeypatch)
    assert isinstance(found, Ambiguous if stands else NoMatch)
