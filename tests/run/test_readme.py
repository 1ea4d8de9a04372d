"""The room's README names every limit and every reason to stop."""

from __future__ import annotations

from pathlib import Path

import edge_agent.run
from edge_agent.run.budget import BudgetKind
from edge_agent.run.collection import StopReason

README = (Path(edge_agent.run.__path__[0]) / "README.md").read_text(encoding="utf-8")


def test_every_word_is_there() -> None:
    assert [word for word in (*BudgetKind, *StopReason) if f"`{word}`" not in README] == []
