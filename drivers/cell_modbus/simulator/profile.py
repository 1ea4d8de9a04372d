"""Which controller is simulated: identity, limits and the geometry of its cell, as a table. Pure.

Lengths in 0.1 mm, angles in 0.1 degree, as the register map has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from drivers.contract import PoseTenths

HOME: PoseTenths = (2500, 0, 3000, 0, 0, 0)
PARK: PoseTenths = (1500, 0, 2000, 0, 0, 0)
BINS: Mapping[int, PoseTenths] = {
    1: (1000, 3500, 1500, 0, 0, 0),
    2: (2000, 3500, 1500, 0, 0, 0),
    3: (3000, 3500, 1500, 0, 0, 0),
    4: (1000, -3500, 1500, 0, 0, 0),
    5: (2000, -3500, 1500, 0, 0, 0),
    6: (3000, -3500, 1500, 0, 0, 0),
}
"""The controller's own drop poses; `pick_place` goes to these, and `place` without a target."""

REACH = 8500
"""Farthest point from the base axis, and highest."""
LOWEST = -500
KEEP_OUT: tuple[tuple[int, int], ...] = ((-8000, -1500), (-1500, 1500), (-500, 1500))
"""x, y and z ranges of the pillar behind the base."""

FULL_SPEED = 10
"""0.1 mm a ms at 100 %: 1 m/s."""
GRIP_MS = 200
SMALLEST_MOTION_MS = 20
SHARE_OF_MAX_DURATION = 0.8
"""A motion that would take longer is done faster: its own limit never ends a healthy motion."""
STOP_MS = 40
BOOT_MS = 100
MAX_FORCE_N = 140
ITEM_CLASSES = 64
STATIONS = 26
PICK_WINDOW = 100
"""A part is gripped when it lies within 10 mm of the target."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What a simulator process is started with."""

    device_id: int = 7
    unit: int = 1
    config_crc: int = 0x1A2B
    serial: int = 0x00010007
    longest_command_ms: int = 60_000
    heartbeat_timeout_ms: int = 500
    time_scale: float = 1.0
    """Factor on every duration; 0.1 makes the arm ten times faster."""

    def __post_init__(self) -> None:
        limits = {
            "device_id": (1, 0xFFFF),
            "unit": (1, 247),
            "config_crc": (0, 0xFFFF),
            "serial": (0, 0xFFFF_FFFF),
            "longest_command_ms": (100, 6_553_500),
            "heartbeat_timeout_ms": (50, 0xFFFF),
            "time_scale": (0.001, 10),
        }
        for name, (low, high) in limits.items():
            if not low <= getattr(self, name) <= high:
                raise ValueError(f"{name} is not within {low} and {high}")


def profile_from(values: Mapping[str, object]) -> Profile:
    """Raises `ValueError` or `TypeError` for a name or number that is none of a profile's."""
    known = {f.name for f in fields(Profile)}
    if unknown := set(values) - known:
        raise ValueError(f"unknown: {', '.join(sorted(unknown))}; a profile has {', '.join(sorted(known))}")
    return Profile(**values)  # type: ignore[arg-type]  # checked in __post_init__
