"""Pictures of the report as inline SVG: bars of the categories, and the timeline of one line. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from edge_agent.cases.report.result import ScoreRow
from edge_agent.cases.timeline import LANES
from edge_agent.cases.verdict import At
from edge_agent.messages.codes import Lang

BAR_WIDTH: Final = 420
BAR_HEIGHT: Final = 18
NAME_WIDTH: Final = 230
TIMELINE_WIDTH: Final = 620
LANE_HEIGHT: Final = 16
LANE_NAME_WIDTH: Final = 80
LANE_NAMES: Final[Mapping[Lang, Mapping[str, str]]] = {
    "zh": {"said": "说", "understood": "理解", "tools": "工具", "arm": "手臂", "told": "告知"},
    "en": {lane: lane for lane in LANES},
}


def bars(rows: Sequence[ScoreRow]) -> str:
    """One bar a category: what came out as expected, and the number of misfires behind it."""
    height = BAR_HEIGHT * len(rows)
    drawn = "".join(_bar(number, row) for number, row in enumerate(rows))
    width = NAME_WIDTH + BAR_WIDTH + 150
    return (
        f'<svg class="bars" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">{drawn}</svg>'
    )


def picture(moments: Sequence[At], names: Mapping[str, str] = LANE_NAMES["en"]) -> str:
    """Moments on five lanes, from the first row to the last; each names itself when pointed at."""
    if not moments:
        return ""
    span_ms = max(1, moments[-1].at_ms)
    height = LANE_HEIGHT * (len(LANES) + 1)
    lanes = "".join(_lane(number, names[lane]) for number, lane in enumerate(LANES))
    dots = "".join(_dot(moment, span_ms) for moment in moments)
    scale = f'<text x="{TIMELINE_WIDTH}" y="{height - 4}" text-anchor="end">{span_ms} ms</text>'
    width = TIMELINE_WIDTH + 10
    return (
        f'<svg class="tl" viewBox="0 0 {width} {height}" width="{width}" height="{height}">{lanes}{dots}{scale}</svg>'
    )


def _bar(number: int, row: ScoreRow) -> str:
    y, good = number * BAR_HEIGHT, round(BAR_WIDTH * row.coverage)
    misfired = f' <tspan class="bad">{row.misfired} misfired</tspan>' if row.misfired else ""
    return (
        f'<text x="{NAME_WIDTH - 6}" y="{y + 13}" text-anchor="end">{escape(row.name)}</text>'
        f'<rect class="no" x="{NAME_WIDTH}" y="{y + 3}" width="{BAR_WIDTH}" height="12"/>'
        f'<rect class="ok" x="{NAME_WIDTH}" y="{y + 3}" width="{good}" height="12"/>'
        f'<text x="{NAME_WIDTH + BAR_WIDTH + 6}" y="{y + 13}">{row.as_expected}/{row.lines}{misfired}</text>'
    )


def _lane(number: int, name: str) -> str:
    y = number * LANE_HEIGHT + 10
    return f'<text x="0" y="{y + 4}">{name}</text><path d="M{LANE_NAME_WIDTH} {y}H{TIMELINE_WIDTH}"/>'


def _dot(moment: At, span_ms: int) -> str:
    x = LANE_NAME_WIDTH + round((TIMELINE_WIDTH - LANE_NAME_WIDTH) * moment.at_ms / span_ms)
    y = LANES.index(moment.lane) * LANE_HEIGHT + 10 if moment.lane in LANES else 10
    return f'<circle cx="{x}" cy="{y}" r="4"><title>{moment.at_ms} ms {escape(moment.what)}</title></circle>'
