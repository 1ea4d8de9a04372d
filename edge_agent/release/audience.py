"""Who reads a text, and what their cell has: what an example may name and which way on is open to them. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from edge_agent.messages.codes import Role
from edge_agent.safety.permission import Denied, Granted, Operation, permit, role_of


@dataclass(frozen=True, slots=True)
class Audience:
    """`role` None: this login has no role here. The default names are those of the shipped cell."""

    role: Role | None = "operator"
    simulated: bool = True
    devices: tuple[str, ...] = ("arm_01",)
    items: tuple[str, ...] = ("glass", "metal", "plastic", "paper")
    bins: tuple[str, ...] = ("1", "2", "3", "4", "5", "6")
    stations: tuple[str, ...] = ("A", "B", "C")

    def may(self, operation: Operation) -> bool:
        """A role that may do it, here or at the cell's console."""
        if self.role is None:
            return False
        return isinstance(permit(operation, role_of(self.role), simulated=self.simulated, local=True), Granted)

    def needed_for(self, operation: Operation) -> Role | None:
        """The lowest role that may, where this one may not."""
        denied = permit(operation, role_of(self.role or "viewer"), simulated=self.simulated, local=True)
        return denied.needed.word if isinstance(denied, Denied) else None

    def known(self, slot: str) -> tuple[str, ...]:
        """What this cell has for a slot; empty for slots that are free."""
        return {"device": self.devices, "item_type": self.items, "bin": self.bins, "station": self.stations}.get(
            slot, ()
        )
