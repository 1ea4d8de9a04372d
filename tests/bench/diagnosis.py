"""What the harness adds to a diagnosis of five tool calls: from the request's bytes to its `done`, without what the
model (a scripted one) takes, with stores that are real. The journal's commits are part of it, and are counted.

Each life of the agent begins with a journal that has been round its log once (`LOG_ROUND` commits), as any has that was
used for some minutes: as long as the log's file still grows, a sync waits for the file system's own journal too.

Floor: the same number of bare durable commits on the same disk.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import pytest

from edge_agent.adapters.journal.segment import Segment
from edge_agent.cases.cell import CLIENT, Script, Setup
from edge_agent.cases.live_cell import LiveCell, case_spec
from edge_agent.cases.spoken import ModelItem
from edge_agent.messages.wire import utc_text
from edge_agent.run.ids import ULID_ENTROPY_BYTES, ulid
from edge_agent.run.journal import Entry, Kind
from edge_agent.understand.scripted import ScriptedModel
from edge_agent.world import package_of, router, simulator_settings
from tests.bench.figure import Figure, beside_floor, quantile
from tests.bench.round_trips import Commits

LIVES = 9
RUNS = 20
"""Of one life of the agent: as many as one login may send at once."""
WARM_UP = 3
LOG_ROUND = 300
"""Commits after which SQLite has written its log's thousand pages and begins again at the front of the file."""
TOOLS = ("task_status", "command_history", "alarm_history", "arm_status", "sorting_rules")
DRAFT = {
    "cause": "no_part",
    "clauses": [{"text": "task t014 ended with code 0601", "evidence": ["r1"]}],
    "next_steps": ["check_feed"],
}
PICKS: tuple[ModelItem, ...] = tuple({"choose": tool} for tool in TOOLS)
SCRIPT = Script(model_items=(*PICKS, {"draft": DRAFT}, {"verdict": "SUPPORTED"}))


T = TypeVar("T")


class Counted:
    """Commits of a run, counted where they are made, and the milliseconds that the model had."""

    def __init__(self) -> None:
        self.commits, self.model_ms = 0, 0.0

    @contextmanager
    def at_work(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            append, choose, write = Segment.append, ScriptedModel.choose, ScriptedModel.write
            patch.setattr(Segment, "append", lambda *given: self._counted(append, given))
            patch.setattr(ScriptedModel, "choose", lambda *given, **named: self._timed(choose(*given, **named)))
            patch.setattr(ScriptedModel, "write", lambda *given, **named: self._timed(write(*given, **named)))
            yield

    def _counted(self, append: Callable[..., T], given: tuple[Any, ...]) -> T:
        self.commits += 1
        return append(*given)

    async def _timed(self, answer: Awaitable[T]) -> T:
        began = time.perf_counter()
        try:
            return await answer
        finally:
            self.model_ms += (time.perf_counter() - began) * 1000


def diagnosis_5_tools() -> Figure:
    with TemporaryDirectory(prefix="bench-") as name:
        return asyncio.run(_measured(Path(name)))


async def _measured(folder: Path) -> Figure:
    samples, floors, commits = [], [], []
    bare = Commits(folder / "floor.db")
    async with _cell(folder) as cell:
        for number in (n for _ in range(LIVES) for n in range(RUNS)):
            if number == 0:
                await cell.begin(Setup())
                for _ in range(LOG_ROUND):
                    await cell.journal.append(Entry(Kind.EVENT, {"text": "x" * 400}))
            took, made = await _one(cell)
            least = bare.make(made)
            if number >= WARM_UP:
                samples.append(took)
                floors.append(least)
                commits.append(made)
    made, floor = round(quantile(commits, 0.5)), quantile(floors, 0.5)
    beside = quantile(samples, 0.5) - floor
    print(f"diagnosis_5_tools: {made} commits a run, bare {floor:.2f} ms; {beside:.2f} ms beside them")
    return beside_floor("diagnosis_5_tools", samples, floors)


async def _one(cell: LiveCell) -> tuple[float, int]:
    """Milliseconds and commits of one run, which must have come to its conclusion over five tool calls."""
    await cell.script(SCRIPT)
    request, counted = _request(cell.epoch), Counted()
    with counted.at_work():
        began = time.perf_counter()
        events = await cell.submit("operator", request)
        took = (time.perf_counter() - began) * 1000 - counted.model_ms
    content, done = events[-2:]
    assert (content.get("cause"), done["usage"]["tool_calls"]) == ("no_part", len(TOOLS)), events[-2:]
    return took, counted.commits


def _request(epoch: int) -> dict[str, Any]:
    return {
        "v": 1,
        "id": ulid(time.time_ns() // 1_000_000, os.urandom(ULID_ENTROPY_BYTES)),
        "type": "ask",
        "text": "why did t014 fail?",
        "issued_at": utc_text(datetime.now(UTC)),
        "ttl_ms": 5000,
        "epoch": epoch,
        "attached": CLIENT,
    }


@asynccontextmanager
async def _cell(folder: Path) -> AsyncIterator[LiveCell]:
    """The agent over a simulated cell, its journal on this machine's disk."""
    spec = case_spec()
    device = spec.devices[0]
    async with package_of(device).start_simulated(simulator_settings(device)) as rig:
        cell = LiveCell(rig, folder, spec, router(spec))
        try:
            yield cell
        finally:
            await cell.end()
