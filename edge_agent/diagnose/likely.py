"""Which causes the evidence of this run allows, the target's own records before what was going on around it. Pure.

* A task whose own record says that it was done is explained by nothing: there is no failure to explain.
* A task with a known command is explained by that command alone; another command's end says nothing about it.
* A cell that is locked out now is explained by the command after which the lockout came, where one did.
* Where a task's or its commands' own records hold the evidence of a cause, what only alarms or the arm's present
  state would allow is left aside: it may be as true and still not be why this failed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from edge_agent.diagnose.cause_table import Cause, CauseTable
from edge_agent.diagnose.target import Target
from edge_agent.tools.tool import Fact, ToolName

OWN_SOURCES: Final = frozenset({ToolName.TASK_STATUS, ToolName.COMMAND_HISTORY})


def about(target: Target, facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The facts that can explain the target."""
    every = tuple(facts)
    if _went_well(target, every):
        return ()
    commands = _commands_of(target, every)
    return (
        every
        if commands is None
        else tuple(f for f in every if f.source != ToolName.COMMAND_HISTORY or f.subject in commands)
    )


def likely(target: Target, facts: Iterable[Fact], table: CauseTable) -> tuple[Cause, ...]:
    """Causes with their evidence there, in the table's order."""
    fitting = about(target, facts)
    every = table.candidates(fitting)
    if target.task_id is None and target.item_type is None:
        return every
    own = tuple(c for c in every if any(f.source in OWN_SOURCES for f in c.evidence(fitting)))
    return own or every


def _went_well(target: Target, facts: tuple[Fact, ...]) -> bool:
    done = (ToolName.TASK_STATUS, target.task_id, "state", "done")
    return any((f.source, f.subject, f.attribute, f.value) == done for f in facts)


def _commands_of(target: Target, facts: tuple[Fact, ...]) -> frozenset[str] | None:
    """The commands that can explain it; None: any."""
    if target.task_id is not None:
        own = {f"command {f.value}" for f in facts if f.source == ToolName.TASK_STATUS and f.attribute == "command_id"}
        return frozenset(own) or None
    if not any((f.attribute, f.value) == ("cell_state", "LOCKED_OUT") for f in facts):
        return None
    locking = {f.subject for f in facts if f.source == ToolName.COMMAND_HISTORY and f.attribute == "lockout"}
    return frozenset(locking) or None
