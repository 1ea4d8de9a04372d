"""What the journal knows of the arm when the agent starts: the last life's commands, and whether it was locked out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from drivers.contract import Action, Order
from edge_agent.run.journal import Journal, Kind
from edge_agent.safety.command import FINAL, CommandState

COMMANDS_READ: Final = 2_000
"""Rows of commands looked at when starting; the last command has a handful."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The highest id ever given, a command without an end, a latched lockout."""

    last_command_id: int = 0
    unfinished_id: int | None = None
    unfinished_state: CommandState | None = None
    intended: Order | None = None
    """The order of the unfinished command, or of the newest one."""
    lockout: str | None = None
    unknown_outcomes: int = 0


async def stored_in(journal: Journal) -> Stored:
    """Read once, at start. Raises `JournalFault`."""
    rows = await journal.rows(kinds=(Kind.COMMAND,), limit=COMMANDS_READ, newest_first=True)
    states: dict[int, CommandState] = {}
    orders: dict[int, Order] = {}
    for row in rows:
        if row.body.get("command_id") is None:
            continue
        command_id = int(row.body["command_id"])
        states.setdefault(command_id, CommandState(row.body["state"]))
        if "order" in row.body:
            orders[command_id] = _order(row.body["order"])
    given = await journal.last(Kind.COMMAND_ID)
    newest = max(states, default=0)
    unfinished = max((command_id for command_id, state in states.items() if state not in FINAL), default=None)
    return Stored(
        last_command_id=max(newest, int(given.body["command_id"]) if given is not None else 0),
        unfinished_id=unfinished,
        unfinished_state=None if unfinished is None else states[unfinished],
        intended=orders.get(newest if unfinished is None else unfinished),
        lockout=await _lockout(journal),
        unknown_outcomes=sum(state is CommandState.UNKNOWN for state in states.values()),
    )


async def _lockout(journal: Journal) -> str | None:
    """Latched and not reset since; None when the cell is not locked out."""
    latched, freed = await journal.last(Kind.LOCKOUT), await journal.last(Kind.RESET)
    if latched is None or (freed is not None and freed.seq > latched.seq):
        return None
    return str(latched.body["reason"])


def _order(body: Mapping[str, Any]) -> Order:
    return Order(**{**body, "action": Action(body["action"]), "target": tuple(body["target"])})
