"""Case files as pytest collects them: one item a line, all on one cell that lives as long as the session."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import AsyncExitStack
from typing import Any, Final

import pytest

from edge_agent.cases.cell import CellUnderTest
from edge_agent.cases.files import Placed, read_file
from edge_agent.cases.line import BadLine, SentenceLine
from edge_agent.cases.live_bench import bench
from edge_agent.cases.runner import Bench, Ran, run_line

SESSION: Final = pytest.StashKey["CaseSession"]()


class CaseSession:
    """One event loop and one cell for all items; the cell is started for the first line that needs it."""

    def __init__(self, on: Bench) -> None:
        self._on = on
        self._loop = asyncio.Runner()
        self._stack = AsyncExitStack()
        self._cell: CellUnderTest | None = None

    def run(self, placed: Placed) -> Ran:
        return self._loop.run(self._run(placed))

    def close(self) -> None:
        self._loop.run(self._stack.aclose())
        self._loop.close()

    async def _run(self, placed: Placed) -> Ran:
        if self._cell is None and not isinstance(placed.line, SentenceLine):
            self._cell = await self._stack.enter_async_context(self._on.cells())
        return await run_line(self._on, self._cell, placed)


class CaseFile(pytest.File):
    def collect(self) -> Iterable[CaseItem]:
        try:
            lines = read_file(self.path)
        except BadLine as error:
            raise self.CollectError(str(error)) from error
        for placed in lines:
            yield CaseItem.from_parent(self, name=placed.id, placed=placed)


class LineFailed(Exception):
    """A line came out otherwise; `str()` is what differs."""


class CaseItem(pytest.Item):
    def __init__(self, *, placed: Placed, **more: Any) -> None:
        super().__init__(**more)
        self.placed = placed

    def runtest(self) -> None:
        verdict = session_of(self.config).run(self.placed).verdict
        if not verdict.passed:
            told = "\n".join(f"  {d.name}: expected {d.expected}, seen {d.seen}" for d in verdict.differs)
            raise LineFailed(f"expected {verdict.expected}, observed {verdict.observed}\n{told}\n  why: {verdict.why}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, LineFailed):
            return f"{self.placed.file}:{self.placed.number}: {self.placed.line.text}\n{excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int, str]:
        return self.path, self.placed.number - 1, self.placed.id


def session_of(config: pytest.Config) -> CaseSession:
    """The session's cell; ended with pytest's own end."""
    if SESSION not in config.stash:
        session = CaseSession(bench())
        config.stash[SESSION] = session
        config.add_cleanup(session.close)
    return config.stash[SESSION]
