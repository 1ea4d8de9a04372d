"""The exercises as a class meets them: handed out, run, repaired, predicted, checked, handed in."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge_agent.cases.report.result import load
from edge_agent.lab.checking import Checked, check, run_once
from edge_agent.lab.exercise import Exercise, NoSuchExercise, exercise, exercises
from edge_agent.lab.hand_in import hand_in
from edge_agent.lab.predictions import Prediction, predictions, read_answers, unanswered
from edge_agent.lab.workbook import Workbook, open_workbook
from edge_agent.policies import load_policies
from tests.lab import solutions

ALL = {each.id: each for each in exercises()}
TO_REPAIR = sorted(solutions.POLICY)
TO_PREDICT = sorted(set(ALL) - set(TO_REPAIR))


def repair(book: Workbook) -> None:
    for name, text in solutions.POLICY.get(book.exercise.id, {}).items():
        (book.policy / name).write_text(text, "utf-8")
    if book.exercise.written == "B":
        book.own_cases.write_text(solutions.OWN_CASES.lstrip(), "utf-8")
        written = '[written]\nwhy_no_retry = "the arm may have moved although no reply came"\n'
        book.answers.write_text(written, "utf-8")


def foretold(book: Workbook, came: Checked) -> tuple[Prediction, ...]:
    """The group's predictions, had it known what came."""
    told = "\n".join(
        f'[{each.id}]\nobserved = "{each.came.split()[0]}"\n{_rest(each.came)}' for each in came.predictions
    )
    book.answers.write_text(told, "utf-8")
    asked = {each.id for each in came.predictions}
    return predictions(read_answers(book.answers), [v for v in load(book.before).cases if v.id in asked])


def _rest(came: str) -> str:
    _, codes, frames = came.split()
    return f'code = "{codes.split("/")[0]}"\nframes = {frames}\n'


def test_there_are_enough_and_each_has_its_place() -> None:
    assert len(ALL) >= 12
    assert sorted(each.order for each in ALL.values()) == list(range(1, len(ALL) + 1))
    assert len({line.id for each in ALL.values() for line in each.lines}) == sum(len(e.lines) for e in ALL.values())


@pytest.mark.parametrize("each", ALL.values(), ids=list(ALL))
def test_a_policy_that_is_handed_out_can_be_read(each: Exercise, tmp_path: Path) -> None:
    book = open_workbook(each, tmp_path)
    load_policies(book.policy)
    assert open_workbook(each, tmp_path) == book
    assert [line.id for line in book.lines()] == [line.id for line in each.lines]


def test_an_exercise_by_its_number_or_its_name() -> None:
    among = tuple(ALL.values())
    assert exercise("1", among) is exercise("query-timeout", among)
    with pytest.raises(NoSuchExercise, match="did you mean query-timeout"):
        exercise("query-timeot", among)


@pytest.mark.net
@pytest.mark.parametrize("name", TO_REPAIR)
async def test_a_repaired_policy_is_seen_in_the_figures(name: str, tmp_path: Path) -> None:
    book = open_workbook(ALL[name], tmp_path)
    first = await run_once(book)
    repair(book)
    done = await check(book)
    assert done.after.total.as_expected == done.after.total.lines, done.after.cases
    assert done.missing == ()
    assert load(book.before) == first
    assert done.after.total.misfired == 0
    assert not done.passed, "nothing was predicted yet"
    assert not any(each.wrong for each in foretold(book, done))
    if not ALL[name].written:
        assert done.comparison.better != ()


@pytest.mark.net
@pytest.mark.parametrize("name", TO_PREDICT)
async def test_an_exercise_is_done_when_the_predictions_are_right(name: str, tmp_path: Path) -> None:
    book = open_workbook(ALL[name], tmp_path)
    blank = await check(book)
    assert blank.after.total.as_expected == blank.after.total.lines
    assert not blank.passed
    assert all(each.blank and each.wrong for each in blank.predictions)
    assert not any(each.wrong for each in foretold(book, blank))


@pytest.mark.net
async def test_what_was_foretold_before_the_first_run_stays_beside_what_came(tmp_path: Path) -> None:
    book = open_workbook(ALL["query-timeout"], tmp_path)
    ids = [line.id for line in ALL["query-timeout"].lines]
    assert list(unanswered(read_answers(book.answers), ids)) == ids
    said = '[timeout-once]\nobserved = "ANSWER"\ncode = "-"\nframes = 0\n'
    book.answers.write_text(said, "utf-8")
    assert list(unanswered(read_answers(book.answers), ids)) == ids[1:]
    repair(book)
    await run_once(book)
    book.answers.write_text("", "utf-8")
    await check(book)
    assert book.predicted.read_text("utf-8") == said
    came = load(book.before)
    assert came.total.as_expected == 0, "what came first is of the policy as it was handed out, whatever was repaired"
    text = hand_in(tmp_path, ALL, "en")
    assert "ANSWER - 0" in text
    assert text.count("nothing foretold") == 2


@pytest.mark.net
async def test_a_reason_that_was_left_blank_is_asked_for(tmp_path: Path) -> None:
    book = open_workbook(ALL["query-timeout"], tmp_path)
    retry = book.policy / "retry.toml"
    retry.write_text(retry.read_text("utf-8").replace("max_attempts = 1", "max_attempts = 3"), "utf-8")
    done = await check(book)
    assert done.after.total.as_expected == done.after.total.lines
    assert [text for text in done.missing if "max_attempts" in text]


@pytest.mark.net
async def test_a_rule_that_no_case_would_miss_is_told(tmp_path: Path) -> None:
    book = open_workbook(ALL["written-control-tool"], tmp_path)
    (book.policy / "refusals.toml").write_text(solutions.TWO_RULES, "utf-8")
    first, _ = solutions.OWN_CASES.strip().splitlines()
    book.own_cases.write_text(first + "\n", "utf-8")
    found = await check(book)
    assert [text for text in found.missing if "bin_5_is_closed" in text]
    assert not [text for text in found.missing if "no_glass_by_students" in text]


@pytest.mark.net
@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_the_page_to_hand_in(lang: str, tmp_path: Path) -> None:
    book = open_workbook(ALL["query-timeout"], tmp_path)
    await run_once(book)
    (book.policy / "retry.toml").write_text(solutions.POLICY["query-timeout"]["retry.toml"], "utf-8")
    await check(book)
    text = hand_in(tmp_path, ALL, "zh" if lang == "zh" else "en", "A < B", code="+changed = 1 < 2")
    assert "A &lt; B" in text
    for part in (
        "max_attempts = 1",
        "+max_attempts = 3",
        "<svg",
        "timeout-once",
        "RETRY_THEN_ANSWER",
        "+changed = 1 &lt; 2",
    ):
        assert part in text, part
    assert "http" not in text.replace("http://www.w3.org", "")
