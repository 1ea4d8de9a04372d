"""Only the digits, typed by hand, on a clean line, in time, once."""

from __future__ import annotations

import pytest

from edge_agent.adapters.console.line import Line
from edge_agent.console.news import new_code
from edge_agent.console.questions import CODE, ChoiceQuestion, MotionQuestion, Questions, Verdict


def line(text: str, *, clean: bool = True, typed: bool = True, whole: bool = True) -> Line:
    return Line(text, clean, typed, whole)


def asked() -> Questions:
    return Questions(motion=MotionQuestion("4821", "prompt-1", "ab" * 16, "wang", until_s=30.0))


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        (line("4821"), Verdict.YES),
        (line(" 4821 "), Verdict.YES),
        (line("4821", typed=False), Verdict.BY_HAND),
        (line("4821", clean=False), Verdict.BY_HAND),
        (line("4821", whole=False), Verdict.BY_HAND),
        (line("4822"), Verdict.WRONG_CODE),
        (line("4822", typed=False, clean=False), Verdict.WRONG_CODE),
        (line("yes"), Verdict.WORD),
        (line("是"), Verdict.WORD),
        (line("no"), Verdict.NO),
        (line("取消", typed=False), Verdict.NO),
        (line("48210"), Verdict.NOT_MINE),
        (line("482"), Verdict.NOT_MINE),
        (line("4821 yes"), Verdict.NOT_MINE),
        (line("٤٨٢١"), Verdict.NOT_MINE),
        (line("４８２１"), Verdict.NOT_MINE),
        (line("status"), Verdict.NOT_MINE),
        (line(""), Verdict.NOT_MINE),
    ],
)
def test_an_open_question(said: Line, verdict: Verdict) -> None:
    assert asked().judge(said, 29.9) is verdict


@pytest.mark.parametrize(
    ("said", "now_s", "choice", "verdict"),
    [
        ("4821", 30.0, False, Verdict.NONE_OPEN),
        ("no", 30.0, False, Verdict.NOT_MINE),
        ("4821", 30.0, True, Verdict.NOT_MINE),
        ("4821", 99.0, True, Verdict.NONE_OPEN),
    ],
)
def test_too_late(said: str, now_s: float, choice: bool, verdict: Verdict) -> None:
    questions = asked()
    questions.choice = ChoiceQuestion("prompt-2", 60.0) if choice else None
    assert questions.judge(line(said), now_s) is verdict


def test_taken_once() -> None:
    questions = asked()
    assert questions.take_motion() is not None
    assert questions.take_motion() is None
    assert questions.judge(line("4821"), 1.0) is Verdict.NONE_OPEN


def test_lapses_once() -> None:
    questions = asked()
    assert [questions.lapsed(now) for now in (29.9, 30.0, 31.0)] == [False, True, False]


def test_codes_are_four_different_digits() -> None:
    codes = {new_code() for _ in range(500)}
    assert all(CODE.fullmatch(code) and len(set(code)) == 4 for code in codes)
    assert len(codes) > 300
