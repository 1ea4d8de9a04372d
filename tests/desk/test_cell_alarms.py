"""The alarms that a cell's state raises by itself: which one a lockout has, and when a lost link is one."""

from __future__ import annotations

import pytest

from edge_agent.control.view import CellView
from edge_agent.desk.cell_alarms import cell_alarms
from edge_agent.messages.alarm import AlarmType
from edge_agent.safety.cell import CellState

ALL = {
    "arm.receipt_mismatch",
    "journal.fault",
    "arm.stop_not_proved",
    "arm.outcome_unknown",
    "arm.link_lost",
}


def view(state: CellState, *, lockout: str | None = None, linked: bool = True, reason: str = "") -> CellView:
    return CellView(state, reason, (), None, None, None, None, None, linked, 0, lockout, None)


LOCKED, OFFLINE = CellState.LOCKED_OUT, CellState.OFFLINE
SEEN: tuple[tuple[CellView, AlarmType | None], ...] = (
    (view(LOCKED, lockout="receipt_wrong"), "arm.receipt_mismatch"),
    (view(LOCKED, lockout="journal_fault"), "journal.fault"),
    (view(LOCKED, lockout="stop_not_proved"), "arm.stop_not_proved"),
    (view(LOCKED, lockout="receipt_missing"), "arm.outcome_unknown"),
    (view(LOCKED), "arm.outcome_unknown"),
    (view(OFFLINE, linked=False, reason="link_lost"), "arm.link_lost"),
    (view(OFFLINE, linked=False, reason="starting"), None),
    (view(OFFLINE, reason="link_lost"), None),
    (view(CellState.READY), None),
    (view(CellState.READY, lockout="receipt_wrong"), None),
)


@pytest.mark.parametrize(("seen", "alarm"), SEEN)
def test_one_alarm_or_none_holds_and_all_others_do_not(seen: CellView, alarm: AlarmType | None) -> None:
    told = dict(cell_alarms(seen))
    assert set(told) == ALL
    assert {kind for kind, holds in told.items() if holds} == ({alarm} if alarm else set())
