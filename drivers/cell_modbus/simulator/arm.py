"""The simulated arm: where it is, what it holds, and a motion as timed legs between poses. No clock of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import pairwise
from math import dist
from typing import assert_never

from drivers.cell_modbus.simulator import profile as cell
from drivers.cell_modbus.simulator.command import Command
from drivers.contract import Action, PoseTenths

GRIPPER_OPEN, GRIPPER_CLOSED, GRIPPER_HOLDING = 1, 2, 3
"""Word 33."""
WIDTH_OPEN, WIDTH_CLOSED, WIDTH_PART = 800, 0, 300
"""Word 34: opening in 0.1 mm."""


class Effect(Enum):
    """What happens at the end of a leg."""

    GRIP = auto()
    CLOSE = auto()
    RELEASE = auto()


@dataclass(slots=True)
class Arm:
    """Pose, gripper, bins and the parts that lie about."""

    pose: PoseTenths = cell.HOME
    gripper_open: bool = True
    holding: bool = False
    bin_bits: int = 0
    endless_parts: bool = True
    """Every pick finds a part; False after parts were placed by hand."""
    parts: list[PoseTenths] = field(default_factory=list)

    @property
    def gripper_state(self) -> int:
        if self.holding:
            return GRIPPER_HOLDING
        return GRIPPER_OPEN if self.gripper_open else GRIPPER_CLOSED

    @property
    def gripper_position(self) -> int:
        if self.holding:
            return WIDTH_PART
        return WIDTH_OPEN if self.gripper_open else WIDTH_CLOSED

    def has_part_at(self, pose: PoseTenths) -> bool:
        return self.endless_parts or self._part_near(pose) is not None

    def apply(self, effect: Effect, bin_number: int) -> None:
        match effect:
            case Effect.GRIP:
                self._grip()
            case Effect.CLOSE:
                self.gripper_open = False
            case Effect.RELEASE:
                self._release(bin_number)
            case _:
                assert_never(effect)

    def _grip(self) -> None:
        self.gripper_open = False
        found = self._part_near(self.pose)
        self.holding = self.endless_parts or found is not None
        if found is not None:
            self.parts.remove(found)

    def _release(self, bin_number: int) -> None:
        if self.holding and bin_number:
            self.bin_bits |= 1 << (bin_number - 1)
        self.gripper_open, self.holding = True, False

    def _part_near(self, pose: PoseTenths) -> PoseTenths | None:
        near = (part for part in self.parts if dist(part[:3], pose[:3]) <= cell.PICK_WINDOW)
        return next(near, None)


@dataclass(frozen=True, slots=True)
class Leg:
    start: PoseTenths
    end: PoseTenths
    duration_ms: float
    effect: Effect | None = None


@dataclass(slots=True)
class Motion:
    """Legs one after another; `run` moves the arm and says when the last one is over."""

    legs: tuple[Leg, ...]
    bin: int
    elapsed_ms: float = 0
    _leg: int = 0

    @property
    def total_ms(self) -> float:
        return sum(leg.duration_ms for leg in self.legs)

    @property
    def progress(self) -> float:
        """0 to 1."""
        return min(1.0, self.elapsed_ms / self.total_ms)

    @property
    def carry_share(self) -> float:
        """Progress in the middle of the leg after the grip; 1 when the grip is the last thing, or there is none."""
        done_ms = 0.0
        for leg, following in pairwise(self.legs):
            done_ms += leg.duration_ms
            if leg.effect is Effect.GRIP:
                return (done_ms + following.duration_ms / 2) / self.total_ms
        return 1.0

    def run(self, arm: Arm, span_ms: float, *, until_share: float = 1.0) -> bool:
        """Moves on by `span_ms`, but not past `until_share`; True when the motion is complete."""
        if until_share < 1.0:
            span_ms = min(span_ms, until_share * self.total_ms - self.elapsed_ms)
        self.elapsed_ms += max(0.0, span_ms)
        behind_ms = self.elapsed_ms - sum(leg.duration_ms for leg in self.legs[: self._leg])
        while self._leg < len(self.legs):
            leg = self.legs[self._leg]
            if behind_ms < leg.duration_ms:
                arm.pose = between(leg, behind_ms / leg.duration_ms)
                return False
            behind_ms -= leg.duration_ms
            arm.pose = leg.end
            if leg.effect is not None:
                arm.apply(leg.effect, self.bin)
            self._leg += 1
        return True


def plan(command: Command, arm: Arm, *, time_scale: float) -> Motion:
    """The motion of a command that passed judgement; never longer than its share of the command's own limit."""
    legs = tuple(_legs(command, arm.pose))
    wanted_ms = sum(leg.duration_ms for leg in legs) * time_scale
    limit_ms = command.max_duration_ms * cell.SHARE_OF_MAX_DURATION
    total_ms = min(max(wanted_ms, cell.SMALLEST_MOTION_MS), limit_ms)
    plain_ms = sum(leg.duration_ms for leg in legs)
    return Motion(tuple(_scaled(leg, total_ms / plain_ms) for leg in legs), command.bin)


def between(leg: Leg, share: float) -> PoseTenths:
    x, y, z, rx, ry, rz = (round(start + (end - start) * share) for start, end in zip(leg.start, leg.end, strict=True))
    return x, y, z, rx, ry, rz


def _legs(command: Command, start: PoseTenths) -> Iterator[Leg]:
    speed = command.speed_pct
    match command.action:
        case Action.HOME:
            yield _travel(start, cell.HOME, speed)
        case Action.PARK:
            yield _travel(start, cell.PARK, speed)
        case Action.MOVE:
            yield _travel(start, command.target, speed)
        case Action.PICK:
            yield _travel(start, command.target, speed)
            yield _grip(command.target, Effect.GRIP)
        case Action.PLACE:
            yield _travel(start, command.drop_pose, speed)
            yield _grip(command.drop_pose, Effect.RELEASE)
        case Action.PICK_PLACE:
            yield _travel(start, command.target, speed)
            yield _grip(command.target, Effect.GRIP)
            yield _travel(command.target, command.drop_pose, speed)
            yield _grip(command.drop_pose, Effect.RELEASE)
        case Action.OPEN_GRIPPER:
            yield _grip(start, Effect.RELEASE)
        case Action.CLOSE_GRIPPER:
            yield _grip(start, Effect.CLOSE)
        case None:
            raise AssertionError("judged before")
        case _:
            assert_never(command.action)


def _travel(start: PoseTenths, end: PoseTenths, speed_pct: int) -> Leg:
    length = max(dist(start[:3], end[:3]), dist(start[3:], end[3:]))
    return Leg(start, end, max(1.0, length / (cell.FULL_SPEED * speed_pct / 100)))


def _grip(pose: PoseTenths, effect: Effect) -> Leg:
    return Leg(pose, pose, cell.GRIP_MS, effect)


def _scaled(leg: Leg, factor: float) -> Leg:
    return Leg(leg.start, leg.end, leg.duration_ms * factor, leg.effect)
