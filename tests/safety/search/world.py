"""One state of agent, journal, controller and wire, as a flat tuple of small values.

Users are 1 and 2, command ids 1, 2, 3. Booleans and small numbers stand for what matters and nothing else; a
session's number says only whether two sessions are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

USERS = (1, 2)
STOP_TRIES = 2
WIRE_MAX = 2


class Ctl:
    """What the controller does; COASTING shows "stopped" while the arm still moves. Plain numbers: they are hashed
    millions of times."""

    IDLE = 1
    ACCEPTED = 2
    EXECUTING = 3
    COASTING = 4
    STOPPED = 5
    PROTECTIVE = 6


MOVING = (Ctl.EXECUTING, Ctl.COASTING)


class Told:
    """The end of a command as the journal, and so the operator, has it."""

    NOTHING = 0
    VERIFIED = 1
    REJECTED = 2
    ABORTED = 3
    UNKNOWN = 4
    CANCELLED = 5
    EXPIRED = 6


class Path:
    """Where the task of a confirmed command waits."""

    NONE = 0
    LOOK = 1
    DRAW = 2
    STORE = 3
    SEND = 4


class Echo(NamedTuple):
    """A receipt: the order as the controller used it (`owner` stands for all its words), state and code."""

    command: int
    session: int
    owner: int
    state: int
    code: int


NO_ECHO = Echo(0, 0, 0, 0, 0)


class Seen(NamedTuple):
    """One read of the controller."""

    boot: int
    shown: int
    moving: bool
    executed: int
    duplicates: int
    auto: bool
    echo: Echo


class Known(NamedTuple):
    """The supervision's memory of the controller: settled counters, the executed count last seen, fit to propose."""

    boot: int
    executed: int
    duplicates: int
    seen_executed: int
    fit: bool


class Underway(NamedTuple):
    """The command that is out, with the counters from before it."""

    frames: int
    sent: bool
    session: int
    owner: int
    boot: int
    executed: int
    duplicates: int


class Asked(NamedTuple):
    """A prompt. `status`: 0 open, 1 used, 2 void."""

    user: int
    status: int


class Fate(NamedTuple):
    """The truth about one command, which the agent cannot see. `fenced`: since then a stop was proved, or a lockout
    left."""

    writes: int
    motions: int
    done: bool
    confirmed: bool
    fenced: bool
    told: int


NO_FATE = Fate(0, 0, False, False, False, 0)
OLD_ECHO = Echo(0, 0, 0, 4, 0)
"""The receipt of whatever command was done before."""
PAST = Fate(1, 0, False, False, True, 0)
"""Ended, stored and off the wire: all such commands are alike, and none may ever move again."""


class Stopping(NamedTuple):
    """The stop task: tries used up, whether it wants to write or to look, and its first look (state and pose alone)."""

    tries: int
    writes: bool
    first: Seen | None


class Freeing(NamedTuple):
    """A release or a reset under way. `step`: 0 read back, 1 write, 2 look, 3 row; `overtaken`: a stop came after."""

    reset: bool
    step: int
    overtaken: bool


class Left(NamedTuple):
    """What may still happen in this history."""

    prompts: int
    crashes: int
    stops: int
    resets: int
    releases: int
    copies: int
    disk_faults: int
    oddities: int


def left(
    prompts: int = 1,
    crashes: int = 0,
    stops: int = 0,
    resets: int = 0,
    releases: int = 0,
    copies: int = 0,
    disk_faults: int = 0,
    oddities: int = 0,
) -> Left:
    """One command and nothing else, unless told."""
    return Left(prompts, crashes, stops, resets, releases, copies, disk_faults, oddities)


Row: TypeAlias = tuple[str, int, int]
"""A row on its way to the journal: kind (I intent, E end, L lockout, R reset, P release), id, how it ended."""

Message: TypeAlias = tuple[str, int, int, int]
"""Towards the controller: M (id, session, owner) or S; the rest is 0."""

Bus: TypeAlias = tuple[str, bool, Seen | None]
"""The one transaction under way: who asked, a mark (with receipt; answered), what was read."""


class World(NamedTuple):
    # the agent's memory
    machine: int
    session: int
    linked: bool
    silent: bool
    known: Known | None
    prompts: tuple[Asked, ...]
    path: int
    asker: int
    under: Underway | None
    rows: tuple[Row, ...]
    disk_broken: bool
    stopping: Stopping | None
    freeing: Freeing | None
    bus: Bus | None
    # the journal: 0 no row, 1 intent, 2 ended; the highest id; a lockout without a reset after it
    journal: tuple[int, ...]
    drawn: int
    locked: bool
    # the controller
    boot: int
    ctl: int
    level: bool
    last_id: int
    ctl_session: int
    echo: Echo
    executed: int
    duplicates: int
    auto: bool
    # between them
    wire: tuple[Message, ...]
    # bounds, and what only the observer of this search knows
    left: Left
    fates: tuple[Fate, ...]
    stop_open: bool
    calm: bool
    bad: str


@dataclass(frozen=True, slots=True)
class Scope:
    """How much may happen in one history: the bounds of a search."""

    name: str
    left: Left


def seen(w: World) -> Seen:
    """What a read shows at this moment."""
    shown = Ctl.EXECUTING if w.ctl == Ctl.ACCEPTED else Ctl.STOPPED if w.ctl == Ctl.COASTING else w.ctl
    return Seen(w.boot, shown, w.ctl in MOVING, w.executed, w.duplicates, w.auto, w.echo)


def glance(w: World) -> Seen:
    """A read of the status without the receipt."""
    return seen(w)._replace(echo=NO_ECHO)


def state_and_pose(look: Seen) -> Seen:
    return Seen(0, look.shown, look.moving, 0, 0, True, NO_ECHO)


def with_fate(w: World, command: int, fate: Fate) -> tuple[Fate, ...]:
    return (*w.fates[: command - 1], fate, *w.fates[command:])


def start(machine: int, scope: Scope) -> World:
    """Power on at both ends, nothing stored, nothing on the wire."""
    ids = scope.left.prompts
    return World(
        machine=machine,
        session=0,
        linked=False,
        silent=False,
        known=None,
        prompts=(),
        path=0,
        asker=0,
        under=None,
        rows=(),
        disk_broken=False,
        stopping=None,
        freeing=None,
        bus=None,
        journal=(0,) * ids,
        drawn=0,
        locked=False,
        boot=1,
        ctl=Ctl.IDLE,
        level=False,
        last_id=0,
        ctl_session=0,
        echo=NO_ECHO,
        executed=0,
        duplicates=0,
        auto=True,
        wire=(),
        left=scope.left,
        fates=(NO_FATE,) * ids,
        stop_open=False,
        calm=True,
        bad="",
    )
