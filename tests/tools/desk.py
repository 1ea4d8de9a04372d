"""A boundary with everything around it for tests: a journal in memory, a clock that moves when told, no real sleep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from edge_agent.run.budget import BudgetLimits
from edge_agent.run.context import Run, RunIds
from edge_agent.run.ids import ParseTraceId, RunId, TraceId
from edge_agent.run.journal import COMMIT_DEADLINE_S, Duplicate, Entry, JournalFault, Kind, NotKnown, Row
from edge_agent.safety.permission import Role
from edge_agent.tools.attempts import World
from edge_agent.tools.boundary import Boundary
from edge_agent.tools.intercept import Scripted
from edge_agent.tools.registry import Registry
from edge_agent.tools.tool import Caller, Failed, Tool

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
NOW_MS = round(NOW.timestamp() * 1000)
OPERATOR = Caller("wang", Role.OPERATOR)
DEFAULT_LIMITS = BudgetLimits()


@dataclass
class MemoryJournal:
    """The port, without a disk. `broken` names what fails: `append`, `late` (it is written, and nobody is told),
    `read_back`, `changed`, `rows`."""

    epoch: int = 1
    written: list[Row] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    at_ms: int = NOW_MS

    async def append(self, *entries: Entry, deadline_s: float = COMMIT_DEADLINE_S) -> tuple[int, ...] | Duplicate:
        if "append" in self.broken or deadline_s <= 0:
            raise JournalFault("disk full")
        for entry in entries:
            taken = [r for r in self.written if entry.key is not None and (r.kind, r.key) == (entry.kind, entry.key)]
            if taken:
                return Duplicate(taken[0])
        first = len(self.written) + 1
        for n, entry in enumerate(entries):
            self.written.append(
                Row(first + n, self.at_ms, self.epoch, entry.kind, entry.run, entry.key, dict(entry.body), "", "")
            )
        if "late" in self.broken:
            raise NotKnown("no answer in time")
        return tuple(range(first, first + len(entries)))

    async def rows(
        self,
        *,
        kinds: Sequence[Kind] = (),
        run: str | None = None,
        key: str | None = None,
        after: int = 0,
        since_ms: int = 0,
        limit: int = 1000,
        newest_first: bool = False,
    ) -> tuple[Row, ...]:
        if "rows" in self.broken:
            raise JournalFault("not readable")
        found = [
            r
            for r in self.written
            if r.seq > after
            and r.at_ms >= since_ms
            and (not kinds or r.kind in kinds)
            and run in (None, r.run)
            and key in (None, r.key)
        ]
        return tuple((found[::-1] if newest_first else found)[:limit])

    async def read_back(self, seq: int) -> Row:
        if "read_back" in self.broken:
            raise JournalFault("not readable")
        row = self.written[seq - 1]
        if "changed" in self.broken:
            row.body["hits"] = 99
            return Row(row.seq, 0, 0, row.kind, None, None, {}, "", "")
        return row

    async def last(self, kind: Kind, key: str | None = None) -> Row | None:
        found = await self.rows(kinds=[kind], key=key, newest_first=True, limit=1)
        return found[0] if found else None

    async def next_command_id(self, above: int = 0) -> int:
        return above + 1

    def bodies(self, kind: Kind) -> list[dict[str, Any]]:
        return [row.body for row in self.written if row.kind is kind]


@dataclass
class Desk:
    """`scripts` holds what the intercept gives, one a call; then the tools themselves."""

    tools: Sequence[Tool] = ()
    limits: BudgetLimits = DEFAULT_LIMITS
    simulated: bool = False
    journal: MemoryJournal = field(default_factory=MemoryJournal)
    scripts: list[Scripted | None] = field(default_factory=list)
    now_s: float = 0.0
    slept: list[float] = field(default_factory=list)
    asked: list[tuple[str, int]] = field(default_factory=list)
    run: Run = field(init=False)
    boundary: Boundary = field(init=False)

    def __post_init__(self) -> None:
        self.run = self.new_run()
        world = World(
            journal=self.journal,
            clock=lambda: self.now_s,
            wall=lambda: NOW,
            sleep=self.sleep,
            uniform=lambda low, _high: low,
            simulated=self.simulated,
            intercept=self.intercept,
        )
        self.boundary = Boundary(Registry(self.tools), world)

    def new_run(self, name: str = "run1") -> Run:
        ids = RunIds(RunId(name), TraceId(f"trace-{name}"), ParseTraceId("p-1"))
        return Run(ids, self.limits, 30.0, lambda: self.now_s)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_s += seconds

    def intercept(self, tool: str, attempt: int) -> Scripted | None:
        self.asked.append((tool, attempt))
        return self.scripts.pop(0) if self.scripts else None


def failing(code: Any, message: str = "m") -> Scripted:
    return Scripted(Failed(code, message))
