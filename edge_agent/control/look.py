"""What the supervision remembers of the controller: who it is, its counters at the last settled moment, its beat."""

from __future__ import annotations

from dataclasses import dataclass

from drivers.contract import Snapshot
from edge_agent.safety.watch import integrity


@dataclass(slots=True)
class Observed:
    """Seconds are on the monotonic clock. `executed` and `duplicates` are those of the last settled moment."""

    boot_id: int
    executed: int
    duplicates: int
    beat: int
    beat_changed_at_s: float
    snapshot: Snapshot

    @classmethod
    def first(cls, snapshot: Snapshot, now_s: float) -> Observed:
        return cls(
            snapshot.boot_id, snapshot.executed, snapshot.duplicates, snapshot.controller_heartbeat, now_s, snapshot
        )

    def misfits(self, snapshot: Snapshot, now_s: float, *, may_execute: bool) -> tuple[str, ...]:
        """Takes the look in, and names what does not add up with what was known before."""
        if snapshot.controller_heartbeat != self.beat:
            self.beat, self.beat_changed_at_s = snapshot.controller_heartbeat, now_s
        self.snapshot = snapshot
        return integrity(
            snapshot,
            boot_id=self.boot_id,
            duplicates=self.duplicates,
            executed=self.executed,
            may_execute=may_execute,
            heartbeat_age_s=now_s - self.beat_changed_at_s,
        )

    def moved_unseen(self, snapshot: Snapshot) -> tuple[str, ...]:
        """Names of what changed while nobody looked: with no command of ours out, nothing may."""
        checks = (
            ("boot_id", snapshot.boot_id == self.boot_id),
            ("executed", snapshot.boot_id != self.boot_id or snapshot.executed == self.executed),
            ("duplicates", snapshot.boot_id != self.boot_id or snapshot.duplicates == self.duplicates),
        )
        return tuple(name for name, holds in checks if not holds)

    def settle(self) -> None:
        """A command ended: its motion is accounted for."""
        self.executed = self.snapshot.executed
