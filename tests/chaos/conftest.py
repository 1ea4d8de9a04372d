"""The figures of a run are shown below its last line."""

from __future__ import annotations

import pytest

from tests.chaos import figures


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if figures.FIGURES:
        terminalreporter.section("figures")
        for line in figures.lines():
            terminalreporter.write_line(line)
