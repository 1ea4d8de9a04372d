"""The link: identified under a new session, its counters compared with what was known."""

from __future__ import annotations

from edge_agent.safety.cell import CellEvent, CellState
from tests.safety.search.acting import feed, link_down
from tests.safety.search.controller import Moves, open_session
from tests.safety.search.engine import Engine
from tests.safety.search.moving import somebody_waits
from tests.safety.search.world import Known, Seen, World, glance

S, E = CellState, CellEvent
RELINKS = frozenset({S.OFFLINE, S.MANUAL, S.STOPPED, S.LOCKED_OUT})


def links(e: Engine, w: World) -> Moves:
    free = w.bus is None and w.stopping is None and not somebody_waits(w)
    if not w.linked and free and e.cell(w.machine) in RELINKS:
        opened = identified(e, w)
        yield "the controller is identified", opened._replace(bus=("link", False, glance(opened)))
    if w.bus is not None and w.bus[0] == "link":
        look = w.bus[2]
        assert look is not None
        yield "the link stands", linked(e, w._replace(bus=None), look)
        yield "the identification times out", link_down(e, w)


def _unused(w: World) -> int:
    """A nonce that nobody on the way still carries; small, so that states meet again."""
    taken = {w.session, w.ctl_session, w.echo.session, *(m[2] for m in w.wire)}
    return next(n for n in range(1, len(taken) + 2) if n not in taken)


def identified(e: Engine, w: World) -> World:
    session = _unused(w) if e.supervision.session_anew else 1
    return open_session(w._replace(session=session), session)


def linked(e: Engine, w: World, look: Seen) -> World:
    before = w.known
    fit = not e.refused_now(look)
    w = w._replace(linked=True, known=Known(look.boot, look.executed, look.duplicates, look.executed, fit))
    if before is None:
        return w
    rebooted = look.boot != before.boot
    miscounted = (look.executed, look.duplicates) != (before.executed, before.duplicates)
    if rebooted or (miscounted and e.supervision.link_compares):
        w = feed(e, w, E.INTEGRITY_LOST)
    if (rebooted or miscounted) and e.cell(w.machine) is not S.LOCKED_OUT:
        return w._replace(bad=w.bad or "I4 counters that do not add up were taken for granted")
    return w
