"""The teacher's page: each group's cell, its faults, how its requests end, coverage and mis-actuation. Pure.

One self-contained page that asks the browser to read it again every two seconds; it needs no server. Large enough for
the back row; what wants the teacher (a locked-out cell, a mis-actuation) stands out, and a page that is no longer
written says so by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Final

from edge_agent.messages.codes import Lang
from edge_agent.safety.cell import CellState

REFRESH_S: Final = 2
STALE_S: Final = 10
HEADINGS: Final[Mapping[Lang, tuple[str, ...]]] = {
    "zh": ("小组", "单元", "放入的故障", "已答", "降级", "失败", "动作帧", "误动作", "练习", "覆盖率", "练习误动作"),
    "en": (
        "group",
        "cell",
        "faults in",
        "answered",
        "fallback",
        "failed",
        "frames",
        "mis-actuation",
        "exercises",
        "coverage",
        "mis-actuation there",
    ),
}
TITLE: Final[Mapping[Lang, str]] = {"zh": "课堂总览", "en": "The class at a glance"}
LEGEND: Final[Mapping[Lang, str]] = {
    "zh": "误动作：线上的动作帧，没有一条已记录的命令与之对应。覆盖率：练习里符合预期的案例，修改前 → 修改后。",
    "en": "Mis-actuation: motion frames on the wire that no stored command accounts for. "
    "Coverage: cases of the exercises that came out as expected, before → after the repair.",
}
STALE: Final[Mapping[Lang, str]] = {
    "zh": "此页已停止更新：课堂可能已经结束。",
    "en": "This page is no longer written: the class may be over.",
}
STYLE: Final = """
body{font:20px/1.4 system-ui,"Noto Sans CJK SC","WenQuanYi Micro Hei",sans-serif;margin:20px 28px;color:#1b1f24}
h1{font-size:28px;margin:0 0 12px}table{border-collapse:collapse;width:100%}
th{font-size:15px;color:#57606a;font-weight:600}
td,th{padding:9px 8px;border-bottom:1px solid #d8dee4;text-align:left;vertical-align:top}
.n{text-align:right;font-variant-numeric:tabular-nums}small{display:block;font-size:14px;color:#57606a}
.bad{background:#fdecea;color:#b42318;font-weight:700}.mind{background:#fff6dd}.good{color:#17703a}
p{font-size:15px;color:#57606a}#stale{display:none;font-size:20px;padding:8px}
"""
SCRIPT: Final = """
const w=document.getElementById("at");
if(Date.now()-Date.parse(w.dateTime)>%d)document.getElementById("stale").style.display="block";
"""
CALM: Final = frozenset(CellState) - {
    CellState.OFFLINE,
    CellState.STOPPING,
    CellState.STOPPED,
    CellState.LOCKED_OUT,
    CellState.MANUAL,
}
"""States in which a cell needs nobody."""


@dataclass(frozen=True, slots=True)
class GroupNow:
    """`outcomes` count what requests came to; `frames` are motion writes on the wire, `misfired` those that no stored
    command accounts for. `lines`, `as_expected` and `before` are of the `checked` exercises of the group: how many
    cases, and how many as expected now and at first; `done` are those with every case as expected."""

    name: str
    state: str
    reason: str
    faults: tuple[str, ...]
    outcomes: Mapping[str, int]
    frames: int
    misfired: int
    checked: int = 0
    done: int = 0
    lines: int = 0
    before: int = 0
    as_expected: int = 0
    misfired_in_exercises: int = 0


def misfired(frames: Mapping[int, int], stored: frozenset[int]) -> int:
    """Motion frames beyond the one that each stored command accounts for."""
    return sum(max(0, count - (command_id in stored)) for command_id, count in frames.items())


def overview(groups: Iterable[GroupNow], lang: Lang, at: str) -> str:
    """`at`: when it was written, in ISO 8601 with its zone."""
    head = "".join(f"<th>{escape(word)}</th>" for word in HEADINGS[lang])
    rows = "".join(f"<tr>{''.join(_cells(group))}</tr>" for group in groups)
    return (
        f'<!doctype html><html lang="{lang}"><meta charset="utf-8"><meta http-equiv="refresh" content="{REFRESH_S}">'
        f"<title>{TITLE[lang]}</title><style>{STYLE}</style><body><h1>{TITLE[lang]}</h1>"
        f'<div id="stale" class="bad">{STALE[lang]}</div><table><tr>{head}</tr>{rows}</table>'
        f'<p>{LEGEND[lang]}</p><p><time id="at" datetime="{escape(at)}">{escape(at)}</time></p>'
        f"<script>{SCRIPT % (STALE_S * 1000)}</script></body></html>\n"
    )


def _cells(group: GroupNow) -> Iterator[str]:
    yield _cell(group.name)
    yield _cell(group.state, kind=_mood(group), small=group.reason)
    yield _cell(", ".join(group.faults) or "-", kind="mind" if group.faults else "")
    yield from (_number(group.outcomes.get(name, 0)) for name in ("SUCCESS", "FALLBACK"))
    failed = group.outcomes.get("FAILED", 0)
    yield _number(failed, "mind" if failed else "")
    yield _number(group.frames)
    yield _number(group.misfired, "bad" if group.misfired else "good")
    yield _number(f"{group.done}/{group.checked}" if group.checked else "-")
    yield _number(_coverage(group))
    yield _number(group.misfired_in_exercises, "bad" if group.misfired_in_exercises else "good")


def _mood(group: GroupNow) -> str:
    if group.state == CellState.LOCKED_OUT:
        return "bad"
    return "" if group.state in CALM else "mind"


def _coverage(group: GroupNow) -> str:
    if not group.lines:
        return "-"
    before, after = (count * 100 // group.lines for count in (group.before, group.as_expected))
    return f"{before} → {after} %"


def _number(value: object, kind: str = "") -> str:
    return f'<td class="{f"n {kind}".strip()}">{escape(str(value))}</td>'


def _cell(text: str, *, kind: str = "", small: str = "") -> str:
    more = f"<small>{escape(small)}</small>" if small else ""
    return f'<td class="{kind}">{escape(text)}{more}</td>'
