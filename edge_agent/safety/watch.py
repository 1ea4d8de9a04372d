"""What one look at the controller says about the cell between and during commands. Pure.

Deadlines are values: the supervisor gives the time since the controller's heartbeat last moved.
"""

from __future__ import annotations

from drivers.contract import ControllerState, Mode, Snapshot
from edge_agent.safety.cell import CellEvent

HEARTBEAT_FROZEN_S = 0.5
"""The controller beats at 20 Hz or more; half a second without a change is ten beats missed."""

STOPPED_STATES = frozenset(
    {
        ControllerState.STOPPED,
        ControllerState.PROTECTIVE,
        ControllerState.CONTROLLER_ESTOP,
        ControllerState.FAULT,
        ControllerState.LOCKOUT,
    }
)
_FAULTED = STOPPED_STATES - {ControllerState.STOPPED}


def integrity(
    snapshot: Snapshot, *, boot_id: int, duplicates: int, executed: int, may_execute: bool, heartbeat_age_s: float
) -> tuple[str, ...]:
    """Names of what cannot be explained by anything the agent did; empty when all adds up.

    `executed` is the count at the last settled moment; `may_execute` says a command of ours is out, which may
    raise it by one.
    """
    moved = (snapshot.executed - executed) % 0x10000
    checks = (
        ("boot_id", snapshot.boot_id == boot_id),
        ("duplicates", snapshot.duplicates == duplicates),
        ("executed", moved == 0 or (may_execute and moved == 1)),
        ("heartbeat_frozen", heartbeat_age_s <= HEARTBEAT_FROZEN_S),
    )
    return tuple(name for name, holds in checks if not holds)


def interlock_open(snapshot: Snapshot) -> bool:
    inputs = snapshot.interlocks
    closed = inputs.estop_ok and inputs.guard_closed and inputs.protective_ok and inputs.drives_on
    return not closed or snapshot.state in _FAULTED


def posture(snapshot: Snapshot) -> CellEvent | None:
    """What an idle cell should become after this look; None while the controller is between states."""
    if snapshot.mode is not Mode.AUTO_REMOTE:
        return CellEvent.MODE_LEFT
    if snapshot.state is ControllerState.STOPPED:
        return CellEvent.FOUND_STOPPED
    if snapshot.state is ControllerState.IDLE and not snapshot.interlocks.reset_required:
        return CellEvent.IDENTIFIED
    return None


def still(first: Snapshot, second: Snapshot, tolerance_tenths: int) -> bool:
    """Two reads at least 50 ms apart whose poses differ by no more than the tolerance in any word."""
    return all(abs(a - b) <= tolerance_tenths for a, b in zip(first.pose, second.pose, strict=True))


def stop_proved(first: Snapshot, second: Snapshot, tolerance_tenths: int) -> bool:
    return first.state in STOPPED_STATES and second.state in STOPPED_STATES and still(first, second, tolerance_tenths)
