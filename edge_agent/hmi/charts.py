"""Charts as SVG, drawn from numbers and escaped words: no library, nothing from elsewhere. Pure text.

A chart has the same units everywhere: 320 wide, its height as it needs. Each says its figures in words as well
(`aria-label`), because a bar is nothing to somebody who hears the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, log10
from typing import Final

WIDTH: Final = 320.0
LEFT: Final = 44.0
ROW: Final = 27.0
TALL: Final = 150.0
FOOT: Final = 18.0
COLOURS: Final = ("#12518f", "#f2a33a", "#1b7547", "#6a3d9c", "#0f8a9d", "#b5553c", "#7d8a20", "#566575")
"""Told apart by lightness too, for eyes that see no red or green."""


@dataclass(frozen=True, slots=True)
class Bar:
    """`share` of the full width, 0 to 1; `told` stands at its end."""

    name: str
    share: float
    told: str
    colour: str = COLOURS[0]


@dataclass(frozen=True, slots=True)
class Stack:
    """One column of a chart over time: its label (or none) and its layers from below."""

    label: str
    layers: tuple[int, ...]


def bars(rows: Sequence[Bar], label: str, name_width: float = 112.0) -> str:
    """Lying bars, one a row."""
    room = WIDTH - name_width - 58
    parts = []
    for number, row in enumerate(rows):
        y = number * ROW
        long = max(2.0 if row.share > 0 else 0.0, room * min(1.0, max(0.0, row.share)))
        parts.append(
            f'<text x="{name_width - 8:g}" y="{y + 17:g}" text-anchor="end">{escape(row.name)}</text>'
            f'<rect x="{name_width:g}" y="{y + 4:g}" width="{room:g}" height="17" rx="4" fill="#edf1f4"/>'
            f'<rect x="{name_width:g}" y="{y + 4:g}" width="{long:.1f}" height="17" rx="4" fill="{row.colour}"/>'
            f'<text x="{name_width + room + 7:g}" y="{y + 17:g}">{escape(row.told)}</text>'
        )
    return _svg("".join(parts), max(ROW, len(rows) * ROW), label)


def stacks(columns: Sequence[Stack], label: str) -> str:
    """Standing columns in layers, over time, with a scale of whole numbers."""
    top = _round_up(max((sum(c.layers) for c in columns), default=0))
    step = (WIDTH - LEFT) / max(1, len(columns))
    parts = [_scale(top, str)]
    for number, column in enumerate(columns):
        x, y = LEFT + number * step, TALL
        for layer, count in enumerate(column.layers):
            high = (TALL - 8) * count / top
            y -= high
            parts.append(
                f'<rect x="{x + step * 0.14:.1f}" y="{y:.1f}" width="{step * 0.72:.1f}" height="{high:.1f}" '
                f'fill="{COLOURS[layer % len(COLOURS)]}"/>'
            )
        if column.label:
            anchor = "start" if number == 0 else "end" if number == len(columns) - 1 else "middle"
            at = LEFT if number == 0 else WIDTH if number == len(columns) - 1 else x + step / 2
            parts.append(f'<text x="{at:.1f}" y="{TALL + 14:g}" text-anchor="{anchor}">{escape(column.label)}</text>')
    return _svg("".join(parts), TALL + FOOT, label)


def spread(values_ms: Sequence[float], marks_ms: Sequence[tuple[str, float]], label: str) -> str:
    """Each value a dot, in the order of time, on a logarithmic scale; marks are lines across."""
    most = max((*values_ms, *(at for _, at in marks_ms), 10.0))
    decades = max(1, ceil(log10(most)))
    step = (WIDTH - LEFT - 12) / max(1, len(values_ms))

    def high(ms: float) -> float:
        return TALL - (TALL - 8) * log10(max(1.0, ms)) / decades

    parts = []
    for decade in range(decades + 1):
        y = high(10.0**decade)
        told = f"{10**decade} ms" if decade < 3 else f"{10 ** (decade - 3)} s"
        parts.append(
            f'<line x1="{LEFT + 8:g}" x2="{WIDTH:g}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e3e9ee"/>'
            f'<text x="{LEFT + 4:g}" y="{y + 4:.1f}" text-anchor="end">{told}</text>'
        )
    for number, value in enumerate(values_ms):
        x = LEFT + 14 + step * (number + 0.5)
        parts.append(f'<circle cx="{x:.1f}" cy="{high(value):.1f}" r="3.2" fill="#12518f" fill-opacity=".55"/>')
    for name, at in marks_ms:
        y = high(at)
        parts.append(
            f'<line x1="{LEFT + 8:g}" x2="{WIDTH:g}" y1="{y:.1f}" y2="{y:.1f}" '
            f'stroke="#b5553c" stroke-dasharray="5 4"/>'
            f'<text x="{WIDTH:g}" y="{y - 4:.1f}" text-anchor="end">{escape(name)}</text>'
        )
    return _svg("".join(parts), TALL + 8, label)


def _scale(top: int, told: type[str]) -> str:
    return "".join(
        f'<line x1="{LEFT:g}" x2="{WIDTH:g}" y1="{TALL - (TALL - 8) * share:.1f}" y2="{TALL - (TALL - 8) * share:.1f}" '
        f'stroke="#e3e9ee"/><text x="{LEFT - 6:g}" y="{TALL - (TALL - 8) * share + 4:.1f}" '
        f'text-anchor="end">{told(round(top * share))}</text>'
        for share in (0.0, 0.5, 1.0)
    )


def _round_up(most: int) -> int:
    """The next even number that reads well; never below 2, so that the middle line is whole."""
    for top in (2, 4, 6, 10, 20, 40, 60, 100, 200, 400, 600, 1000):
        if most <= top:
            return top
    return ceil(most / 1000) * 1000


def _svg(inner: str, height: float, label: str) -> str:
    return f'<svg viewBox="0 0 {WIDTH:g} {height:g}" role="img" aria-label="{escape(label)}">{inner}</svg>'
