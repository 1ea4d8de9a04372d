"""Every reachable state of agent, controller and wire keeps I1 to I7, and each planted fault is found.

`EDGE_AGENT_SEARCH_SECONDS` (CPU of one core) is what the search may take: 50 by default, 600 for a long run.
"""

from __future__ import annotations

import os
import time
from dataclasses import fields

import pytest

from edge_agent.safety.cell import TABLE, CellEvent, CellState, Effect
from tests.safety.search.engine import Engine, Rules, Supervision
from tests.safety.search.explorer import Bound, Found
from tests.safety.search.faults import FAULTS, SUPERVISION_FAULTS, Fault
from tests.safety.search.system import LARGE, SMALL, WHOLE, search
from tests.safety.search.world import Scope, World

S, E = CellState, CellEvent
SECONDS = float(os.environ.get("EDGE_AGENT_SEARCH_SECONDS", "50"))
LONG_S = 300.0
"""From here on the large scopes are searched, too."""
WHOLE_LEAST_S = 5.0
STATES_MAX = 6_000_000
"""About three gigabytes."""
FAULT_S = 20.0

UNMET = {
    (S.AWAITING_CONFIRMATION, E.FOUND_UNFINISHED): "found at start, from OFFLINE",
    (S.MANUAL, E.FOUND_UNFINISHED): "found at start, from OFFLINE",
    (S.READY, E.FOUND_UNFINISHED): "found at start, from OFFLINE",
    (S.STOPPED, E.FOUND_UNFINISHED): "found at start, from OFFLINE",
    (S.DISPATCHING, E.FOUND_STOPPED): "the supervision tells an idle cell alone",
    (S.AWAITING_RECEIPT, E.JOURNAL_FAULT): "the rows that are written then are notes, which the search leaves out",
    (S.EXECUTING, E.JOURNAL_FAULT): "the same",
    (S.LOCKED_OUT, E.JOURNAL_FAULT): "the supervision does not say it twice",
    (S.EXECUTING, E.INTERLOCK_OPENED): "the receipt tells of it in the same look, and is judged first",
}
"""Rows of the table that no history here asks for, and why. Any other row must be met."""

pytestmark = [pytest.mark.search, pytest.mark.timeout(3600)]


def way(found: Found[World]) -> str:
    steps = "\n".join(f"  {number:2} {label}" for number, label in enumerate(found.trace, 1))
    return f"{found.broken}, after {len(found.trace)} steps:\n{steps}\n{found.last}"


def test_every_reachable_state_keeps_the_invariants(capsys: pytest.CaptureFixture[str]) -> None:
    began_s = time.process_time()
    met: set[tuple[CellState, CellEvent]] = set()
    lines = []

    def searched(scope: Scope, cpu_s: float) -> Found[World]:
        e = Engine(Rules())
        found = search(scope, Bound(cpu_s, STATES_MAX), e)
        assert not found.broken, f"{scope.name}: {way(found)}"
        met.update(e.met)
        lines.append(f"  {scope.name:38} {found}")
        return found

    for scope in SMALL:
        assert searched(scope, 2 * SECONDS).exhausted, f"{scope.name}: more than there is time for; see {lines[-1]}"
    for scope in LARGE if SECONDS >= LONG_S else ():
        searched(scope, SECONDS / (len(LARGE) + 2))
    searched(WHOLE, max(WHOLE_LEAST_S, SECONDS - (time.process_time() - began_s)))
    with capsys.disabled():
        print("\nstates of agent x controller x wire:", *lines, sep="\n")
    acting = {pair for pair, row in TABLE.items() if row.effects not in ((Effect.LATE,), (Effect.REFUSE,))}
    assert acting - met == set(UNMET), "rows that are never asked for, or are asked for after all"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_found(fault: Fault) -> None:
    found = search(Scope(fault.name, fault.left), Bound(FAULT_S, STATES_MAX), Engine(fault.rules))
    print(way(found))
    assert found.broken.startswith(fault.breaks), f"not found in {found}"


@pytest.mark.parametrize("scope", sorted({fault.left for fault in FAULTS}), ids=str)
def test_where_a_fault_was_planted_nothing_is_found_without_it(scope: tuple[int, ...]) -> None:
    left = next(fault.left for fault in FAULTS if fault.left == scope)
    found = search(Scope("sound", left), Bound(1.0, STATES_MAX), Engine(Rules()))
    assert not found.broken, way(found)


def test_every_rule_of_the_supervision_is_needed() -> None:
    assert set(SUPERVISION_FAULTS) == {rule.name for rule in fields(Supervision)}
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 12
