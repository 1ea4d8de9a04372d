"""The cell's table as a picture (Mermaid) in this room's README.

`python -m edge_agent.safety.diagram` writes it between the markers; a test holds it current. Pairs that leave the
state where it is are not drawn; pairs with the same two ends share an arrow.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from edge_agent.safety.cell import TABLE, CellEvent, CellState, Transition

README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- diagram: begin -->", "<!-- diagram: end -->"
START = CellState.OFFLINE
EVENTS_A_LINE = 3


def mermaid(table: Mapping[tuple[CellState, CellEvent], Transition] = TABLE) -> str:
    arrows = _arrows(table)
    lines = ["```mermaid", "stateDiagram-v2", f"    [*] --> {START}"]
    lines += [f"    {source} --> {target}: {_label(events)}" for (source, target), events in arrows.items()]
    return "\n".join([*lines, "```"])


def _arrows(
    table: Mapping[tuple[CellState, CellEvent], Transition],
) -> dict[tuple[CellState, CellState], list[CellEvent]]:
    """Events by their two ends, in the order of the states' and events' own lists."""
    arrows: dict[tuple[CellState, CellState], list[CellEvent]] = {}
    for source in CellState:
        for target in CellState:
            events = [event for event in CellEvent if table[source, event].state is target]
            if source is not target and events:
                arrows[source, target] = events
    return arrows


def _label(events: list[CellEvent]) -> str:
    rows = [events[i : i + EVENTS_A_LINE] for i in range(0, len(events), EVENTS_A_LINE)]
    return "<br/>".join(" · ".join(row) for row in rows)


def drawn_into(text: str, picture: str) -> str:
    """`text` with the picture between its markers. Raises `ValueError` where they are not there once, in order."""
    before, begin, rest = text.partition(BEGIN)
    old, end, after = rest.partition(END)
    if not (begin and end) or BEGIN in old + after or END in after:
        raise ValueError(f"the text needs {BEGIN} and then {END}, once each")
    return f"{before}{BEGIN}\n{picture}\n{END}{after}"


def write(readme: Path = README) -> bool:
    """True when the file was out of date."""
    text = readme.read_text(encoding="utf-8")
    current = drawn_into(text, mermaid())
    if current != text:
        readme.write_text(current, encoding="utf-8")
    return current != text


if __name__ == "__main__":  # pragma: no cover - a line for the shell
    print(f"{README}: {'written' if write() else 'current'}")
