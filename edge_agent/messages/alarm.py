"""Alarms: a condition that needs a person, with what that person should do. Pure.

A subset of ISA-18.2 and OPC UA conditions: raised → acknowledged → cleared in either order; retained while active
or unacknowledged. Whatever needs no response is an event and no alarm.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from edge_agent.messages.wire import WIRE_VERSION, Line, UtcTime, Version, WireModel, Word

Severity: TypeAlias = Literal["low", "medium", "high", "urgent"]
AlarmType: TypeAlias = Literal[
    "arm.outcome_unknown",
    "arm.receipt_mismatch",
    "arm.link_lost",
    "arm.stop_not_proved",
    "journal.fault",
    "broker.lost",
    "auth.violation",
    "model.unavailable",
    "clock.unsynced",
    "storage.low",
    "alarm.flood",
]
SEVERITY: Final[dict[AlarmType, Severity]] = {
    "arm.outcome_unknown": "urgent",
    "arm.receipt_mismatch": "urgent",
    "arm.link_lost": "high",
    "arm.stop_not_proved": "urgent",
    "journal.fault": "urgent",
    "broker.lost": "medium",
    "auth.violation": "medium",
    "model.unavailable": "low",
    "clock.unsynced": "low",
    "storage.low": "medium",
    "alarm.flood": "high",
}


class AlarmMessage(WireModel):
    """`event_id` changes at each change of state; an acknowledgement must quote the current one."""

    v: Version = WIRE_VERSION
    id: Word
    type: AlarmType
    source: Word
    severity: Severity
    active: bool
    acked: bool
    event_id: Word
    raised_at: UtcTime
    message: Line
    cause: Line
    consequence: Line
    response: Line

    @property
    def retained(self) -> bool:
        """Stays on its topic while somebody still has to look at it."""
        return self.active or not self.acked
