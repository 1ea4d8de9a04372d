"""The first terminal state is kept; what comes later is written down and changes nothing."""

from __future__ import annotations

import pytest

from edge_agent.run.lifecycle import MAX_LATE, TABLE, TERMINAL, LateEnd, Lifecycle, RunState


def test_every_pair_of_the_table_is_there() -> None:
    assert set(TABLE) == {(now, end) for now in RunState for end in TERMINAL}
    assert {TABLE[(now, end)] for now in TERMINAL for end in TERMINAL} == {"late"}


@pytest.mark.parametrize("first", TERMINAL)
@pytest.mark.parametrize("second", TERMINAL)
def test_first_terminal_wins(first: RunState, second: RunState) -> None:
    life = Lifecycle()
    assert life.state is RunState.RUNNING
    assert life.end(first, "one", 1.0, "E1")
    assert not life.end(second, "two", 2.0, "E2")
    assert life.state is first
    assert life.termination is not None
    assert (life.termination.reason, life.termination.at, life.termination.first_error) == ("one", 1.0, "E1")
    assert life.termination.late == (LateEnd(second, "two", 2.0),)


def test_running_ends_nothing() -> None:
    with pytest.raises(ValueError, match="RUNNING ends no run"):
        Lifecycle().end(RunState.RUNNING, "x", 0.0)


def test_late_ends_are_bounded() -> None:
    life = Lifecycle()
    for n in range(MAX_LATE + 5):
        life.end(RunState.FAILED, str(n), float(n))
    assert life.termination is not None
    assert [late.reason for late in life.termination.late] == [str(n) for n in range(1, MAX_LATE + 1)]
