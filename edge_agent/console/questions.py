"""What the console's user was asked and has not answered: a motion's code, a clarification. Pure; time is an argument.

A motion is confirmed by the four digits shown with it and by nothing else: typed key by key, on a line without noise,
once. Four other digits take the question back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from edge_agent.adapters.console.line import Line

CODE: Final = re.compile(r"[0-9]{4}", re.ASCII)
YES: Final = frozenset({"yes", "y", "ok", "confirm", "是", "好", "确认", "可以"})
NO: Final = frozenset({"no", "n", "不", "否", "不要", "取消", "算了", "cancel"})


@dataclass(frozen=True, slots=True)
class MotionQuestion:
    """`until_s` is on the monotonic clock; `user` is who was asked."""

    code: str
    prompt_id: str
    digest: str
    user: str
    until_s: float


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    prompt_id: str
    until_s: float


class Verdict(Enum):
    """How a line stands to the question about a motion."""

    NOT_MINE = auto()
    YES = auto()
    NO = auto()
    BY_HAND = auto()
    """The right digits, but pasted or with noise: the question stays open."""
    WORD = auto()
    """A yes in words: the question stays open."""
    WRONG_CODE = auto()
    NONE_OPEN = auto()


@dataclass(slots=True)
class Questions:
    motion: MotionQuestion | None = None
    choice: ChoiceQuestion | None = None

    def judge(self, line: Line, now_s: float) -> Verdict:
        said = line.text.strip().lower()
        if self.motion is None or now_s >= self.motion.until_s:
            stray = CODE.fullmatch(said) is not None and self.open_choice(now_s) is None
            return Verdict.NONE_OPEN if stray else Verdict.NOT_MINE
        if said in NO:
            return Verdict.NO
        if said in YES:
            return Verdict.WORD
        if CODE.fullmatch(said) is None:
            return Verdict.NOT_MINE
        if said != self.motion.code:
            return Verdict.WRONG_CODE
        return Verdict.YES if line.clean and line.typed and line.whole else Verdict.BY_HAND

    def take_motion(self) -> MotionQuestion | None:
        """The question, which nobody can answer from here on."""
        taken, self.motion = self.motion, None
        return taken

    def open_choice(self, now_s: float) -> ChoiceQuestion | None:
        if self.choice is not None and now_s >= self.choice.until_s:
            self.choice = None
        return self.choice

    def lapsed(self, now_s: float) -> bool:
        """True once, when the motion's time is over."""
        if self.motion is None or now_s < self.motion.until_s:
            return False
        self.motion = None
        return True

    def clear(self) -> None:
        self.motion, self.choice = None, None
