"""What holds in every state. What no single step may do is looked at where the step is made, and kept in `bad`."""

from __future__ import annotations

from edge_agent.safety.cell import CellState
from tests.safety.search.acting import OWN_BUSY
from tests.safety.search.engine import Engine
from tests.safety.search.world import MOVING, Fate, Told, World

S = CellState
MAY_MOVE = OWN_BUSY | {S.STOPPING, S.LOCKED_OUT}
STOP_OWED = frozenset({S.STOPPING, S.STOPPED, S.LOCKED_OUT})
NOT_STARTED = (Told.REJECTED, Told.CANCELLED, Told.EXPIRED)


def broken(e: Engine, w: World) -> str:
    """The first property that does not hold, by the name of its invariant; empty when all do."""
    if w.bad:
        return w.bad
    cell = e.cell(w.machine)
    if cell is S.LOCKED_OUT:
        if not (w.silent and (w.locked or w.disk_broken or any(row[0] == "L" for row in w.rows))):
            return "I4 a lockout that is neither stored nor about to be, or still beats"
    elif w.locked or w.disk_broken or w.silent:
        return "I4 a stored lockout, a dead journal or a silent heart, and the cell is not locked out"
    if w.stop_open and (w.stopping is None or cell not in STOP_OWED):
        return "I6 a stop that was asked for is no longer worked on"
    if w.ctl in MOVING and cell not in MAY_MOVE:
        return "I4 the arm moves and the cell is thought idle or stopped"
    if w.journal.count(1) > 1:
        return "I1 two commands open at once"
    return next((wrong for fate in w.fates if (wrong := wrongly_told(fate))), "")


def wrongly_told(fate: Fate) -> str:
    if fate.motions and fate.told in NOT_STARTED:
        return "I3 a command told as never started moved"
    if fate.told == Told.VERIFIED and not (fate.motions == 1 and fate.done):
        return "I3 verified without a motion that was done"
    return ""
