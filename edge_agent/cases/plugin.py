"""pytest collects case files: `pytest labeled_cases`, one item a line. Registered by the package's entry point.

pytest loads this module at every start, so it imports nothing of the agent: a coverage run would find the agent
loaded before it began to measure. What collects and runs is loaded with the first case file that is met.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

FOLDER: Final = "labeled_cases"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix != ".jsonl" or FOLDER not in file_path.parts:
        return None
    collected: pytest.Collector = import_module("edge_agent.cases.collect").CaseFile.from_parent(parent, path=file_path)
    return collected
