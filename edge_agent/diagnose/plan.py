"""Where to look next: for each evidence tool the scopes that fit the question and what is known so far. Pure.

A model picks a tool by name; the arguments are filled here, so that it can't name a scope that does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from edge_agent.diagnose.cause_table import Cause, CauseTable
from edge_agent.diagnose.dossier import Stated
from edge_agent.diagnose.target import Target
from edge_agent.tools.tool import Fact, ToolName

WORDS_CHARS: Final = 160

Args = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Known:
    """What the question says, completed by what the task's own record says."""

    target: Target
    facts: tuple[Fact, ...]
    only_device: str | None
    causes: tuple[Cause, ...] = ()
    """Those that the facts allow so far."""

    def of_task(self, attribute: str) -> str | None:
        found = (f.value for f in self.facts if f.source == ToolName.TASK_STATUS and f.attribute == attribute)
        return next(found, None)

    @property
    def device(self) -> str | None:
        return self.target.device or self.of_task("device") or self.only_device

    @property
    def item_type(self) -> str | None:
        return self.target.item_type or self.of_task("item_type")

    @property
    def command_id(self) -> int:
        return int(self.of_task("command_id") or 0)

    @property
    def window(self) -> dict[str, int]:
        return {"since_ms": self.target.since_ms, "until_ms": self.target.until_ms}


def known(target: Target, stated: Iterable[Stated], only_device: str | None, table: CauseTable) -> Known:
    facts = tuple(s.fact for s in stated)
    return Known(target, facts, only_device, table.candidates(facts))


def scopes(tool: str, what: Known) -> tuple[Args, ...]:
    """The scopes of a tool that fit, the closest first; empty where the question gives it nothing to look for."""
    of = _SCOPES.get(tool)
    return () if of is None else of(what)


def _task(what: Known) -> tuple[Args, ...]:
    return ({"task_id": what.target.task_id},) if what.target.task_id else ()


def _commands(what: Known) -> tuple[Args, ...]:
    of_command = ({"command_id": what.command_id},) if what.command_id else ()
    return (*of_command, {**what.window, "failed_only": True}, what.window)


def _alarms(what: Known) -> tuple[Args, ...]:
    of_device = ({**what.window, "source": what.device},) if what.device else ()
    return (*of_device, what.window)


def _arm(what: Known) -> tuple[Args, ...]:
    return ({"device": what.device},) if what.device else ()


def _rules(what: Known) -> tuple[Args, ...]:
    return ({"item_type": what.item_type},) if what.item_type else ()


def _pages(what: Known) -> tuple[Args, ...]:
    likely = " ".join(f"{c.zh} {c.en}" for c in what.causes)
    words = (likely or what.target.question).strip()[:WORDS_CHARS]
    return ({"words": words},) if words else ()


_SCOPES: Final[Mapping[str, Callable[[Known], tuple[Args, ...]]]] = {
    ToolName.TASK_STATUS: _task,
    ToolName.COMMAND_HISTORY: _commands,
    ToolName.ALARM_HISTORY: _alarms,
    ToolName.ARM_STATUS: _arm,
    ToolName.SORTING_RULES: _rules,
    ToolName.KNOWLEDGE_SEARCH: _pages,
}
