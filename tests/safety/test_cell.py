"""The table is whole, and says what it must where it matters most."""

from __future__ import annotations

import pytest

from edge_agent.safety.cell import BUSY, TABLE, CellEvent, CellState, Effect, Transition, build

S, E, F = CellState, CellEvent, Effect


def test_every_pair_is_there() -> None:
    assert set(TABLE) == {(state, event) for state in CellState for event in CellEvent}
    assert all(row.effects for (state, _), row in TABLE.items() if row.state is state), "a pair that says nothing"


def pairs(effect: Effect) -> set[tuple[CellState, CellEvent]]:
    return {pair for pair, row in TABLE.items() if effect in row.effects}


@pytest.mark.parametrize(
    ("effect", "where"),
    [
        (F.SEND, {(S.DISPATCHING, E.INTENT_STORED)}),
        (F.STORE_INTENT, {(S.AWAITING_CONFIRMATION, E.CONFIRMED)}),
        (F.UNLATCH, {(S.LOCKED_OUT, E.RESET)}),
        (F.RELEASE, {(S.STOPPED, E.RELEASE_ASKED)}),
        (F.END_EXPIRED, {(S.AWAITING_CONFIRMATION, E.PROMPT_EXPIRED)}),
    ],
)
def test_what_stands_on_one_pair_alone(effect: Effect, where: set[tuple[CellState, CellEvent]]) -> None:
    assert pairs(effect) == where
    for pair in where - {(S.STOPPED, E.RELEASE_ASKED)}:
        assert TABLE[pair].state is not pair[0], "it would stand there for a second event, too"


def test_a_lockout_is_left_by_a_reset_alone() -> None:
    assert {event for event in CellEvent if TABLE[S.LOCKED_OUT, event].state is not S.LOCKED_OUT} == {E.RESET}


@pytest.mark.parametrize("pair", sorted(p for p, row in TABLE.items() if row.state is S.LOCKED_OUT))
def test_a_lockout_is_stored_first_then_stopped_then_silent_then_told(pair: tuple[CellState, CellEvent]) -> None:
    if pair[0] is S.LOCKED_OUT:
        assert F.LATCH not in TABLE[pair].effects
        return
    assert TABLE[pair].effects[:3] == (F.LATCH, F.STOP, F.SILENCE)
    assert any(effect.startswith("END_") for effect in TABLE[pair].effects)


@pytest.mark.parametrize("state", CellState)
def test_a_stop_is_written_from_wherever_it_is_asked_for(state: CellState) -> None:
    row = TABLE[state, E.STOP_ASKED]
    assert F.STOP in row.effects
    assert row.state is (S.LOCKED_OUT if state is S.LOCKED_OUT else S.STOPPING)


@pytest.mark.parametrize("event", [E.LINK_DOWN, E.DEADLINE, E.SEND_FAILED, E.RECEIPT_WRONG, E.INTEGRITY_LOST])
@pytest.mark.parametrize("state", BUSY)
def test_what_is_not_known_of_a_sent_command_locks_out(state: CellState, event: CellEvent) -> None:
    if (state, event) == (S.EXECUTING, E.SEND_FAILED):
        assert TABLE[state, event] == Transition(S.EXECUTING, (F.LATE,)), "accepted: the write did arrive"
        return
    assert TABLE[state, event].state is S.LOCKED_OUT
    assert F.END_UNKNOWN in TABLE[state, event].effects


@pytest.mark.parametrize("event", CellEvent)
def test_what_was_not_sent_is_never_unknown(event: CellEvent) -> None:
    assert F.END_UNKNOWN not in TABLE[S.DISPATCHING, event].effects


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ({}, "no row for IDENTIFIED"),
        (
            {E.IDENTIFIED: (F.LATE, {(S.OFFLINE,): (S.READY,), (S.MANUAL, S.OFFLINE): (S.READY,)})},
            "OFFLINE stands twice in the row of IDENTIFIED",
        ),
    ],
)
def test_a_table_with_a_hole_or_a_contradiction_is_not_built(rows: dict[CellEvent, object], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        build(rows)  # type: ignore[arg-type]
