"""Which causes the evidence of this run allows, the target's own records before what was going on around it. Pure.

A task with a known command is explained by that command alone; another command's end says nothing about it. And where
the task's or its command's own records hold the evidence of a cause, what only alarms or the arm's present state would
allow is left aside: it may be as true and still not be why this task failed.
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
    own = next((f.value for f in every if f.source == ToolName.TASK_STATUS and f.attribute == "command_id"), None)
    if target.task_id is None or own is None:
        return every
    return tuple(f for f in every if f.source != ToolName.COMMAND_HISTORY or f.subject == f"command {own}")


def likely(target: Target, facts: Iterable[Fact], table: CauseTable) -> tuple[Cause, ...]:
    """Causes with their evidence there, in the table's order."""
    fitting = about(target, facts)
    every = table.candidates(fitting)
    if target.task_id is None:
        return every
    own = tuple(c for c in every if any(f.source in OWN_SOURCES for f in c.evidence(fitting)))
    return own or every
