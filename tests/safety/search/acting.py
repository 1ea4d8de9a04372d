"""Events into the agent's memory: what `_feed`, `_observe` and `_take` of the supervision do, on the small state."""

from __future__ import annotations

from typing import assert_never

from edge_agent.safety.cell import BUSY, CellEvent, CellState
from edge_agent.safety.command import CommandState
from edge_agent.safety.receipt import Aborted, Judgement, NotYet, Refusal, Taken, Verified, Wrong
from tests.safety.search.engine import Engine, Fed
from tests.safety.search.world import Asked, Known, Seen, Stopping, World

S, E = CellState, CellEvent
VOID = 2
IDLE_STATES = frozenset({S.OFFLINE, S.MANUAL, S.READY, S.AWAITING_CONFIRMATION})
OWN_BUSY = frozenset(BUSY)


def feed(e: Engine, w: World, event: CellEvent) -> World:
    fed = e.feed(w.machine, event)
    if fed.machine == w.machine and not fed.stops:
        return w
    known, under = w.known, w.under
    if fed.ends and under is not None:
        under = None
        known = known and known._replace(executed=known.seen_executed)
    return w._replace(
        machine=fed.machine,
        known=None if fed.unlatches else known,
        linked=w.linked and not fed.unlatches,
        silent=(w.silent or fed.silences) and not fed.unlatches,
        under=under,
        prompts=void(w.prompts) if fed.voids else w.prompts,
        rows=w.rows if w.disk_broken else w.rows + fed.rows,
        stopping=w.stopping or Stopping(0, True, None) if fed.stops else w.stopping,
        stop_open=w.stop_open and fed.cell is not S.LOCKED_OUT,
        bad=w.bad or _wrong(w, event, fed),
    )


def void(prompts: tuple[Asked, ...]) -> tuple[Asked, ...]:
    if prompts and prompts[-1].status == 0:
        return (*prompts[:-1], prompts[-1]._replace(status=VOID))
    return prompts


def _wrong(w: World, event: CellEvent, fed: Fed) -> str:
    """What no step of the table may do, whatever led to it."""
    if fed.before is S.LOCKED_OUT and fed.cell is not S.LOCKED_OUT and event is not E.RESET:
        return "I5 a lockout was left without a reset"
    if fed.turned_unknown and fed.cell is not S.LOCKED_OUT:
        return "I4 an unknown outcome without a lockout"
    if fed.cell is S.LOCKED_OUT and fed.before is not S.LOCKED_OUT and w.calm:
        return "Q a calm wire locked the cell out"
    if fed.turned_verified:
        fate = w.fates[fed.command - 1] if fed.command else None
        if fate is None or not (fate.done and fate.motions == 1):
            return "I3 verified without a motion that was done"
    return ""


def link_down(e: Engine, w: World) -> World:
    return feed(e, w._replace(linked=False, bus=None, calm=False), E.LINK_DOWN)


def observe(e: Engine, w: World, look: Seen) -> World:
    known = w.known
    if known is None:
        return w
    if e.cell(w.machine) is not S.LOCKED_OUT:  # what is seen while locked out is forgotten by the reset
        w = w._replace(known=known._replace(seen_executed=look.executed, fit=not e.refused_now(look)))
    out = w.under is not None and w.under.frames > 0
    if e.misfits(look, known.boot, known.duplicates, known.executed, out):
        return feed(e, w, E.INTEGRITY_LOST)
    if (look.boot, look.duplicates) != (known.boot, known.duplicates) and e.cell(w.machine) is not S.LOCKED_OUT:
        return w._replace(bad=w.bad or "I4 a changed boot id or a counted duplicate was taken for granted")
    event = e.event_seen(look)
    if event is None:
        return w
    if event in (E.INTERLOCK_OPENED, E.MODE_LEFT) or e.cell(w.machine) in IDLE_STATES:
        return feed(e, w, event)
    return w


def take(e: Engine, w: World, look: Seen) -> World:
    """The receipt of the command that is out, judged."""
    command = e.machine(w.machine).command_id
    if w.under is None or command is None:
        return w
    return _taken(e, w, e.judged(command, w.under, look), look)


def _taken(e: Engine, w: World, judgement: Judgement, look: Seen) -> World:
    match judgement:
        case NotYet():
            return w
        case Taken(executing=executing):
            return _accepted(e, w, executing)
        case Verified():
            return feed(e, w._replace(known=_seen(w.known, look)), E.VERIFIED)
        case Refusal():
            return feed(e, w, E.REJECTED)
        case Aborted():
            counted = w._replace(known=_seen(w.known, look)) if e.supervision.settles_with_proof else w
            return feed(e, counted, E.ABORTED_BY_STOP if judgement.by_stop else E.ABORTED)
        case Wrong():
            return feed(e, w, E.RECEIPT_WRONG)
        case _:
            assert_never(judgement)


def _seen(known: Known | None, look: Seen) -> Known | None:
    return known and known._replace(seen_executed=look.executed)


def _accepted(e: Engine, w: World, executing: bool) -> World:
    if e.machine(w.machine).command is CommandState.SENT:
        w = feed(e, w, E.ACCEPTED)
    if executing and e.machine(w.machine).command is CommandState.ACCEPTED:
        w = feed(e, w, E.ACCEPTED)
    return w
