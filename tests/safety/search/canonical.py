"""One shape for states between which nothing that still can happen could tell the difference.

Only differences of counters matter, never their values; a receipt nobody waits for is an older one to whoever waits
next; a command that ended and is off the wire is like any other such command.
"""

from __future__ import annotations

from tests.safety.search.engine import Engine
from tests.safety.search.living import is_past, settled
from tests.safety.search.moving import forget
from tests.safety.search.world import OLD_ECHO, PAST, Ctl, Path, World

RUNS = (Ctl.ACCEPTED, Ctl.EXECUTING, Ctl.COASTING)
UNNUMBERED = (Path.NONE, Path.LOOK, Path.DRAW)


def canonical(e: Engine, w: World) -> World:
    w = settled(forget(e, w)) if w.rows or w.prompts else w
    if w.bus is None and w.under is None:
        w = _uncounted(w)
    if w.under is None and w.echo.command and w.ctl not in RUNS:
        w = w._replace(echo=OLD_ECHO)
    if w.last_id != w.drawn and not w.wire and w.bus is None and w.path in UNNUMBERED and w.under is None:
        w = w._replace(last_id=w.drawn)
    for index, fate in enumerate(w.fates):
        if fate.told and is_past(w, index + 1):
            w = w._replace(fates=(*w.fates[:index], PAST, *w.fates[index + 1 :]))
    return w


def _uncounted(w: World) -> World:
    """Counts from the last settled moment on."""
    known = w.known
    if known is None:
        return w._replace(executed=0, duplicates=0) if w.executed or w.duplicates else w
    if known.boot != w.boot or not (known.executed or known.duplicates) or any(row[0] == "P" for row in w.rows):
        return w
    fewer = known.executed
    return w._replace(
        executed=w.executed - fewer,
        duplicates=w.duplicates - known.duplicates,
        known=known._replace(executed=0, duplicates=0, seen_executed=known.seen_executed - fewer),
    )
