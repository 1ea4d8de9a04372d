"""How much a sentence sounds like a stop: learnt from sentences, the same every time, beside the lexicon and never in
the place of a cry that is nothing else."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_agent.adapters.model.labelled import Part, shipped
from offline_rules.cries import COLUMNS, cry_groups, likelihood, shipped_cries
from offline_rules.fitting import digest_of, fit_cries, for_cries
from offline_rules.normalise import normalise
from offline_rules.reading import Intent, Match, StopSense
from offline_rules.router import Router
from offline_rules.stop import doubtful, stop_words
from offline_rules.stop_heard import BEYOND_DOUBT, BY_SOUND, HARDLY, LIKELY, NO_ONE, PERHAPS, SURELY
from offline_rules.weights import WeightTable, parse_table, written

CRIES = ("not another inch", "leave it where it is", "kill the servos", "别再过来了")
TALK = ("it went another inch", "where is it left", "the servos were killed", "它又过来了")


@cache
def router() -> Router:
    return Router.load()


def fitted() -> WeightTable:
    cried, talk = (
        [(text, intent) for text in texts] for texts, intent in ((CRIES, Intent.STOP), (TALK, Intent.GENERAL))
    )
    return parse_table(written(fit_cries(for_cries([*cried, *talk] * 4)), "digest"), COLUMNS)


def always(monkeypatch: pytest.MonkeyPatch, likely: float) -> None:
    monkeypatch.setattr("offline_rules.stop_heard.likelihood", lambda _: likely)


@settings(deadline=None)
@given(text=st.text(max_size=80))
def test_any_text_has_a_likelihood(text: str) -> None:
    assert 0.0 <= likelihood(normalise(text).text) <= 1.0


def test_it_learns_what_it_is_shown_and_the_same_every_time() -> None:
    table = fitted()
    assert table == fitted()
    weighed = {text: table.sums(cry_groups(text))[0] for text in (*CRIES, *TALK)}
    assert {text for text, sum_ in weighed.items() if sum_ > 0.0} == set(CRIES)


def test_what_begins_and_what_ends_counts_by_itself_and_so_does_the_order_of_kinds() -> None:
    said = cry_groups("my sleeve is caught, please stop")
    assert {"first:my sleeve", "last:please stop", "clause:please stop", "last kinds:polite stop"} <= said
    assert "last:sleeve is" not in said
    assert cry_groups("7 times") == cry_groups("41 times")


def test_the_shipped_table_was_fitted_on_the_shipped_sentences() -> None:
    fit_on = files("edge_agent.adapters.model").joinpath("data", f"{Part.FIT}.jsonl").read_bytes()
    assert shipped_cries().fitted_on == digest_of(fit_on), "fit the table anew: make leaning"


def test_it_reads_the_sentences_it_was_fitted_on() -> None:
    some = shipped(Part.FIT)[::20]
    right = sum((likelihood(normalise(s.text).text) >= 0.5) is (s.intent is Intent.STOP) for s in some)
    assert right >= 0.98 * len(some)


@pytest.mark.parametrize("word", stop_words())
def test_a_cry_alone_is_a_stop_whatever_the_table_says(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    always(monkeypatch, 0.0)
    assert router().read(f"{word}!").stop is StopSense.STOP


@pytest.mark.parametrize(
    ("likely", "heard"),
    [
        (HARDLY, StopSense.STOP),
        (HARDLY - 0.001, StopSense.IN_DOUBT),
        (NO_ONE, StopSense.IN_DOUBT),
        (NO_ONE - 0.001, StopSense.RULED_OUT),
    ],
)
def test_a_stop_word_with_nothing_against_it_stands_unless_hardly_anybody_would_mean_it(
    likely: float, heard: StopSense, monkeypatch: pytest.MonkeyPatch
) -> None:
    always(monkeypatch, likely)
    assert router().read("we halt here, so take the glass").stop is heard


TOLD = "he said that the arm had to stop there, and then he went home with the others"


@pytest.mark.parametrize(("text", "low"), [(TOLD, StopSense.RULED_OUT), ("the arm comes", StopSense.NONE)])
def test_what_the_lexicon_does_not_hear_is_a_stop_a_question_or_nothing(
    text: str, low: StopSense, monkeypatch: pytest.MonkeyPatch
) -> None:
    for likely, heard in ((0.0, low), (PERHAPS - 0.001, low), (PERHAPS, StopSense.IN_DOUBT), (SURELY, StopSense.STOP)):
        always(monkeypatch, likely)
        assert router().read(text).stop is heard


def test_in_a_few_words_what_rules_a_stop_out_needs_more_against_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for likely, heard in ((SURELY, StopSense.RULED_OUT), (LIKELY, StopSense.IN_DOUBT), (BEYOND_DOUBT, StopSense.STOP)):
        always(monkeypatch, likely)
        assert router().read("he said stop").stop is heard


def test_what_is_certainly_told_or_asked_is_one_only_beyond_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    told = "the label on the box by the door came off during the night shift and nobody wrote it down"
    for likely, heard in ((SURELY, StopSense.NONE), (BEYOND_DOUBT, StopSense.STOP)):
        always(monkeypatch, likely)
        assert router().read(told).stop is heard


def test_a_stop_word_that_nothing_rules_out_is_one_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    always(monkeypatch, PERHAPS)
    assert router().read("abort this run of yours").stop is StopSense.STOP


def test_a_phrase_that_took_in_all_of_it_stands_but_for_what_is_beyond_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    for likely, heard in ((LIKELY, StopSense.NONE), (BEYOND_DOUBT, StopSense.STOP)):
        always(monkeypatch, likely)
        assert router().read("which bin does glass go into").stop is heard


def test_marks_alone_are_no_cry() -> None:
    assert likelihood("!!!") == 0.0


def test_a_stop_that_no_word_is_says_what_it_stands_on() -> None:
    heard = router().read("power off the servos, now now now")
    assert heard.stop is StopSense.STOP
    assert isinstance(heard.outcome, Match)
    assert heard.outcome.reason == BY_SOUND
    assert heard.leaning_on
    assert router().read("stop!").leaning_on == ()


@pytest.mark.parametrize(
    "cry", ["夹到手了", "救命", "my hand is stuck", "turn off the robot", "可以停了", "停一下好吗"]
)
@pytest.mark.parametrize("around", ["{}~", "{}😱", "{},", "{} 🛑", "{}{}", "{}!!", "{};"])
def test_marks_pictures_and_saying_it_twice_leave_a_cry_what_it_is(cry: str, around: str) -> None:
    assert router().read(around.format(cry, f" {cry}" if cry.isascii() else cry)).stop is StopSense.STOP


@pytest.mark.parametrize("cry", ["stop1", "ok stop1", "stopstopstop", "stopnow", "halt11"])
def test_a_key_beside_the_one_that_was_meant_leaves_a_cry_what_it_is(cry: str) -> None:
    assert router().read(cry).stop is StopSense.STOP


@pytest.mark.parametrize(
    "told", ["做完这个就停", "finish this one and then stop", "满了就停", "五点下班停线", "停机日志"]
)
def test_a_stop_that_is_put_off_or_written_down_is_none(told: str) -> None:
    assert router().read(told).stop is not StopSense.STOP


@pytest.mark.parametrize(
    "denied", ["i didn't press stop", "don't let it stop halfway", "do not let the arm freeze there"]
)
def test_a_stop_that_nobody_made_or_wants_is_in_no_doubt(denied: str) -> None:
    assert not doubtful(denied)
    assert doubtful("abort this run of yours")
