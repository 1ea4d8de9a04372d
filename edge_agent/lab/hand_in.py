"""What a group hands in, as one HTML page that needs nothing but itself: sheet, policy diff, before and after, a
timeline of each case, and which lines were used and what each changed. Pure but for the files it reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import unified_diff
from html import escape
from pathlib import Path
from typing import Final

from edge_agent.cases.report.baseline import Change, compare
from edge_agent.cases.report.page import STYLE
from edge_agent.cases.report.result import Result, load
from edge_agent.cases.report.svg import picture
from edge_agent.cases.verdict import Verdict
from edge_agent.lab.checking import results
from edge_agent.lab.exercise import POLICY, Exercise
from edge_agent.lab.sheet import sheet
from edge_agent.lab.workbook import AFTER, BEFORE, GIVEN
from edge_agent.messages.codes import Lang
from edge_agent.policies import load_policies

MAX_DIFF_LINES: Final = 400
WORDS: Final[Mapping[Lang, Mapping[str, str]]] = {
    "zh": {
        "title": "课堂报告",
        "before": "修改前",
        "after": "修改后",
        "coverage": "覆盖率",
        "misfired": "误动作",
        "diff": "策略改动",
        "no_diff": "没有改动策略文件",
        "code": "代码改动：无（只改策略文件）",
        "lines": "使用的案例与变化",
        "timeline": "时间线",
    },
    "en": {
        "title": "Class report",
        "before": "before",
        "after": "after",
        "coverage": "coverage",
        "misfired": "mis-actuation",
        "diff": "what changed in the policy",
        "no_diff": "no policy file was changed",
        "code": "code changed: none (policy files alone)",
        "lines": "lines used, and what each changed",
        "timeline": "timelines",
    },
}


def hand_in(base: Path, known: Mapping[str, Exercise], lang: Lang, group: str = "") -> str:
    """The page over every exercise in `base` that was checked. Raises `BadFile`, `BadLine`."""
    words = WORDS[lang]
    title = f"{words['title']} {group}".strip()
    parts = [_part(folder, known[folder.name], lang) for folder in results(base) if folder.name in known]
    return (
        f'<!doctype html><html lang="{lang}"><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{STYLE}pre{{background:#f4f6f8;padding:8px;overflow:auto}}</style>"
        f"<body><h1>{escape(title)}</h1>{''.join(parts)}</body></html>\n"
    )


def _part(folder: Path, exercise: Exercise, lang: Lang) -> str:
    words, before, after = WORDS[lang], load(folder / BEFORE), load(folder / AFTER)
    told = exercise.told(lang)
    policies = load_policies(folder / POLICY)
    return "".join(
        (
            f"<h2>{escape(told.title)}</h2><p>{escape(told.story)}</p><p><b>{escape(told.question)}</b></p>",
            _figures(words, before, after),
            f"<h3>{words['diff']}</h3>{_diff(folder, words)}<p>{words['code']}</p>",
            f"<h3>{words['lines']}</h3>{_used(before, after)}",
            f"<h3>{words['timeline']}</h3>{''.join(map(_picture, after.cases))}",
            f"<pre>{escape(sheet(policies, lang))}</pre>",
        )
    )


def _figures(words: Mapping[str, str], before: Result, after: Result) -> str:
    rows = (("", words["coverage"], words["misfired"]), *(_row(words[n], r) for n, r in _both(before, after)))
    cells = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    return f'<table class="figures">{"".join(f"<tr>{row}</tr>" for row in cells)}</table>'


def _both(before: Result, after: Result) -> tuple[tuple[str, Result], ...]:
    return ("before", before), ("after", after)


def _row(name: str, result: Result) -> tuple[str, str, str]:
    total = result.total
    return name, f"{total.coverage * 100:.0f} % ({total.as_expected}/{total.lines})", str(total.misfired)


def _diff(folder: Path, words: Mapping[str, str]) -> str:
    lines = [line for name in _names(folder) for line in _file_diff(folder, name)][:MAX_DIFF_LINES]
    return f"<pre>{escape(''.join(lines))}</pre>" if lines else f"<p>{words['no_diff']}</p>"


def _names(folder: Path) -> list[Path]:
    both = (folder / GIVEN, folder / POLICY)
    return sorted({file.relative_to(at) for at in both for file in at.rglob("*") if file.is_file()})


def _file_diff(folder: Path, name: Path) -> Iterator[str]:
    old, new = (_lines(folder / at / name) for at in (GIVEN, POLICY))
    return unified_diff(old, new, f"given/{name}", f"policy/{name}", n=1)


def _lines(file: Path) -> list[str]:
    return file.read_text("utf-8").splitlines(keepends=True) if file.is_file() else []


def _used(before: Result, after: Result) -> str:
    changes = compare(before, after)
    moved = {c.id: _moved(c) for c in (*changes.better, *changes.worse)}
    rows = "".join(
        f"<tr><td><code>{escape(v.id)}</code></td><td>{escape(v.text)}</td><td>{escape(v.expected)}</td>"
        f"<td>{escape(v.observed)}</td><td>{escape(moved.get(v.id, '='))}</td></tr>"
        for v in after.cases
    )
    return f"<table>{rows}</table>"


def _moved(change: Change) -> str:
    ends = (each.observed if each is not None else "-" for each in (change.before, change.after))
    return " → ".join(ends)


def _picture(verdict: Verdict) -> str:
    return f"<figure><figcaption>{escape(verdict.id)}</figcaption>{picture(verdict.timeline)}</figure>"
