"""Who is there: the age of the heartbeat decides, never the retained word."""

from __future__ import annotations

from typing import Any

import pytest

from edge_agent.hmi.now import SILENT_S, Connection, Link, Now
from edge_agent.messages.alarm import AlarmMessage
from edge_agent.messages.examples import RETAINED_EXAMPLES
from edge_agent.messages.status import HEARTBEAT_S, StatusMessage


def status(**changes: Any) -> StatusMessage:
    return StatusMessage.model_validate(RETAINED_EXAMPLES["status"] | changes)


def alarm(**changes: Any) -> AlarmMessage:
    return AlarmMessage.model_validate(RETAINED_EXAMPLES["alarm"] | changes)


def up() -> Now:
    now = Now()
    now.link_is(Link.UP, 100.0)
    return now


def test_a_retained_online_proves_nothing() -> None:
    now = up()
    now.beat(status(), 100.1)
    assert now.connection(100.2) is Connection.WAITING
    assert now.connection(100.0 + SILENT_S + 0.1) is Connection.SILENT


def test_the_same_beat_again_proves_nothing() -> None:
    now = up()
    for at_s in (100.1, 100.2):
        now.beat(status(), at_s)
    assert now.connection(100.3) is Connection.WAITING


@pytest.mark.parametrize("next_one", [{"beat": 32}, {"instance": "0" * 32}])
def test_a_beat_that_follows_another_is_life(next_one: dict[str, Any]) -> None:
    now = up()
    now.beat(status(), 100.1)
    now.beat(status(**next_one), 102.1)
    assert now.connection(102.1 + HEARTBEAT_S) is Connection.LIVE
    assert now.connection(102.1 + SILENT_S + 0.01) is Connection.SILENT


def test_an_event_of_a_run_is_life() -> None:
    now = up()
    now.beat(status(), 100.1)
    now.heard(100.2)
    assert now.connection(100.3) is Connection.LIVE


@pytest.mark.parametrize(("word", "shown"), [("CONNECTION_BROKEN", Connection.BROKEN), ("OFFLINE", Connection.OFFLINE)])
def test_a_word_of_absence_is_believed_at_once(word: str, shown: Connection) -> None:
    now = up()
    now.heard(100.1)
    now.beat(status(status=word), 100.2)
    assert now.connection(100.2) is shown
    now.beat(status(instance="1" * 32, beat=0), 101.0)
    assert now.connection(101.1) is Connection.LIVE


def test_what_was_heard_over_a_lost_connection_counts_for_nothing() -> None:
    now = up()
    now.heard(100.1)
    now.link_is(Link.DOWN, 100.2, "reset")
    assert now.connection(100.2) is Connection.NO_BROKER
    now.link_is(Link.UP, 100.3)
    assert now.connection(100.4) is Connection.WAITING


def test_a_dead_agent_is_seen_within_three_seconds() -> None:
    assert SILENT_S + 0.2 < 3.0


def test_alarms_stand_until_somebody_took_them() -> None:
    now = up()
    now.alarm("a", alarm())
    now.alarm("b", alarm(acked=True))
    now.alarm("c", alarm(active=False))
    now.alarm("d", alarm(severity="low"))
    assert [(a.acked, a.active, a.severity) for a in now.standing()] == [
        (False, True, "urgent"),
        (False, True, "low"),
        (False, False, "urgent"),
        (True, True, "urgent"),
    ]
    now.alarm("a", None)
    now.alarm("c", alarm(active=False, acked=True))
    assert len(now.standing()) == 2
