"""How a motion, a stop, a release or a reset ended: values, with what was intended beside what was read back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from drivers.contract import Order, Receipt, Snapshot
from edge_agent.safety.command import CommandState


@dataclass(frozen=True, slots=True)
class MotionEnd:
    """`reason` is a stable word; `code` the error code, empty when `VERIFIED`. `frames` counts the mailbox writes
    this command made: 0 or 1."""

    command_id: int
    state: CommandState
    reason: str
    code: str
    frames: int
    order: Order
    receipt: Receipt | None = None
    read_back: Snapshot | None = None
    detail: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotDispatched:
    """Refused before anything was stored or sent."""

    reason: str
    code: str
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class StopEnd:
    """`command_id` and `command_state`: of the command that the stop met, and how it ended; None where it met none."""

    proved: bool
    writes: int
    read_back: Snapshot | None
    command_id: int | None
    command_state: CommandState | None


@dataclass(frozen=True, slots=True)
class Freed:
    """A release or a reset that went through: the cell is usable, nothing moved."""

    read_back: Snapshot


@dataclass(frozen=True, slots=True)
class StillHeld:
    """A release or a reset that did not: `reason` says what the controller still shows."""

    reason: str
    code: str
    read_back: Snapshot | None = None


MotionOutcome: TypeAlias = MotionEnd | NotDispatched
FreeOutcome: TypeAlias = Freed | StillHeld
