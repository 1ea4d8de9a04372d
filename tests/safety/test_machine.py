"""Cell and command in one step: the first end is kept, and a table other than the agent's can be put in."""

from __future__ import annotations

import pytest

from edge_agent.safety.cell import TABLE, CellEvent, CellState, Effect, Transition
from edge_agent.safety.command import CommandState
from edge_agent.safety.machine import COMMAND_EFFECTS, Machine, number, propose, step

S, E, F, C = CellState, CellEvent, Effect, CommandState


def run(machine: Machine, *events: CellEvent) -> Machine:
    for event in events:
        machine = step(machine, event).after
    return machine


def test_a_motion_from_its_prompt_to_its_receipt() -> None:
    asked = run(propose(Machine(S.READY)), E.PROMPT_OPENED)
    assert asked == Machine(S.AWAITING_CONFIRMATION, None, C.AWAITING_CONFIRMATION)
    stored = number(run(asked, E.CONFIRMED), 42)
    assert stored == Machine(S.DISPATCHING, 42, C.JOURNALLED)
    sent = step(stored, E.INTENT_STORED)
    assert sent.effects == (F.SEND,)
    assert run(sent.after, E.SENT, E.ACCEPTED, E.ACCEPTED) == Machine(S.EXECUTING, 42, C.EXECUTING)
    assert run(sent.after, E.SENT, E.ACCEPTED, E.VERIFIED) == Machine(S.READY, 42, C.VERIFIED)


@pytest.mark.parametrize(
    ("command", "event", "end"),
    [
        (C.SENT, E.STOP_PROVED, C.ABORTED),
        (C.JOURNALLED, E.STOP_PROVED, C.ABORTED),
        (C.EXECUTING, E.STOP_UNPROVED, C.UNKNOWN),
        (C.EXECUTING, E.REJECTED, C.EXECUTING),
        (C.VERIFIED, E.STOP_PROVED, C.VERIFIED),
        (C.REJECTED, E.STOP_UNPROVED, C.REJECTED),
        (None, E.STOP_PROVED, None),
    ],
)
def test_the_first_end_is_kept(command: CommandState | None, event: CellEvent, end: CommandState | None) -> None:
    assert step(Machine(S.STOPPING, 42, command), event).after.command is end


def test_a_refused_event_says_so_and_changes_nothing() -> None:
    done = step(Machine(S.READY), E.CONFIRMED)
    assert done.refused
    assert done.after == done.before
    assert not step(Machine(S.READY), E.DEADLINE).refused


@pytest.mark.parametrize(
    ("command", "is_open"), [(None, False), (C.AWAITING_CONFIRMATION, True), (C.SENT, True), (C.UNKNOWN, False)]
)
def test_open_command(command: CommandState | None, is_open: bool) -> None:
    assert Machine(S.READY, None, command).open_command is is_open


def test_only_what_was_proposed_gets_a_number() -> None:
    with pytest.raises(AssertionError, match="proposed"):
        number(Machine(S.DISPATCHING), 42)


def test_the_table_is_an_argument() -> None:
    other = {**TABLE, (S.READY, E.DEADLINE): Transition(S.MANUAL)}
    assert step(Machine(S.READY), E.DEADLINE, other).after.cell is S.MANUAL
    assert step(Machine(S.READY), E.DEADLINE).after.cell is S.READY


def test_every_end_of_the_cell_is_an_event_of_the_command() -> None:
    assert {effect for effect in Effect if effect.startswith("END_")} <= set(COMMAND_EFFECTS)
