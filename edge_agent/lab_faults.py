"""Faults that are put in on purpose, at their own edge: the arm's and the wire's through the simulated cell's hands,
the agent's own (query tools, model, store) through the ports that ask here.

Everything in is shown to everybody while it is in, written down, and gone after a restart.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from drivers.contract import DriverError
from drivers.package import ActiveFault, FaultArgument
from edge_agent.control.ports import STEP_NAMES
from edge_agent.messages.cell_state import InjectedFault
from edge_agent.messages.codes import ErrorCode
from edge_agent.run.journal import Entry, Journal, Kind
from edge_agent.tools.intercept import Scripted
from edge_agent.tools.tool import Failed, Found, ToolName

QUERY_TOOLS = frozenset(set(ToolName) - {ToolName.FEEDBACK, ToolName.ARM_CONTROL})

_QUERY_CODES: Mapping[str, ErrorCode] = {
    "query.timeout": ErrorCode.TIMEOUT,
    "query.unavailable": ErrorCode.SERVICE_UNAVAILABLE,
    "query.rate_limit": ErrorCode.RATE_LIMIT,
    "query.connection_error": ErrorCode.CONNECTION_ERROR,
    "query.permission_denied": ErrorCode.PERMISSION_DENIED,
    "query.input_invalid": ErrorCode.INPUT_INVALID,
    "query.not_found": ErrorCode.NOT_FOUND,
}
MODEL = (
    "model.down",
    "model.crash",
    "model.hang",
    "model.slow",
    "model.bad_json",
    "model.unsupported_claim",
    "model.wrong_citation",
)
STORE = ("store.disk_full", "store.read_back_fails")
TRANSPORT = ("transport.duplicate_message", "transport.stale_message", "transport.retained_command")
KILL = "process.kill_agent_at"
INSIDE = ("inside.unrecognised_exception", "inside.rules_raise")
OWN = (*_QUERY_CODES, "query.empty", "query.slow", "query.flaky", *STORE, *MODEL, *TRANSPORT, *INSIDE, KILL)
"""Faults of the agent's own edges. `query.slow` and `model.slow` take `delay_ms`, `query.flaky` `probability`,
`process.kill_agent_at` `step`."""
OTHER_WORDS: Mapping[str, tuple[str, float]] = {"ms": ("delay_ms", 1), "percent": ("probability", 0.01)}
"""Arguments as a case line writes them: the word they mean, and how many of its unit one is."""


KILLED_AT = "before_send"
"""Where nobody says at which step: the command is stored, its frame is not out yet."""
STORED_NEXT = "before_intent"
"""The step of the command path before its row is written."""
SLOW_MS = 500
FLAKY_P = 0.6
"""The lesson's own figure: a query tool that answers TIMEOUT six times in ten."""


class Hands(Protocol):
    """The part of a simulated cell that faults need."""

    async def put_fault(
        self, name: str, *, seed: int = 0, count: int = 1, args: Mapping[str, FaultArgument] | None = None
    ) -> None: ...

    async def clear_faults(self) -> None: ...

    async def active_faults(self) -> tuple[ActiveFault, ...]: ...


@dataclass(slots=True)
class _Own:
    name: str
    left: int
    seed: int
    by: str
    args: Mapping[str, FaultArgument]
    chance: random.Random
    awake: bool = True
    """A fault of the store sleeps until something is about to be kept: it is to hit a record, not its own receipt."""


