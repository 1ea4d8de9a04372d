"""A stop request and its proof, as the stop task goes: write, look twice, write again, give up."""

from __future__ import annotations

from edge_agent.safety.cell import CellEvent
from tests.safety.search.acting import feed
from tests.safety.search.controller import Moves
from tests.safety.search.engine import Engine
from tests.safety.search.wire import has_room, post
from tests.safety.search.world import MOVING, STOP_TRIES, Fate, Seen, Stopping, World, glance, state_and_pose

E = CellEvent


def stop_asked(e: Engine, w: World) -> Moves:
    if w.left.stops:
        left = w.left._replace(stops=w.left.stops - 1)
        yield "a stop is asked for", ask_stop(e, w._replace(left=left))


def ask_stop(e: Engine, w: World) -> World:
    freeing = w.freeing and w.freeing._replace(overtaken=True)
    return feed(e, w._replace(freeing=freeing, stop_open=True), E.STOP_ASKED)


def stops(e: Engine, w: World) -> Moves:
    if w.stopping is None:
        return
    if w.bus is None and w.stopping.writes and has_room(w):
        yield "the stop word is written", w._replace(wire=post(w, ("S", 0, 0, 0)), bus=("stop", False, None))
    if w.bus is None and not w.stopping.writes:
        yield "the stop task reads", w._replace(bus=("proof", False, glance(w)))
        if w.stopping.first is not None:
            yield "the stop task's looks run out", again(e, w)
    if w.bus is not None and w.bus[0] == "stop":
        ended = w._replace(bus=None, stopping=w.stopping._replace(tries=w.stopping.tries + 1))
        if w.bus[1]:
            yield "the stop word is acknowledged", _looks_next(ended)
        yield "the stop word is not acknowledged in time", again(e, ended)
    if w.bus is not None and w.bus[0] == "proof":
        look = w.bus[2]
        assert look is not None
        yield "the stop task's look comes back", _compared(e, w._replace(bus=None), w.stopping, look)
        yield "the stop task's look times out", again(e, w._replace(bus=None))


def _looks_next(w: World) -> World:
    assert w.stopping is not None
    return w._replace(stopping=w.stopping._replace(writes=False))


def again(e: Engine, w: World) -> World:
    """Another write, or the end of the tries."""
    assert w.stopping is not None
    if w.stopping.tries < STOP_TRIES:
        return w._replace(stopping=Stopping(w.stopping.tries, True, None), calm=False)
    return feed(e, w._replace(stopping=None, calm=False), E.STOP_UNPROVED)


def _compared(e: Engine, w: World, stopping: Stopping, look: Seen) -> World:
    now = state_and_pose(look)
    if stopping.first is None or not e.proved(stopping.first, now):
        return w._replace(stopping=stopping._replace(first=now))
    return _proved(e, w, look)


def _proved(e: Engine, w: World, look: Seen) -> World:
    known = w.known
    if known is not None and e.supervision.settles_with_proof:
        known = known._replace(seen_executed=look.executed)
    bad = "I6 a stop was taken for proved while the arm moved" if w.ctl in MOVING else ""
    w = w._replace(stopping=None, known=known, stop_open=False, fates=fence(w.fates), bad=w.bad or bad)
    return feed(e, w, E.STOP_PROVED)


def fence(fates: tuple[Fate, ...]) -> tuple[Fate, ...]:
    """From here on no command confirmed so far may begin to move."""
    return tuple(f._replace(fenced=f.fenced or f.confirmed) for f in fates)
