"""The agent's rows becoming durable, its disk failing, its death and its recovery from the journal alone."""

from __future__ import annotations

from edge_agent.safety.cell import CellEvent, CellState
from tests.safety.search.acting import feed
from tests.safety.search.controller import Moves
from tests.safety.search.engine import Engine
from tests.safety.search.freeing import let_go
from tests.safety.search.moving import intent_stored
from tests.safety.search.properties import wrongly_told
from tests.safety.search.world import PAST, Ctl, Path, Row, Told, World, with_fate

S, E = CellState, CellEvent
OPEN, ENDED = 1, 2


def settled(w: World) -> World:
    """Where nothing can die any more, ends and lockouts are on the disk at once: nobody could tell the difference."""
    while w.rows and w.rows[0][0] in ("E", "L") and not (w.left.crashes or w.left.disk_faults):
        w = durable(w._replace(rows=w.rows[1:]), w.rows[0])
    return w


def rows(e: Engine, w: World) -> Moves:
    if w.rows:
        head, rest = w.rows[0], w.rows[1:]
        there = durable(w._replace(rows=rest), head)
        if head[0] == "I":
            yield from intent_stored(e, there, head[1])
        else:
            yield f"row {head[0]} is on the disk", let_go(e, there, head[1]) if head[0] in ("R", "P") else there
        if w.left.disk_faults:
            left = w.left._replace(disk_faults=w.left.disk_faults - 1)
            broken = w._replace(rows=(), left=left, disk_broken=True, calm=False)
            yield "the disk fails, the row is lost", _disk_fault(e, broken)
            yield "the disk fails, the row is there", _disk_fault(e, durable(broken, head))


def durable(w: World, row: Row) -> World:
    """What the journal holds now, whoever noticed."""
    kind, command, told = row
    if kind == "L":
        return w._replace(locked=True)
    if kind == "R":
        return w._replace(locked=False)
    if kind == "P":
        return w
    stage = OPEN if kind == "I" else ENDED
    journal = (*w.journal[: command - 1], stage, *w.journal[command:])
    w = w._replace(journal=journal)
    if kind == "I":
        return w
    bad = "I4 unknown was told before the lockout was stored" if told == Told.UNKNOWN and not w.locked else ""
    fate = w.fates[command - 1]._replace(told=told)
    bad = bad or wrongly_told(fate)
    return w._replace(fates=with_fate(w, command, PAST if is_past(w, command) else fate), bad=w.bad or bad)


def is_past(w: World, command: int) -> bool:
    runs = w.echo.command == command and w.ctl in (Ctl.ACCEPTED, Ctl.EXECUTING, Ctl.COASTING)
    return not runs and all(message[1] != command for message in w.wire)


def _disk_fault(e: Engine, w: World) -> World:
    """The journal takes nothing more in this life; whoever waited for a row is told so."""
    path = Path.NONE if w.path in (Path.STORE, Path.DRAW) else w.path
    freeing = w.freeing if w.freeing is not None and w.freeing.step < 3 else None
    w = w._replace(path=path, freeing=freeing)
    return w if e.cell(w.machine) is S.LOCKED_OUT else feed(e, w, E.JOURNAL_FAULT)


def crashes(e: Engine, w: World) -> Moves:
    if w.left.crashes:
        yield "the agent dies and starts again", recovered(e, w)


def recovered(e: Engine, w: World) -> World:
    """A new life: the journal, and nothing else. What is on the wire stays there."""
    unfinished = [i + 1 for i, stage in enumerate(w.journal) if stage == OPEN]
    command = unfinished[-1] if unfinished and e.supervision.recovers_unfinished else 0
    kept = w.locked and e.supervision.recovers_lockout
    fresh = w._replace(
        machine=e.recovered(command),
        session=0,
        linked=False,
        silent=False,
        known=None,
        prompts=(),
        path=Path.NONE,
        asker=0,
        under=None,
        rows=(),
        disk_broken=False,
        stopping=None,
        freeing=None,
        bus=None,
        left=w.left._replace(crashes=w.left.crashes - 1),
        stop_open=False,
        calm=False,
    )
    if command or kept:
        fresh = feed(e, fresh, E.FOUND_UNFINISHED)
    if (unfinished or w.locked) and e.cell(fresh.machine) is not S.LOCKED_OUT:
        return fresh._replace(bad=fresh.bad or "I4 a restart forgot an unfinished command or a lockout")
    return fresh
