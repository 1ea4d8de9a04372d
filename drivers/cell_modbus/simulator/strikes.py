"""Which faults strike the motion that begins now, and at which share of it. Pure but for counting the strikes."""

from __future__ import annotations

from dataclasses import dataclass

from drivers.cell_modbus.faults import FaultPort
from drivers.cell_modbus.simulator.arm import Motion

MIDDLE = (0.4, 0.7)
"""A motion is struck somewhere in its middle; the fault's seed says where."""
DURING_ANY_MOTION = ("controller_estop", "guard_open", "controller_reboot", "heartbeat_frozen")
EPSILON = 1e-9


@dataclass(frozen=True, slots=True)
class Strike:
    name: str
    at_share: float

    def is_due(self, progress: float) -> bool:
        return progress >= self.at_share - EPSILON


def take_strikes(faults: FaultPort, motion: Motion, *, holding: bool, grips: bool) -> list[Strike]:
    """Earliest first. `part_lost` waits for a motion that carries something."""
    strikes: list[Strike] = []
    for name in DURING_ANY_MOTION:
        if (taken := faults.take(name, when="executing")) is not None:
            strikes.append(Strike(name, taken.chance.uniform(*MIDDLE)))
    if (taken := faults.take("never_finishes")) is not None:
        strikes.append(Strike(taken.name, taken.chance.uniform(*MIDDLE)))
    if (holding or grips) and (taken := faults.take("part_lost")) is not None:
        strikes.append(Strike(taken.name, taken.chance.uniform(*MIDDLE) if holding else motion.carry_share))
    return sorted(strikes, key=lambda strike: strike.at_share)
