"""SIGKILL at every named step of the command path, and anywhere: nothing runs twice, and every end is honest."""

from __future__ import annotations

import random

import pytest

from edge_agent.control.ports import STEP_NAMES
from tests.chaos.amount import amount
from tests.chaos.episode import ACTIONS, EVERY_ACTION, Story, Tally
from tests.chaos.figures import note
from tests.chaos.telling import Report, tell_all

pytestmark = [pytest.mark.net, pytest.mark.timeout(amount(300, 7_200))]

ARRIVALS = ("mqtt", "console")
SEED = 20_240_611
RANDOM_KILLS = amount(60, 1_000)
FRESH_STARTS = amount(2, 10)
AS_LONG_AS_A_MOTION_S = 1.2
TROUBLE: dict[str, dict[str, str]] = {
    "stop_asked": {"stop_at_phase": "EXECUTING"},
    "stop_sent": {"stop_at_phase": "EXECUTING"},
    "lockout_stored": {"fault": "command_swallowed"},
}
"""What it takes to come by these steps."""

_sum = Tally()


def every_step() -> list[Story]:
    return [
        Story(arrival, action, kill_at=step, **TROUBLE.get(step, {}))  # type: ignore[arg-type]
        for arrival in ARRIVALS
        for action in (EVERY_ACTION if amount(0, 1) else ACTIONS)
        for step in STEP_NAMES
    ]


def anywhere(count: int) -> list[Story]:
    """Reproducible by their seed, as far as a machine's scheduler allows."""
    dice = random.Random(SEED)
    return [
        Story(
            dice.choice(ARRIVALS),
            dice.choice(list(EVERY_ACTION)),
            kill_after_s=dice.uniform(0, AS_LONG_AS_A_MOTION_S),
            stop_after_s=dice.uniform(0, AS_LONG_AS_A_MOTION_S) if dice.random() < 1 / 3 else None,
            fresh=number < FRESH_STARTS,
        )
        for number in range(count)
    ]


def tell_sum(report: Report) -> None:
    global _sum  # noqa: PLW0603 - figures of the whole run
    _sum += report.tally
    note("kills / requests / sent again after it", f"{_sum.kills} / {_sum.requests} / {_sum.sent_again}")
    note("commands executed / executed twice", f"{_sum.executed} / {_sum.doubles}")
    note("frames on the wire a command that was sent", dict(_sum.frames))
    note("outcomes UNKNOWN / of these had in truth run", f"{_sum.unknown} / {_sum.unknown_had_run}")


async def test_kill_h31_at_every_named_step() -> None:
    report = await tell_all(every_step())
    tell_sum(report)
    assert not report.wrong, "\n".join(report.wrong)
    assert report.tally.doubles == 0
    assert set(report.tally.frames) == {1}


async def test_kill_h31_anywhere() -> None:
    report = await tell_all(anywhere(RANDOM_KILLS))
    tell_sum(report)
    assert not report.wrong, "\n".join(report.wrong)
    assert report.tally.doubles == 0
    assert set(report.tally.frames) == {1}


@pytest.mark.parametrize(
    ("broken", "kill_at", "says"),
    [
        ("journal_after_send", "sent", "its intent is not in the journal"),
        ("sends_again", "executing", "left in 2 frames"),
    ],
)
async def test_kill_catches_an_agent_that_is_broken(broken: str, kill_at: str, says: str) -> None:
    report = await tell_all([Story("mqtt", "pick-and-place", kill_at=kill_at, broken=broken)])
    assert says in "\n".join(report.wrong)
