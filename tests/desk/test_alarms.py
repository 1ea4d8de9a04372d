"""Alarms: raised once, acknowledged only as read, gone when neither active nor unread."""

from __future__ import annotations

import asyncio
from itertools import count, product

import pytest

from edge_agent.desk.alarm_texts import TEXTS
from edge_agent.desk.alarms import AlarmBoard
from edge_agent.messages.alarm import SEVERITY, AlarmMessage, AlarmType
from edge_agent.run.journal import JournalFault, Kind
from tests.tools.desk import NOW, MemoryJournal

COMING_AND_GOING: tuple[AlarmType, ...] = ("broker.lost", "arm.link_lost")


class Desk:
    def __init__(self) -> None:
        self.journal = MemoryJournal()
        self.told: list[AlarmMessage] = []
        numbers = count(1)
        self.board = AlarmBoard(self.journal, "en", lambda: NOW, lambda: f"e{next(numbers)}", self.told.append)


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def test_what_is_so_already_is_not_raised_again(desk: Desk) -> None:
    await desk.board.set("arm.link_lost", True, "arm_01")
    await desk.board.set("arm.link_lost", True, "arm_01")
    assert len(desk.told) == 1


async def test_two_who_see_the_same_at_once_raise_one(desk: Desk) -> None:
    await asyncio.gather(*(desk.board.set("arm.link_lost", True, "arm_01") for _ in range(5)))
    assert len(desk.told) == 1


@pytest.mark.parametrize("first", ["console", "broker"])
async def test_what_one_takes_back_another_may_still_see(first: str, desk: Desk) -> None:
    """Logins locked at the console, a foreign right tried at the broker: either end leaves the other's alarm."""
    other = {"console": "broker", "broker": "console"}[first]
    await desk.board.set("auth.violation", True, first, f"seen at the {first}")
    await desk.board.set("auth.violation", True, other, f"seen at the {other}")
    assert len(desk.told) == 1
    await desk.board.set("auth.violation", False, first)
    (standing,) = desk.board.standing()
    assert standing.active
    assert standing.source == other
    assert standing.cause.endswith(f"seen at the {other}")
    await desk.board.set("auth.violation", False, other)
    assert not desk.told[-1].active


async def test_it_is_kept_until_it_is_over_and_read(desk: Desk) -> None:
    await desk.board.set("arm.link_lost", True, "arm_01")
    await desk.board.set("arm.link_lost", False, "arm_01")
    assert [m.retained for m in desk.told] == [True, True]
    assert await desk.board.acknowledge("arm.link_lost", desk.told[-1].event_id, "op1")
    assert not desk.told[-1].retained
    assert desk.board.standing() == []


async def test_an_acknowledgement_of_an_older_state_is_none(desk: Desk) -> None:
    await desk.board.set("arm.link_lost", True, "arm_01")
    read = desk.told[-1].event_id
    await desk.board.set("arm.link_lost", False, "arm_01")
    assert not await desk.board.acknowledge("arm.link_lost", read, "op1")


async def test_it_can_be_acknowledged_once(desk: Desk) -> None:
    await desk.board.set("arm.link_lost", True, "arm_01")
    assert await desk.board.acknowledge("arm.link_lost", desk.told[-1].event_id, "op1")
    assert not await desk.board.acknowledge("arm.link_lost", desk.told[-1].event_id, "op1")


async def test_every_change_is_a_row_with_who_did_it(desk: Desk) -> None:
    await desk.board.set("arm.link_lost", True, "arm_01")
    await desk.board.acknowledge("arm.link_lost", desk.told[-1].event_id, "op1")
    assert [(b["active"], b["acked"], b["by"]) for b in desk.journal.bodies(Kind.ALARM)] == [
        (True, False, ""),
        (True, True, "op1"),
    ]


async def test_an_alarm_that_cannot_be_written_down_is_not_told(desk: Desk) -> None:
    desk.journal.broken.add("append")
    with pytest.raises(JournalFault):
        await desk.board.set("arm.link_lost", True, "arm_01")
    assert desk.told == []


def test_every_alarm_says_in_both_languages_what_to_do() -> None:
    assert set(TEXTS) == set(SEVERITY)
    for texts in TEXTS.values():
        for text in (texts["zh"], texts["en"]):
            assert text.message
            assert text.response


async def test_a_flood_is_told_as_one_and_what_stands_after_it(desk: Desk) -> None:
    for _ in range(6):
        for kind, active in product(COMING_AND_GOING, (True, False)):
            await desk.board.set(kind, active, "x")
    assert desk.board.flood() is not None
    await desk.board.set("alarm.flood", True, "alarms")
    desk.told.clear()
    await desk.board.set("broker.lost", True, "x")
    assert desk.told == []
    await desk.board.set("arm.outcome_unknown", True, "x")
    assert [m.type for m in desk.told] == ["arm.outcome_unknown"], "what is urgent is told all the same"
    await desk.board.set("alarm.flood", False, "alarms")
    assert [(m.type, m.active) for m in desk.told[1:]] == [("alarm.flood", False), ("broker.lost", True)]
    assert [b["id"] for b in desk.journal.bodies(Kind.ALARM)][-3:] == [
        "broker.lost",
        "arm.outcome_unknown",
        "alarm.flood",
    ]


async def test_a_few_alarms_are_no_flood(desk: Desk) -> None:
    for _ in range(5):
        for kind, active in product(COMING_AND_GOING, (True, False)):
            await desk.board.set(kind, active, "x")
    assert desk.board.flood() is None
