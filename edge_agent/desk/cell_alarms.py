"""Which alarms follow from the state of the cell alone, and whether each holds now."""

from __future__ import annotations

from edge_agent.control.view import CellView
from edge_agent.messages.alarm import AlarmType
from edge_agent.safety.cell import CellState

OF_LOCKOUT: dict[str, AlarmType] = {
    "receipt_wrong": "arm.receipt_mismatch",
    "journal_fault": "journal.fault",
    "stop_not_proved": "arm.stop_not_proved",
}
"""Lockouts with an alarm of their own; after every other one it is not known what the arm did."""
UNKNOWN: AlarmType = "arm.outcome_unknown"


def cell_alarms(view: CellView) -> tuple[tuple[AlarmType, bool], ...]:
    """Every alarm that the cell's state can raise, each with whether it holds."""
    locked = OF_LOCKOUT.get(view.lockout or "", UNKNOWN) if view.state is CellState.LOCKED_OUT else None
    link_lost = not view.linked and view.state is CellState.OFFLINE and view.reason == "link_lost"
    return (*((kind, kind == locked) for kind in (*OF_LOCKOUT.values(), UNKNOWN)), ("arm.link_lost", link_lost))
