"""Where things stand in the picture of a cell: geometry alone, from the cell file and the last pose. Pure.

Seen from above, the robot's x axis up and its y axis to the left; millimetres become units of the drawing one to
one. The arm of the drawing has two links of equal length: it shows where the hand is, not how a joint stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import acos, atan2, cos, degrees, hypot, pi, sin

from edge_agent.safety.cell_spec import Bin, CellSpec

LINK = 250.0
"""Length of each drawn link: the hand reaches twice as far."""
BIN = 84.0
MARGIN = 70.0
BEHIND = 90.0
"""Room below the base."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A named place in the drawing."""

    name: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Plan:
    """What stands still. `box` is the drawing's viewBox."""

    bins: tuple[Spot, ...]
    stations: tuple[Spot, ...]
    items: tuple[Spot, ...]
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Joints:
    """Degrees, clockwise on the screen from straight up: the first link, and the second against the first."""

    shoulder: float
    elbow: float


def plan(spec: CellSpec) -> Plan:
    stations = tuple(_spot(s.name, s.pose[0] / 10, s.pose[1] / 10) for s in spec.stations)
    items = tuple(_spot(i.name, i.pick_pose[0] / 10, i.pick_pose[1] / 10) for i in spec.items)
    bins = _bins(spec.bins)
    spots = (*bins, *stations, *items, Spot("", 0, 0))
    left, right = min(s.x for s in spots) - MARGIN, max(s.x for s in spots) + MARGIN
    top = min(s.y for s in spots) - MARGIN
    return Plan(bins, stations, items, (left, top, right - left, BEHIND - top))


def joints(x_mm: float, y_mm: float) -> Joints:
    """The drawn arm with its hand at a place of the robot; one that is out of the drawing's reach is pointed at."""
    x, y = -y_mm, -x_mm
    away = min(hypot(x, y), 2 * LINK - 1)
    bend = acos(max(-1.0, min(1.0, away / (2 * LINK))))
    towards = atan2(x, -y)
    return Joints(round(degrees(towards - bend), 1), round(degrees(2 * bend), 1))


def hand(of: Joints) -> tuple[float, float]:
    """Where the drawn hand is: what `joints` is checked by."""
    first = of.shoulder * pi / 180
    second = first + of.elbow * pi / 180
    return LINK * (sin(first) + sin(second)), -LINK * (cos(first) + cos(second))


def _spot(name: str, x_mm: float, y_mm: float) -> Spot:
    return Spot(name, round(-y_mm, 1), round(-x_mm, 1))


def _bins(bins: tuple[Bin, ...]) -> tuple[Spot, ...]:
    """Where the cell file says, else in two columns, left and right of the arm."""
    half = (len(bins) + 1) // 2
    return tuple(
        _spot(b.name, *b.shown_at) if b.shown_at is not None else _column(b.name, n, half) for n, b in enumerate(bins)
    )


def _column(name: str, number: int, half: int) -> Spot:
    row, right = number % half, number >= half
    step = BIN + 16.0
    return Spot(name, 350.0 if right else -350.0, -100.0 - step * row)
