"""What the cell looks like right now, for everyone who may look: one value, told at every change."""

from __future__ import annotations

from dataclasses import dataclass

from drivers.contract import Identity, Order, Snapshot
from edge_agent.safety.cell import CellState
from edge_agent.safety.command import CommandState


@dataclass(frozen=True, slots=True)
class CellView:
    """`reason` says why the cell is not READY; `intended` is the last command's order, beside the read-back."""

    state: CellState
    reason: str
    detail: tuple[str, ...]
    command_id: int | None
    command_state: CommandState | None
    intended: Order | None
    read_back: Snapshot | None
    identity: Identity | None
    linked: bool
    unknown_outcomes: int
    lockout: str | None
    prompt_id: str | None
