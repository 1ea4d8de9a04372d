"""The view of a cell as plain values: for its picture, for the status tool, for the journal. Pure."""

from __future__ import annotations

from edge_agent.control.view import CellView
from edge_agent.messages.wire import Scalar


def arm_words(view: CellView) -> dict[str, Scalar]:
    """What was last read of the arm, and what was last intended, as plain values."""
    seen, intended = view.read_back, view.intended
    told: dict[str, Scalar] = {
        "cell_state": view.state.value,
        "reason": view.reason,
        "lockout": view.lockout,
        "linked": view.linked,
        "unknown_outcomes": view.unknown_outcomes,
        "command_id": view.command_id,
        "command_state": view.command_state.value if view.command_state else None,
        "intended_action": intended.action.value if intended else None,
    }
    if seen is not None:
        told |= {
            "mode": seen.mode.name,
            "controller_state": seen.state.name,
            "fault_code": f"{seen.fault_code:04x}" if seen.fault_code else None,
            "estop_ok": seen.interlocks.estop_ok,
            "guard_closed": seen.interlocks.guard_closed,
            "protective_ok": seen.interlocks.protective_ok,
            "drives_on": seen.interlocks.drives_on,
            "reset_required": seen.interlocks.reset_required,
            "holds_part": seen.holds_part,
            "gripper_position": seen.gripper_position,
            "bin_bits": seen.bin_bits,
            "executed": seen.executed,
            **{name: seen.pose[i] for i, name in enumerate(("x", "y", "z", "rx", "ry", "rz"))},
        }
    return told