@dataclass(slots=True)
class LabFaults:
    """`hands` None: no simulated cell, so no fault of arm or wire. `cell_faults` maps full names (`arm.no_part`) to
    those the cell knows. `changed` is told after every change. `die` ends the agent's process at once; None where it is
    not the agent's alone: then nobody can have it killed."""

    journal: Journal
    cell_faults: Mapping[str, str]
    hands: Hands | None
    changed: Callable[[], None] = lambda: None
    die: Callable[[], None] | None = None
    _own: dict[str, _Own] = field(default_factory=dict)
    _of_cell: dict[str, InjectedFault] = field(default_factory=dict)

    async def put(self, name: str, *, count: int, seed: int, args: Mapping[str, FaultArgument], by: str) -> None:
        """Raises `LookupError` for a name that is no fault of this cell, or arguments it does not take."""
        known = _full_name(name, (*OWN, *self.cell_faults))
        if known == KILL and (self.die is None or args.get("step", KILLED_AT) not in STEP_NAMES):
            raise LookupError(f"{name}({args.get('step', KILLED_AT)})")
        body = {"op": "put", "fault": known, "count": count, "seed": seed, "args": dict(args), "by": by}
        if known in OWN:
            await self.journal.append(Entry(Kind.FAULT, body))  # before it is in: it may be the journal's own fault
            chance, asleep = random.Random(seed), known in STORE
            self._own[known] = _Own(known, count, seed, by, _worded(args), chance, awake=not asleep)
        else:
            await self._put_on_cell(self.cell_faults[known], count, seed, args)
            self._of_cell[known] = InjectedFault(name=known, left=count, seed=seed, by=by)
            await self.journal.append(Entry(Kind.FAULT, body))
        self.changed()

    async def clear(self, name: str | None) -> None:
        """One, or all. The cell's own are cleared together."""
        known = None if name is None else _full_name(name, (*OWN, *self.cell_faults))
        for own in [known] if known in OWN else list(self._own) if known is None else []:
            self._own.pop(str(own), None)
        if self.hands is not None and (known is None or known in self.cell_faults):
            await self.hands.clear_faults()
            self._of_cell.clear()
        await self.journal.append(Entry(Kind.FAULT, {"op": "clear", "fault": known}))
        self.changed()

    def active(self) -> tuple[InjectedFault, ...]:
        own = (InjectedFault(name=f.name, left=f.left, seed=f.seed, by=f.by) for f in self._own.values())
        return (*own, *self._of_cell.values())[:16]

    async def refresh(self) -> None:
        """What the cell has used up is no longer shown."""
        if self.hands is None or not self._of_cell:
            return
        left = {f.name: f.left for f in await self.hands.active_faults()}
        counts = {name: left.get(self.cell_faults[name], 0) for name in self._of_cell}
        kept = {n: f.model_copy(update={"left": counts[n]}) for n, f in self._of_cell.items() if counts[n] > 0}
        if kept != self._of_cell:
            self._of_cell = kept
            self.changed()

    def fires(self, name: str) -> bool:
        """Whether an own fault strikes now; counts it down."""
        fault = self._own.get(name)
        if fault is None or not fault.awake:
            return False
        fault.left -= 1
        if fault.left <= 0:
            del self._own[name]
        return True

    def holds(self, name: str) -> bool:
        """Whether an own fault is in; counts nothing down."""
        return name in self._own

    def number(self, name: str, argument: str, default: float) -> float:
        """An argument of an own fault that is in; `default` where it was not given."""
        fault = self._own.get(name)
        return default if fault is None else float(fault.args.get(argument, default))

    def reached(self, step: str) -> None:
        """`Steps`: before the row of a command is kept faults of the store wake; at its step the agent is killed."""
        if step == STORED_NEXT:
            self._wake()
        kill = self._own.get(KILL)
        if kill is not None and self.die is not None and step == kill.args.get("step", KILLED_AT):
            self.die()

    def _wake(self) -> None:
        for name in STORE:
            if name in self._own:
                self._own[name].awake = True

    def intercept(self, tool: str, _attempt: int) -> Scripted | None:
        """At the edge of the query tools; whatever the tool, its record is kept next."""
        self._wake()
        if tool not in QUERY_TOOLS:
            return None
        for name, code in _QUERY_CODES.items():
            if self.fires(name):
                return Scripted(Failed(code, f"put in by the lab: {name}"))
        if self.fires("query.empty"):
            return Scripted(Found({}, 0))
        delay_ms = self.number("query.slow", "delay_ms", SLOW_MS)
        if self.fires("query.slow"):
            return Scripted(None, delay_ms / 1000)
        return self._flaky()

    def _flaky(self) -> Scripted | None:
        fault = self._own.get("query.flaky")
        probability = self.number("query.flaky", "probability", FLAKY_P)
        if fault is None or not self.fires("query.flaky") or fault.chance.random() >= probability:
            return None
        return Scripted(Failed(ErrorCode.TIMEOUT, "put in by the lab: query.flaky"))

    async def _put_on_cell(self, name: str, count: int, seed: int, args: Mapping[str, FaultArgument]) -> None:
        if self.hands is None:
            raise LookupError(name)
        try:
            await self.hands.put_fault(name, seed=seed, count=count, args=args)
        except DriverError as refused:
            raise LookupError(str(refused)) from refused


def _worded(args: Mapping[str, FaultArgument]) -> dict[str, FaultArgument]:
    """Arguments under the words a request uses."""
    worded: dict[str, FaultArgument] = {}
    for name, value in args.items():
        word, times = OTHER_WORDS.get(name, (name, 0))
        worded[word] = str(float(value) * times) if times else value
    return worded


def _full_name(name: str, known: tuple[str, ...]) -> str:
    """`timeout` is `query.timeout`; a short name that two groups have is none."""
    if name in known:
        return name
    found = [each for each in known if each.partition(".")[2] == name]
    if len(found) != 1:
        raise LookupError(name)
    return found[0]
