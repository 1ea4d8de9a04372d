"""Agent, controller and wire put together: every move from a state, and the scopes that are searched."""

from __future__ import annotations

from collections.abc import Iterator

from tests.safety.search import controller, freeing, halting, linking, living, moving, wire
from tests.safety.search.canonical import canonical
from tests.safety.search.engine import Engine, Rules
from tests.safety.search.explorer import Bound, Found, explore
from tests.safety.search.properties import broken
from tests.safety.search.world import Left, Scope, World, start

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


def search(scope: Scope, bound: Bound, rules: Rules | None = None) -> Found[World]:
    e = Engine(rules or Rules())

    def moves(w: World) -> Iterator[tuple[str, World]]:
        for act in AGENT:
            for label, after in act(e, w):
                yield label, canonical(e, after)
        for other in OTHERS:
            for label, after in other(w):
                yield label, canonical(e, after)

    return explore(start(e.first, scope), moves, lambda w: broken(e, w), bound)


WHOLE = Scope("everything", Left(3, 2, 1, 1, 1, 1, 1, 1))
