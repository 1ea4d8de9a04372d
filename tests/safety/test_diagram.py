"""The picture in the README is the table's, and today's."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge_agent.safety.cell import TABLE, CellEvent, CellState, Transition
from edge_agent.safety.diagram import BEGIN, END, README, drawn_into, mermaid, write


def test_the_readme_is_current() -> None:
    text = README.read_text(encoding="utf-8")
    assert drawn_into(text, mermaid()) == text, "run: python -m edge_agent.safety.diagram"


def test_every_change_of_state_is_drawn_once() -> None:
    lines = mermaid().splitlines()
    for (source, event), row in TABLE.items():
        arrows = [line for line in lines if line.startswith(f"    {source} --> {row.state}: ")]
        drawn = sum(event in line.replace("<br/>", " · ").split(": ")[1].split(" · ") for line in arrows)
        assert drawn == (source is not row.state), (source, event)


def test_another_table_is_another_picture() -> None:
    other = {**TABLE, (CellState.READY, CellEvent.DEADLINE): Transition(CellState.EXECUTING)}
    assert "    READY --> EXECUTING: DEADLINE" in mermaid(other)


@pytest.mark.parametrize("text", ["", BEGIN, END + BEGIN, BEGIN + END + END, BEGIN + BEGIN + END, BEGIN + END + BEGIN])
def test_markers_stand_once_and_in_order(text: str) -> None:
    with pytest.raises(ValueError, match="once each"):
        drawn_into(text, "x")


def test_it_is_written_once(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    assert write(readme)
    assert not write(readme)
    assert readme.read_text(encoding="utf-8") == f"before\n{BEGIN}\n{mermaid()}\n{END}\nafter\n"
