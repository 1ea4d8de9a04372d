"""Cell and command together, as one pure step. The supervisor runs it; the exhaustive search runs the same.

A `Machine` is all the agent remembers about the arm between two events, besides what is in the journal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from edge_agent.safety.cell import TABLE, CellEvent, CellState, Effect, Transition
from edge_agent.safety.command import FINAL, CommandEvent, CommandState, after

COMMAND_EFFECTS: dict[Effect, CommandEvent] = {
    Effect.VOID_PROMPT: CommandEvent.VOID,
    Effect.NOTE_SENT: CommandEvent.SEND,
    Effect.NOTE_ACCEPTED: CommandEvent.ACCEPT,
    Effect.END_VERIFIED: CommandEvent.VERIFY,
    Effect.END_REJECTED: CommandEvent.REJECT,
    Effect.END_ABORTED: CommandEvent.ABORT,
    Effect.END_CANCELLED: CommandEvent.CANCEL,
    Effect.END_EXPIRED: CommandEvent.EXPIRE,
    Effect.END_UNKNOWN: CommandEvent.LOSE,
}


@dataclass(frozen=True, slots=True)
class Machine:
    cell: CellState = CellState.OFFLINE
    command_id: int | None = None
    command: CommandState | None = None

    @property
    def open_command(self) -> bool:
        return self.command is not None and self.command not in FINAL


@dataclass(frozen=True, slots=True)
class Step:
    before: Machine
    event: CellEvent
    after: Machine
    effects: tuple[Effect, ...]

    @property
    def refused(self) -> bool:
        return Effect.REFUSE in self.effects


def propose(machine: Machine) -> Machine:
    """A new command, not yet numbered, its prompt open. The cell table decides whether it may wait."""
    return replace(machine, command_id=None, command=after(CommandState.PROPOSED, CommandEvent.PROMPT))


def number(machine: Machine, command_id: int) -> Machine:
    """The proposed command gets its id: from here on it is in the journal."""
    assert machine.command is not None, "only a proposed command can be numbered"
    return replace(machine, command_id=command_id, command=after(machine.command, CommandEvent.STORE))


def _end(command: CommandState | None, effect: Effect) -> CommandState | None:
    event = COMMAND_EFFECTS.get(effect)
    if event is None or command is None:
        return command
    return after(command, event) or command


def step(
    machine: Machine,
    event: CellEvent,
    table: Mapping[tuple[CellState, CellEvent], Transition] = TABLE,
) -> Step:
    """One event. Command ends that do not fit the command's state change nothing: the first end is kept."""
    transition = table[machine.cell, event]
    command = machine.command
    for effect in transition.effects:
        command = _end(command, effect)
    following = Machine(transition.state, machine.command_id, command)
    return Step(machine, event, following, transition.effects)
