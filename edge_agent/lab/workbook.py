"""A group's own folder of one exercise: the policy it may change, its cases, its predictions, and what came of them.

policy/         the files to repair       given/     the same as they were handed out
cases.jsonl     what is run               own_cases.jsonl   the group's own (written exercise B)
answers.toml    what is predicted         predicted.toml    the same as it stood before the first run
before.json     what came of the policy as handed out       after.json    what came of the changed one
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from edge_agent.cases.files import Placed, read_paths
from edge_agent.lab.exercise import CASES, POLICY, STOCK_POLICY, Exercise

GIVEN: Final = "given"
OWN_CASES: Final = "own_cases.jsonl"
ANSWERS: Final = "answers.toml"
PREDICTED: Final = "predicted.toml"
BEFORE, AFTER = "before.json", "after.json"
DEFAULT_FOLDER: Final = Path("lab-work")

ANSWERS_HEAD: Final = """\
# What will come of each case in cases.jsonl, with the policy as handed out? Fill this in, then run.
# 按发下来的策略，每条案例（cases.jsonl）会得到什么？先填写，再运行。
# observed: a label, such as RETRY_THEN_ANSWER (all of them: edge-agent lab doc labels).
# observed：标签，例如 RETRY_THEN_ANSWER（全部见 edge-agent lab doc labels）。
# code: error.code, reason or fallback type, "-" for none.  frames: motion frames on the wire.
# code：错误码、reason 或 fallback 类型，没有就写 "-"。frames：线上动作帧数。
"""
WRITTEN: Final = '\n[written]\n# Why is a motion never tried again? 动作为什么不能重试？\nwhy_no_retry = ""\n'


@dataclass(frozen=True, slots=True)
class Workbook:
    exercise: Exercise
    folder: Path

    @property
    def policy(self) -> Path:
        return self.folder / POLICY

    @property
    def given(self) -> Path:
        return self.folder / GIVEN

    @property
    def before(self) -> Path:
        return self.folder / BEFORE

    @property
    def after(self) -> Path:
        return self.folder / AFTER

    @property
    def answers(self) -> Path:
        return self.folder / ANSWERS

    @property
    def predicted(self) -> Path:
        return self.folder / PREDICTED

    def keep_prediction(self) -> None:
        """As it stands before the first run; later changes are seen beside it."""
        if not self.predicted.is_file():
            shutil.copyfile(self.answers, self.predicted)

    def lines(self) -> tuple[Placed, ...]:
        """The handed out cases and the group's own. Raises `BadLine`."""
        return read_paths([self.folder / CASES, *([self.own_cases] if self.has_own_cases else [])])

    @property
    def own_cases(self) -> Path:
        return self.folder / OWN_CASES

    @property
    def has_own_cases(self) -> bool:
        return self.own_cases.is_file() and bool(self.own_cases.read_text("utf-8").strip())


def open_workbook(exercise: Exercise, base: Path) -> Workbook:
    """The group's folder; made with everything in it where it is not there yet, else left as it is."""
    book = Workbook(exercise, base / exercise.id)
    if not book.folder.is_dir():
        _hand_out(book)
    return book


def _hand_out(book: Workbook) -> None:
    book.folder.mkdir(parents=True)
    shutil.copytree(STOCK_POLICY, book.policy)
    for name in book.exercise.given_policy:
        target = book.policy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(book.exercise.folder / POLICY / name, target)
    shutil.copytree(book.policy, book.given)
    shutil.copyfile(book.exercise.folder / CASES, book.folder / CASES)
    if book.exercise.written == "B":
        book.own_cases.touch()
    book.answers.write_text(_blank_answers(book.exercise), "utf-8")


def _blank_answers(exercise: Exercise) -> str:
    asked = "".join(f'\n[{line.id}]\nobserved = ""\ncode = ""\nframes = -1\n' for line in exercise.lines)
    return ANSWERS_HEAD + asked + (WRITTEN if exercise.written == "B" else "")
