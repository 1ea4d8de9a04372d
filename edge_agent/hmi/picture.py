"""The cell seen from above: what stands there by the cell file, the arm where it was last read, moving or still."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from edge_agent.hmi.drawing import BIN, LINK, Spot, joints, plan
from edge_agent.hmi.kit import Box, Part, box, mark, restyle, text
from edge_agent.hmi.sight import Sight
from edge_agent.messages.cell_state import CellStateMessage
from edge_agent.messages.wire import Scalar

MOVING: Final = frozenset({"EXECUTING", "STOPPING"})
"""States of the controller in which the arm may be in motion."""
GRIP_OPEN, GRIP_CLOSED = 15.0, 8.0
FACTS: Final = ("controller", "mode", "command", "pose")


@dataclass(frozen=True, slots=True)
class Seen:
    """The arm as it is drawn. `at` None: its position was never read."""

    at: tuple[float, float] | None
    moving: bool
    holds: bool
    filled: int
    current: bool


def seen(cell: CellStateMessage | None, live: bool) -> Seen:
    arm: dict[str, Scalar] = cell.arm if cell is not None else {}
    x, y = arm.get("x"), arm.get("y")
    at = (x / 10, y / 10) if isinstance(x, int | float) and isinstance(y, int | float) else None
    moving = cell is not None and (cell.state in MOVING or arm.get("controller_state") in MOVING)
    bits = arm.get("bin_bits")
    linked = live and bool(arm.get("linked", False))
    return Seen(at, moving, bool(arm.get("holds_part")), bits if isinstance(bits, int) else 0, linked)


class Picture:
    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        with box("figure", "picture") as self._figure:
            self._draw()
            with box("figcaption", "motion") as caption:
                self._caption = Part[tuple[str, ...]](caption, self._captioned)
        with box("dl", "facts") as facts:
            self._facts = Part[tuple[tuple[str, str], ...]](facts, self._told)

    def show(self) -> None:
        cell = self._sight.visit.now.cell
        now = seen(cell, self._sight.live())
        self._place(now)
        motion = "unsure" if not now.current else "moving" if now.moving else "still"
        part = "with_part" if now.holds else "no_part"
        self._caption.show((motion, part) if now.at is not None else ("none",))
        self._facts.show(self._facts_of(cell))
        self._label(cell, motion, part)
        self._fill(now.filled)

    # -- what is drawn once -----------------------------------------------------------------------------------

    def _draw(self) -> None:
        where = plan(self._sight.spec)
        left, top, width, height = where.box
        view = f"{left:g} {top:g} {width:g} {height:g}"
        self._svg = box("svg", "cell", viewBox=view, role="img", preserveAspectRatio="xMidYMid meet")
        say = self._sight.words.say
        with self._svg:
            for share in (0.45, 0.9):
                box("circle", "reach", r=2 * LINK * share, cx=0, cy=0)
            self._bins = {spot.name: _bin(spot) for spot in where.bins}
            for spot in where.stations:
                _station(spot, say("picture.station", station=spot.name))
            for spot in where.items:
                _item(spot)
            box("rect", "pillar", x=-38, y=6, width=76, height=56, rx=10)
            self._arm()
            for number, spot in enumerate(where.items):
                _named(spot, 32 + 25 * (number % 2))

    def _arm(self) -> None:
        with box("g", "arm") as self._whole:
            with box("g", "joint") as self._shoulder:
                box("line", "link", x1=0, y1=0, x2=0, y2=-LINK)
                with box("g", "joint") as self._elbow:
                    box("line", "link fore", x1=0, y1=0, x2=0, y2=-LINK + 20)
                    box("circle", "pivot", r=13, cx=0, cy=0)
                    with box("g", "hand", transform=f"translate(0 {-LINK:g})"):
                        box("circle", "halo", r=34, cx=0, cy=0)
                        box("path", "palm", d="M-22 16 L22 16")
                        self._fingers = [box("path", "finger", d=f"M{side * 15} 16 V-12") for side in (-1, 1)]
                        self._part = box("circle", "part", r=11, cx=0, cy=-4)
            box("circle", "base", r=30, cx=0, cy=0)
            box("circle", "pivot", r=11, cx=0, cy=0)

    # -- what moves -------------------------------------------------------------------------------------------

    def _place(self, now: Seen) -> None:
        hidden, moving = now.at is None, now.moving and now.current
        mark(
            self._figure,
            data_motion="moving" if moving else "still",
            data_part="yes" if now.holds else "no",
            data_current="yes" if now.current and not hidden else "no",
            data_arm="no" if hidden else "yes",
        )
        if now.at is not None:
            turned = joints(*now.at)
            restyle(self._shoulder, f"transform: rotate({turned.shoulder}deg)")
            restyle(self._elbow, f"transform: translate(0, {-LINK:g}px) rotate({turned.elbow}deg)")
        for side, finger in zip((-1, 1), self._fingers, strict=True):
            shift = (GRIP_CLOSED - GRIP_OPEN) * side if now.holds else 0
            restyle(finger, f"transform: translate({shift:g}px, 0)")

    def _fill(self, filled: int) -> None:
        for number, shape in enumerate(self._bins.values()):
            mark(shape, data_filled="yes" if filled >> number & 1 else "no")

    def _label(self, cell: CellStateMessage | None, motion: str, part: str) -> None:
        words = self._sight.words
        state = words.word("cell_state", cell.state) if cell is not None else words.say("banner.unknown")
        said = words.say(
            "picture.label", state=state, motion=words.say(f"picture.{motion}"), part=words.say(f"picture.{part}")
        )
        mark(self._svg, aria_label=said)

    # -- what is told beside it -------------------------------------------------------------------------------

    def _captioned(self, tags: tuple[str, ...]) -> None:
        for tag in tags:
            text(self._sight.words.say(f"picture.{tag}"), classes=f"tag {tag}")

    def _facts_of(self, cell: CellStateMessage | None) -> tuple[tuple[str, str], ...]:
        arm: dict[str, Scalar] = cell.arm if cell is not None else {}
        words = self._sight.words
        told = {
            "controller": words.word("controller", str(arm["controller_state"])) if "controller_state" in arm else "–",
            "mode": words.word("mode", cell.mode) if cell is not None else "–",
            "pose": _pose(arm),
            "command": _command(arm, words.word("command_state", str(arm.get("command_state")))),
        }
        return tuple((name, told[name]) for name in FACTS)

    def _told(self, facts: tuple[tuple[str, str], ...]) -> None:
        for name, value in facts:
            with box("div", "wide" if name == "command" else ""):
                text(self._sight.words.say(f"arm.{name}"), "dt")
                text(value, "dd")


def _bin(spot: Spot) -> Box:
    half = BIN / 2
    with box("g", "bin", data_filled="no", data_bin=spot.name) as shape:
        box("rect", x=spot.x - half, y=spot.y - half, width=BIN, height=BIN, rx=12)
        box("circle", "content", r=13, cx=spot.x + half - 18, cy=spot.y + half - 18)
        text(spot.name, "text", x=spot.x - half + 14, y=spot.y - half + 36)
    return shape


def _station(spot: Spot, label: str) -> None:
    with box("g", "station"):
        with box("title"):
            text(label, "tspan")
        box("circle", r=27, cx=spot.x, cy=spot.y)
        text(spot.name, "text", x=spot.x, y=spot.y + 10)


def _item(spot: Spot) -> None:
    turned = f"rotate(45 {spot.x:g} {spot.y:g})"
    with box("g", "item"):
        box("rect", x=spot.x - 7, y=spot.y - 7, width=14, height=14, rx=3, transform=turned)


def _named(spot: Spot, below: int) -> None:
    """Over the arm, which would hide them. Neighbours' names stand on two lines: they are often nearer than a name is
    long."""
    with box("g", "item"):
        text(spot.name, "text", x=spot.x, y=spot.y + below)


def _pose(arm: dict[str, Scalar]) -> str:
    words = [arm.get(axis) for axis in ("x", "y", "z")]
    return " ".join(f"{w / 10:.0f}" if isinstance(w, int | float) else "–" for w in words)


def _command(arm: dict[str, Scalar], state: str) -> str:
    number = arm.get("command_id")
    return "–" if number is None else f"{number} · {state}"
