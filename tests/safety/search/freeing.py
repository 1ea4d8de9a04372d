"""Letting go: a release of a proved stop, a technician's reset of a lockout. Both read back; neither moves."""

from __future__ import annotations

from edge_agent.safety.cell import CellEvent, CellState
from tests.safety.search.acting import feed
from tests.safety.search.controller import Moves, take_release
from tests.safety.search.engine import Engine
from tests.safety.search.halting import ask_stop, fence
from tests.safety.search.linking import identified, linked
from tests.safety.search.world import Freeing, Seen, Stopping, World, glance

S, E = CellState, CellEvent
IDENTIFY, WRITE, LOOK, ROW = 0, 1, 2, 3
HALTED = frozenset({S.STOPPING, S.STOPPED, S.LOCKED_OUT})


def asked(e: Engine, w: World) -> Moves:
    if w.freeing is not None:
        return
    if w.left.releases and not e.feed(w.machine, E.RELEASE_ASKED).refused:
        left = w.left._replace(releases=w.left.releases - 1)
        first = IDENTIFY if e.supervision.release_opens_session else WRITE
        yield "a release is asked for", w._replace(left=left, freeing=Freeing(False, first, False))
    if w.left.resets and e.cell(w.machine) is S.LOCKED_OUT:
        left = w.left._replace(resets=w.left.resets - 1)
        yield "a technician asks for a reset", w._replace(left=left, freeing=Freeing(True, IDENTIFY, False))


def goes_on(e: Engine, w: World) -> Moves:
    f = w.freeing
    if f is None:
        return
    if w.bus is None:
        yield from _next_transaction(e, w, f)
    elif w.bus[0] == "free":
        yield "letting go: no answer in time", w._replace(bus=None, freeing=None)
        if f.step == WRITE:
            yield "letting go: the level is off", w._replace(bus=None, freeing=f._replace(step=LOOK))
        elif w.bus[2] is not None:
            yield "letting go: the look comes back", _looked(e, w._replace(bus=None), f, w.bus[2])


def _next_transaction(e: Engine, w: World, f: Freeing) -> Moves:
    if f.step == WRITE:
        if f.overtaken and e.supervision.stop_overtakes_release:
            yield "letting go: given up for a newer stop", w._replace(freeing=None)
            return
        yield "letting go: the level is written back", take_release(w)._replace(bus=("free", True, None))
    elif f.step == IDENTIFY and e.supervision.release_opens_session and w.stopping is None:
        opened = identified(e, w)
        yield "letting go: identified, in a new session", opened._replace(bus=("free", False, glance(opened)))
    elif f.step == LOOK or (f.step == IDENTIFY and w.linked and not e.supervision.release_opens_session):
        yield "letting go: a look", w._replace(bus=("free", False, glance(w)))
    if f.step in (IDENTIFY, LOOK):
        yield "letting go: given up", _given_up(w, f)


def _given_up(w: World, f: Freeing) -> World:
    """After the level was taken back it is asked for again."""
    stopping = w.stopping or Stopping(0, True, None) if f.step == LOOK else w.stopping
    return w._replace(freeing=None, stopping=stopping)


def _looked(e: Engine, w: World, f: Freeing, look: Seen) -> World:
    if f.step == IDENTIFY:
        w = linked(e, w, look) if e.supervision.release_opens_session else w
        goes_on = e.at_rest(look) and e.cell(w.machine) is (S.LOCKED_OUT if f.reset else S.STOPPED)
        return w._replace(freeing=f._replace(step=WRITE) if goes_on else None)
    if not e.free(look):
        return w
    if w.disk_broken:
        return _given_up(w, f)
    row = ("R", 0, 0) if f.reset else ("P", look.executed, 0)
    return w._replace(freeing=f._replace(step=ROW), rows=(*w.rows, row))


def let_go(e: Engine, w: World, executed: int) -> World:
    """The row of a release or a reset is on the disk."""
    f = w.freeing
    if f is None:
        return w
    w = w._replace(freeing=None)
    if f.reset:
        w = feed(e, w._replace(fates=fence(w.fates)), E.RESET)
    elif not (f.overtaken and e.supervision.stop_overtakes_release):
        known = w.known and w.known._replace(executed=executed, seen_executed=executed)
        w = feed(e, w._replace(known=known, fates=fence(w.fates)), E.RELEASED)
    if f.overtaken and e.supervision.stop_overtakes_release:
        w = ask_stop(e, w)
    if f.overtaken and e.cell(w.machine) not in HALTED:
        return w._replace(bad=w.bad or "I6 an older release or reset undid a newer stop")
    return w
