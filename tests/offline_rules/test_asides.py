"""What is left out beside a command, and what is not: a reason that asks, denies, quotes, waits or names a value."""

from __future__ import annotations

import pytest

from offline_rules.asides import Aside, asides, without
from tests.offline_rules.judged import moves, router, slots

REASONS = {
    "home the arm": (
        "i need to sweep under there", "we're packing up", "forklift coming through", "the path is clear",
        "nobody is inside", "i've checked the fence", "dave wants the bench",
    ),
    "回零": ("我要扫地", "叉车要过", "场地清空了", "现场已检查", "里面没人", "要闭馆了", "挡着路了"),
}  # fmt: skip
UNDONE = {
    "{command}, {reason}?", "{command}? {reason}", "{reason}, don't {command}", "{reason}, 别{command}",
    "if {reason}, {command}", "如果{reason}，{command}", "{reason}, then {command}", "{reason}，再{command}",
    "{reason}, he said {command}", "他说{reason}，{command}", "{command}, {reason}, never mind",
    "{command}，{reason}，算了", "when {reason}, {command}", "等{reason}，{command}", "“{command}, {reason}”",
}  # fmt: skip
PAIRS = [(command, reason) for command, reasons in REASONS.items() for reason in reasons]


@pytest.mark.parametrize(("command", "reason"), PAIRS)
def test_a_reason_may_stand_on_both_sides(command: str, reason: str) -> None:
    assert moves(f"{command}, {reason}")
    assert moves(f"{reason}, {command}")


@pytest.mark.parametrize("frame", sorted(UNDONE))
def test_what_undoes_a_command_undoes_it_with_its_reason(frame: str) -> None:
    assert [pair for pair in PAIRS if moves(frame.format(command=pair[0], reason=pair[1]))] == []


@pytest.mark.parametrize(
    "text", ["open the gripper, so park the arm", "松开夹爪，我们把机械臂停靠", "open the gripper, i home it"]
)
def test_a_second_motion_is_no_reason(text: str) -> None:
    assert not moves(text)


@pytest.mark.parametrize(
    "text", ["i can see the pads", "so i can see the pads, open the gripper", "好让妞妞看看，松开夹爪"]
)
def test_a_purpose_stands_behind_what_it_is_for(text: str) -> None:
    assert not moves(text)


def test_a_purpose_at_the_end_of_its_clause_is_left_out() -> None:
    said = "open the gripper so i can see the pads"
    assert asides(said) == (Aside(16, len(said), after=True),)
    assert moves(said)
    assert asides("open the gripper so i can see how it grips") == ()


def test_a_value_stands_in_no_reason() -> None:
    text = "take the glass from B to bin 2, the tin is ready"
    assert not moves(text)
    assert slots(router().read("move to station B, the tray is clear")) == {"action": "move", "station": "B"}


def test_what_is_left_out_keeps_its_place() -> None:
    assert without("回零,谢啦", asides("回零,谢啦")) == "回零,,,"
