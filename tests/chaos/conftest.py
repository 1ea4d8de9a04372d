"""A lane for all tests that tell one story at a time; and the figures of a run, shown below its last line."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.chaos import figures
from tests.chaos.site import Lane, lane


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def here() -> AsyncIterator[Lane]:
    async with lane() as shared:
        yield shared


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def certified() -> AsyncIterator[Lane]:
    """The same, with client certificates in place of passwords."""
    async with lane("certificate") as shared:
        yield shared


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if figures.FIGURES:
        terminalreporter.section("figures")
        for line in figures.lines():
            terminalreporter.write_line(line)
