"""Agent, controller and wire put together: every move from a state, and the scopes that are searched."""

from __future__ import annotations

from collections.abc import Iterator

from tests.safety.search import controller, freeing, halting, linking, living, moving, wire
from tests.safety.search.canonical import canonical
from tests.safety.search.engine import Engine, Rules
from tests.safety.search.explorer import Bound, Found, explore
from tests.safety.search.properties import broken
from tests.safety.search.world import Scope, World, left, start

AGENT = (
    moving.asks,
    moving.answers,
    moving.closes,
    moving.last_look,
    moving.draws,
    moving.sends,
    moving.looks,
    moving.deadline,
    linking.links,
    halting.stop_asked,
    halting.stops,
    freeing.asked,
    freeing.goes_on,
    living.rows,
    living.crashes,
)
OTHERS = (wire.moves, controller.runs, controller.reboots, controller.oddities)


def search(scope: Scope, bound: Bound, engine: Engine | None = None) -> Found[World]:
    e = engine or Engine(Rules())

    def moves(w: World) -> Iterator[tuple[str, World]]:
        for act in AGENT:
            for label, after in act(e, w):
                yield label, canonical(e, after)
        for other in OTHERS:
            for label, after in other(w):
                yield label, canonical(e, after)

    return explore(start(e.first, scope), moves, lambda w: broken(e, w), bound)


SMALL = (
    Scope("three commands, two operators", left(prompts=3)),
    Scope("two commands, stop, release", left(prompts=2, stops=1, releases=1)),
    Scope("stop, release, reset", left(stops=1, resets=1, releases=1)),
    Scope("reset, a doubled message", left(resets=1, copies=1)),
    Scope("stop, an odd controller or cell", left(stops=1, oddities=1)),
    Scope("a failing disk", left(stops=1, disk_faults=1)),
    Scope("a crash of either side", left(crashes=1)),
    Scope("two crashes", left(crashes=2)),
)
"""Searched to the last state each."""
LARGE = (
    Scope("three commands, two stops, release, reset", left(prompts=3, stops=2, releases=1, resets=1)),
    Scope("a crash, stop, release, reset", left(crashes=1, stops=1, releases=1, resets=1)),
    Scope("two crashes, a failing disk", left(crashes=2, disk_faults=1)),
    Scope("two crashes, reset, a doubled message", left(crashes=2, resets=1, copies=1)),
    Scope("two commands, a crash, an odd cell", left(prompts=2, crashes=1, oddities=1)),
)
"""For the long run: to the last state or as deep as their time allows."""
WHOLE = Scope("everything at once", left(3, 2, 1, 1, 1, 1, 1, 1))
"""Searched as deep as the time allows."""
