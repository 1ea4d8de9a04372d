"""A cell that answers from a list, for tests of the runner itself: the real one is `live_cell`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Any

from edge_agent.cases.cell import Flat, Observed, Script, Setup
from edge_agent.cases.conduct import Hands
from edge_agent.cases.faults import Fault
from edge_agent.cases.mechanisms import Mechanism
from edge_agent.cases.runner import Bench
from edge_agent.messages.codes import Role
from edge_agent.run.journal import Row
from edge_agent.safety.cell import CellState

PROMPT = {"kind": "confirmation", "prompt_id": "prompt-1", "digest": "d" * 64, "expires_in_s": 30.0}


def events(content: Mapping[str, Any] | None, outcome: str = "SUCCESS") -> list[Flat]:
    shown: list[Flat] = [] if content is None else [{"type": "content", **content}]
    return [{"type": "metadata", "lang": "zh"}, *shown, {"type": "done", "outcome": outcome, "usage": {}}]


@dataclass
class FakeCell:
    """Answers the n-th message with the n-th of `answers`; the last repeats. An exception in the list is raised."""

    answers: list[list[Flat] | Exception]
    seen: Observed = field(default_factory=lambda: Observed(0, 0, CellState.READY, ()))
    sent: list[tuple[Role, dict[str, Any], bool]] = field(default_factory=list)
    setups: list[Setup] = field(default_factory=list)
    scripts: list[Script] = field(default_factory=list)
    put_in: list[tuple[int, str]] = field(default_factory=list)

    async def begin(self, setup: Setup) -> None:
        self.setups.append(setup)

    async def put(self, fault: Fault) -> None:
        self.put_in.append((len(self.sent), str(fault)))

    async def script(self, script: Script) -> None:
        self.scripts.append(script)

    async def submit(self, role: Role, message: Mapping[str, object], *, retained: bool = False) -> Sequence[Flat]:
        answer = self.answers[min(len(self.sent), len(self.answers) - 1)]
        self.sent.append((role, dict(message), retained))
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def epoch(self) -> int:
        return 7

    async def observe(self) -> Observed:
        return self.seen


def hands() -> Hands:
    """Ids in order, a clock that stands, and a second that passes at each look."""
    ids, seconds = count(1), count(0)
    return Hands(
        new_id=lambda: f"id-{next(ids)}",
        now=lambda: datetime(2026, 3, 1, 8, tzinfo=UTC),
        monotonic_s=lambda: float(next(seconds)),
    )


async def read_nothing(text: str, *, llm_available: bool, without: frozenset[Mechanism]) -> Mapping[str, Any]:
    del llm_available, without
    return {"disposition": "EXPLAIN", "would_move": "move" in text, "slots": {}}


def bench(*cells: FakeCell) -> Bench:
    free = iter(cells)

    @asynccontextmanager
    async def lend() -> AsyncIterator[FakeCell]:
        yield next(free)

    return Bench(lend, read_nothing, hands())


def rows(*given: Row) -> tuple[Row, ...]:
    return given
