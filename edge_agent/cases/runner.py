"""All lines over a few cells at once, in the order they were read; each cell runs one line at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Final

from edge_agent.cases.cell import CellFactory, CellUnderTest
from edge_agent.cases.conduct import Hands, conduct
from edge_agent.cases.files import Placed
from edge_agent.cases.line import CaseLine, SentenceLine
from edge_agent.cases.mechanisms import Mechanism
from edge_agent.cases.record import CaseRecord
from edge_agent.cases.sentences import Reader
from edge_agent.cases.verdict import Verdict, of_case, of_sentence

DEFAULT_JOBS: Final = 4
"""A line mostly waits for the controller, so more cells than cores pay."""
MAX_JOBS: Final = 16


@dataclass(frozen=True, slots=True)
class Bench:
    """What lines run on: where cells come from, who reads sentences, the runner's own clock and chance."""

    cells: CellFactory
    read: Reader
    hands: Hands


@dataclass(frozen=True, slots=True)
class Ran:
    """A verdict with the record it rests on; sentences have none."""

    verdict: Verdict
    record: CaseRecord | None = None


@dataclass(slots=True)
class _Queue:
    lines: Iterator[tuple[int, Placed]]
    done: dict[int, Ran] = field(default_factory=dict)


async def run_lines(
    bench: Bench,
    lines: Sequence[Placed],
    *,
    jobs: int = DEFAULT_JOBS,
    without: frozenset[Mechanism] = frozenset(),
    on_done: Callable[[Ran], None] = lambda _: None,
) -> tuple[Ran, ...]:
    """Every line's verdict, in the order of `lines`; `on_done` hears of each as it comes."""
    queue = _Queue(iter(enumerate(lines)))
    async with AsyncExitStack() as stack:
        workers = min(jobs, MAX_JOBS, max(1, len(lines)))
        cells = [await stack.enter_async_context(bench.cells()) for _ in range(_cells(lines, workers))]
        async with asyncio.TaskGroup() as group:
            for number in range(workers):
                cell = cells[number] if cells else None
                group.create_task(_work(bench, cell, queue, without, on_done))
    return tuple(queue.done[number] for number in range(len(lines)))


async def run_line(
    bench: Bench, cell: CellUnderTest | None, placed: Placed, without: frozenset[Mechanism] = frozenset()
) -> Ran:
    """One line. `cell` is needed for a pipeline case alone."""
    if isinstance(placed.line, SentenceLine):
        return await _read(bench, placed, placed.line, without)
    if cell is None:
        raise ValueError("a pipeline case needs a cell")
    return await _run(bench, cell, placed, placed.line, without)


def _cells(lines: Sequence[Placed], workers: int) -> int:
    """No cell where no line needs one."""
    return workers if any(isinstance(placed.line, CaseLine) for placed in lines) else 0


async def _work(
    bench: Bench,
    cell: CellUnderTest | None,
    queue: _Queue,
    without: frozenset[Mechanism],
    on_done: Callable[[Ran], None],
) -> None:
    for number, placed in queue.lines:
        ran = await run_line(bench, cell, placed, without)
        queue.done[number] = ran
        on_done(ran)


async def _run(bench: Bench, cell: CellUnderTest, placed: Placed, line: CaseLine, without: frozenset[Mechanism]) -> Ran:
    record = await conduct(cell, line, bench.hands, without)
    return Ran(of_case(placed, line, record), record)


async def _read(bench: Bench, placed: Placed, line: SentenceLine, without: frozenset[Mechanism]) -> Ran:
    began_s = bench.hands.monotonic_s()
    read = await bench.read(line.text, llm_available=line.llm_available, without=without)
    return Ran(of_sentence(placed, line, read, (bench.hands.monotonic_s() - began_s) * 1000))
