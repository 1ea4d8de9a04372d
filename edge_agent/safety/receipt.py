"""Is this receipt of this very order, and does the arm stand where it says? Pure; believes nothing it can check.

An older id is left alone. A newer or different one, or any word that is not what was sent, is wrong. DONE counts
only with the end bits and the read-back of the action, and with the counter of motions moved by exactly one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from drivers.contract import Action, Order, Receipt, ReceiptState, Snapshot

STOPPED_BY_REQUEST = 0x0206
_LEGAL_REFUSAL_GROUPS = frozenset({0x02, 0x03, 0x06})
"""Readiness, request, grip: the controller did not start and the cell stays usable (cell-modbus code table)."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """Counters and identity read just before the command was stored."""

    boot_id: int
    executed: int
    duplicates: int
    pose_tolerance_tenths: int


@dataclass(frozen=True, slots=True)
class NotYet:
    """Nothing readable, an older receipt, or received and not yet taken."""


@dataclass(frozen=True, slots=True)
class Taken:
    executing: bool


@dataclass(frozen=True, slots=True)
class Verified:
    receipt: Receipt
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class Refusal:
    """REJECTED with a legal code: not started."""

    code: int


@dataclass(frozen=True, slots=True)
class Aborted:
    code: int

    @property
    def by_stop(self) -> bool:
        return self.code == STOPPED_BY_REQUEST


@dataclass(frozen=True, slots=True)
class Wrong:
    """Why it is not believed: names of the words that differ, or of the read-back that does not fit."""

    what: tuple[str, ...]


Judgement: TypeAlias = NotYet | Taken | Verified | Refusal | Aborted | Wrong

_END: dict[Action, tuple[str, ...]] = {
    Action.HOME: ("at_target",),
    Action.PARK: ("at_target",),
    Action.MOVE: ("at_target", "pose"),
    Action.PICK: ("at_target", "holding", "part"),
    Action.PLACE: ("at_target", "released", "no_part"),
    Action.PICK_PLACE: ("at_target", "released", "no_part"),
    Action.OPEN_GRIPPER: ("released", "no_part"),
    Action.CLOSE_GRIPPER: (),
}
"""What must be true at the end of each action."""


def _near(order: Order, snapshot: Snapshot, tolerance: int) -> bool:
    return all(abs(a - b) <= tolerance for a, b in zip(order.target, snapshot.pose, strict=True))


def end_misfits(order: Order, receipt: Receipt, snapshot: Snapshot, before: Baseline) -> tuple[str, ...]:
    """Names of the end conditions that do not hold; empty when the end state fits the action."""
    holds = {
        "at_target": receipt.end.at_target,
        "holding": receipt.end.holding,
        "released": receipt.end.released,
        "part": snapshot.holds_part,
        "no_part": not snapshot.holds_part,
        "pose": _near(order, snapshot, before.pose_tolerance_tenths),
    }
    return tuple(name for name in _END[order.action] if not holds[name])


def counter_misfits(snapshot: Snapshot, before: Baseline) -> tuple[str, ...]:
    checks = (
        ("boot_id", snapshot.boot_id == before.boot_id),
        ("executed", (snapshot.executed - before.executed) % 0x10000 == 1),
        ("duplicates", snapshot.duplicates == before.duplicates),
    )
    return tuple(name for name, holds in checks if not holds)


def _done(order: Order, receipt: Receipt, snapshot: Snapshot, before: Baseline) -> Judgement:
    misfits = counter_misfits(snapshot, before) + end_misfits(order, receipt, snapshot, before)
    return Wrong(misfits) if misfits else Verified(receipt, snapshot)


def judge(order: Order, fingerprint: int, receipt: Receipt | None, snapshot: Snapshot, before: Baseline) -> Judgement:
    """`snapshot` must have been read after `receipt`."""
    if receipt is None or receipt.state is ReceiptState.NONE or receipt.echo.command_id < order.command_id:
        return NotYet()
    if differing := receipt.differs_from(order, fingerprint):
        return Wrong(differing)
    match receipt.state:
        case ReceiptState.RECEIVED:
            return NotYet()
        case ReceiptState.ACCEPTED:
            return Taken(executing=False)
        case ReceiptState.EXECUTING:
            return Taken(executing=True)
        case ReceiptState.DONE:
            return _done(order, receipt, snapshot, before)
        case ReceiptState.REJECTED:
            legal = receipt.code >> 8 in _LEGAL_REFUSAL_GROUPS
            return Refusal(receipt.code) if legal else Wrong((f"rejected_{receipt.code:04x}",))
        case ReceiptState.ABORTED:
            return Aborted(receipt.code)
        case ReceiptState.UNKNOWN:
            return Wrong(("state_unknown",))
        case _:
            return Wrong(("state",))
