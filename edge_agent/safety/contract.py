"""What this cell can do, checked before anyone is asked to confirm it. Text to order; pure.

A proposal is slots as said; the outcome is an order without its number, a missing slot, or a refusal that names
the value. Nothing is rounded, guessed or completed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from drivers.contract import NO_POSE, Action, ControllerState, Mode, Order, Snapshot
from edge_agent.safety.cell_spec import CellSpec, Device

SlotName: TypeAlias = Literal["device", "station", "item_type", "bin"]

NEEDS: dict[Action, tuple[SlotName, ...]] = {
    Action.HOME: (),
    Action.PARK: (),
    Action.OPEN_GRIPPER: (),
    Action.CLOSE_GRIPPER: (),
    Action.MOVE: ("station",),
    Action.PICK: ("item_type",),
    Action.PLACE: ("bin",),
    Action.PICK_PLACE: ("item_type", "bin"),
}
"""Slots without which an action means nothing. The one device of a cell need not be named."""

TAKES: dict[Action, frozenset[str]] = {
    Action.HOME: frozenset(),
    Action.PARK: frozenset(),
    Action.OPEN_GRIPPER: frozenset(),
    Action.CLOSE_GRIPPER: frozenset(),
    Action.MOVE: frozenset({"station"}),
    Action.PICK: frozenset({"item_type", "bin"}),
    Action.PLACE: frozenset({"bin", "item_type"}),
    Action.PICK_PLACE: frozenset({"item_type", "bin"}),
}

_STARTS_EMPTY = frozenset({Action.PICK, Action.PICK_PLACE})
_STARTS_HOLDING = frozenset({Action.PLACE})
_GRIPS = frozenset({Action.PICK, Action.PICK_PLACE, Action.CLOSE_GRIPPER, Action.OPEN_GRIPPER})
_TRAVELS = frozenset({Action.HOME, Action.PARK, Action.MOVE, Action.PICK, Action.PLACE, Action.PICK_PLACE})


@dataclass(frozen=True, slots=True)
class Proposal:
    """An action of this cell, complete and within its limits; numbered and sent only after its confirmation."""

    action: Action
    device: Device
    slots: tuple[tuple[str, str], ...]
    order: Order
    """`command_id` and `session` are 0 until the command is stored."""

    @property
    def slot_map(self) -> dict[str, str]:
        return dict(self.slots)


@dataclass(frozen=True, slots=True)
class MissingSlot:
    name: SlotName


@dataclass(frozen=True, slots=True)
class Refused:
    """`reason` is a stable word with a text in every language; `code` the error code; `facts` fill the text."""

    reason: str
    code: str
    facts: tuple[tuple[str, str], ...] = ()


def _has(spec: CellSpec, slot: str, value: str) -> bool:
    match slot:
        case "item_type":
            return spec.item(value) is not None
        case "bin":
            return spec.bin(value) is not None
        case "station":
            return spec.station(value) is not None
        case "device":
            return spec.device(value) is not None
        case _:
            return False


def _foreign(spec: CellSpec, slots: Mapping[str, str]) -> Refused | None:
    for slot, value in slots.items():
        if slot != "action" and not _has(spec, slot, value):
            return Refused("not_in_cell", "INPUT_INVALID", (("slot", slot), ("value", value)))
    return None


def order_hash(action: Action, device: str, slots: Mapping[str, str]) -> int:
    """u32 over the action as people said it; travels to the controller and back with the command."""
    canonical = json.dumps([action.value, device, sorted(slots.items())], ensure_ascii=True)
    return int.from_bytes(hashlib.sha256(canonical.encode()).digest()[:4], "big")


def _order(spec: CellSpec, action: Action, device: Device, slots: Mapping[str, str]) -> Order:
    item = spec.item(slots["item_type"]) if "item_type" in slots else None
    station = spec.station(slots["station"]) if "station" in slots else None
    bin_ = spec.bin(slots["bin"]) if "bin" in slots else None
    grips_item = item is not None and action in _STARTS_EMPTY
    force_n = item.grip_force_n if item is not None and grips_item else spec.limits.grip_force_max_n // 2
    return Order(
        command_id=0,
        device_id=device.device_id,
        session=0,
        action=action,
        target=station.pose if station else item.pick_pose if item is not None and grips_item else NO_POSE,
        speed_pct=spec.limits.speed_pct if action in _TRAVELS else 0,
        grip_force_n=force_n if action in _GRIPS else 0,
        item_class=item.item_class if item is not None and grips_item else 0,
        station=station.index if station else 0,
        bin=bin_.number if bin_ else 0,
        order_hash=order_hash(action, device.name, slots),
    )


def check(spec: CellSpec, action: Action, said: Mapping[str, str]) -> Proposal | MissingSlot | Refused:
    """The cell contract, without the state of the moment. `said` maps slot names to values, `action` aside."""
    slots = {name: value for name, value in said.items() if name != "action"}
    if (foreign := _foreign(spec, slots)) is not None:
        return foreign
    device = spec.device(slots.pop("device", None))
    if device is None:
        return MissingSlot("device")
    for needed in NEEDS[action]:
        if needed not in slots:
            return MissingSlot(needed)
    for name in slots:
        if name not in TAKES[action]:
            fixed = name == "station" and action in _STARTS_EMPTY | _STARTS_HOLDING  # by item and bin, in the cell file
            why = "place_is_fixed" if fixed else "slot_not_of_action"
            return Refused(why, "INPUT_INVALID", (("slot", name), ("action", action.value)))
    return Proposal(action, device, tuple(sorted(slots.items())), _order(spec, action, device, slots))


def interlocks(proposal: Proposal, snapshot: Snapshot) -> Refused | None:
    """The state of the moment: remote automatic, idle, inputs closed, and a gripper that fits the action."""
    inputs = snapshot.interlocks
    checks: tuple[tuple[bool, str], ...] = (
        (inputs.estop_ok, "controller_estop"),
        (inputs.guard_closed, "guard_open"),
        (inputs.protective_ok, "protective_stop"),
        (inputs.drives_on, "drives_off"),
        (not inputs.reset_required, "controller_reset_required"),
        (snapshot.mode is Mode.AUTO_REMOTE, "not_remote_automatic"),
        (snapshot.state is ControllerState.IDLE, "controller_not_idle"),
        (not (proposal.action in _STARTS_EMPTY and snapshot.holds_part), "gripper_occupied"),
        (not (proposal.action in _STARTS_HOLDING and not snapshot.holds_part), "gripper_empty"),
    )
    for holds, reason in checks:
        if not holds:
            return Refused(reason, "INTERLOCK_OPEN", (("action", proposal.action.value),))
    return None
