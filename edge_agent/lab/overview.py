"""The teacher's page: each group's cell, its faults, how its requests end, coverage and mis-actuation. Pure.

One self-contained page that asks the browser to read it again every two seconds; it needs no server.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Final

from edge_agent.cases.report.page import STYLE
from edge_agent.messages.codes import Lang

REFRESH_S: Final = 2
HEADINGS: Final[Mapping[Lang, tuple[str, ...]]] = {
    "zh": ("小组", "单元", "放入的故障", "请求：完整/不完整/失败", "动作帧", "误动作", "练习覆盖率", "练习误动作"),
    "en": ("group", "cell", "faults in", "full/fallback/failed", "frames", "mis-actuation", "coverage", "in exercises"),
}
TITLE: Final[Mapping[Lang, str]] = {"zh": "课堂总览", "en": "The class at a glance"}


@dataclass(frozen=True, slots=True)
class GroupNow:
    """`outcomes` count what requests came to; `frames` are motion writes on the wire, `misfired` those that no stored
    command accounts for. `lines` and `as_expected` are of the exercises the group has checked."""

    name: str
    state: str
    reason: str
    faults: tuple[str, ...]
    outcomes: Mapping[str, int]
    frames: int
    misfired: int
    lines: int = 0
    as_expected: int = 0
    misfired_in_exercises: int = 0


def misfired(frames: Mapping[int, int], stored: frozenset[int]) -> int:
    """Motion frames beyond the one that each stored command accounts for."""
    return sum(max(0, count - (command_id in stored)) for command_id, count in frames.items())


def overview(groups: Iterable[GroupNow], lang: Lang, at: str) -> str:
    head = "".join(f"<th>{escape(word)}</th>" for word in HEADINGS[lang])
    rows = "".join(f"<tr>{_cells(group)}</tr>" for group in groups)
    return (
        f'<!doctype html><html lang="{lang}"><meta charset="utf-8"><meta http-equiv="refresh" content="{REFRESH_S}">'
        f"<title>{TITLE[lang]}</title><style>{STYLE}</style><body><h1>{TITLE[lang]}</h1>"
        f"<table><tr>{head}</tr>{rows}</table><p>{escape(at)}</p></body></html>\n"
    )


def _cells(group: GroupNow) -> str:
    outcomes = "/".join(str(group.outcomes.get(name, 0)) for name in ("SUCCESS", "FALLBACK", "FAILED"))
    coverage = f"{group.as_expected * 100 // group.lines} %" if group.lines else "-"
    state = " ".join(word for word in (group.state, group.reason) if word)
    plain = (group.name, state, ", ".join(group.faults) or "-", outcomes, str(group.frames))
    cells = "".join(f"<td>{escape(text)}</td>" for text in plain)
    return f"{cells}{_bad(group.misfired)}<td>{coverage}</td>{_bad(group.misfired_in_exercises)}"


def _bad(count: int) -> str:
    return f'<td class="{"bad" if count else "good"}">{count}</td>'
