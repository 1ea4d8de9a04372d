"""What a group hands in, as one HTML page that needs nothing but itself: what was foretold, policy and code diff,
before and after, which lines were used and what each changed, a timeline of each, and the sheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from html import escape
from pathlib import Path
from typing import Final

from edge_agent.cases.report.baseline import Change, compare
from edge_agent.cases.report.page import STYLE
from edge_agent.cases.report.result import Result, load
from edge_agent.cases.report.svg import LANE_NAMES, picture
from edge_agent.cases.verdict import Verdict
from edge_agent.lab.checking import results
from edge_agent.lab.exercise import POLICY, Exercise
from edge_agent.lab.predictions import predictions, read_answers
from edge_agent.lab.sheet import HEADINGS, REASONS, TITLE, reasons, rows
from edge_agent.lab.workbook import AFTER, BEFORE, GIVEN, PREDICTED
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
        "foretold": "第一次运行前的预测",
        "foretold_head": "案例|预测|实际（修改前）|",
        "right": "对",
        "wrong": "不符",
        "blank": "没有预测",
        "diff": "策略改动",
        "no_diff": "没有改动策略文件",
        "code": "代码改动",
        "no_code": "没有改动代码",
        "code_unknown": "没有核对：程序不是从仓库运行的",
        "lines": "使用的案例与变化",
        "lines_head": "案例|原话|应当|实际|变化",
        "timeline": "时间线",
    },
    "en": {
        "title": "Class report",
        "before": "before",
        "after": "after",
        "coverage": "coverage",
        "misfired": "mis-actuation",
        "foretold": "foretold before the first run",
        "foretold_head": "case|foretold|came (before the change)|",
        "right": "right",
        "wrong": "otherwise",
        "blank": "nothing foretold",
        "diff": "what changed in the policy",
        "no_diff": "no policy file was changed",
        "code": "what changed in the code",
        "no_code": "no code was changed",
        "code_unknown": "not looked at: the program does not run from a repository",
        "lines": "lines used, and what each changed",
        "lines_head": "case|text|should be|came|change",
        "timeline": "timelines",
    },
}
MORE_STYLE: Final = """
pre{background:#f4f6f8;padding:8px;overflow:auto}.sheet td,.sheet th{font-size:12px;padding:3px 6px}
.moments td{font-size:11px;padding:0 10px;border:0}figure{margin:12px 0}
"""


def hand_in(base: Path, known: Mapping[str, Exercise], lang: Lang, group: str = "", code: str | None = None) -> str:
    """The page over every exercise in `base` that was checked; `code` is the diff of the program's own files, None
    where nobody could look. Raises `BadFile`, `BadLine`."""
    words = WORDS[lang]
    title = f"{words['title']} {group}".strip()
    parts = [_part(folder, known[folder.name], lang) for folder in results(base) if folder.name in known]
    return (
        f'<!doctype html><html lang="{lang}"><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{STYLE}{MORE_STYLE}</style>"
        f"<body><h1>{escape(title)}</h1>{''.join(parts)}<h2>{words['code']}</h2>{_code(code, words)}</body></html>\n"
    )


def _part(folder: Path, exercise: Exercise, lang: Lang) -> str:
    words, before, after = WORDS[lang], load(folder / BEFORE), load(folder / AFTER)
    told = exercise.told(lang)
    policies = load_policies(folder / POLICY)
    return "".join(
        (
            f"<h2>{escape(told.title)}</h2><p>{escape(told.story)}</p><p><b>{escape(told.question)}</b></p>",
            _figures(words, before, after),
            f"<h3>{words['foretold']}</h3>{_foretold(folder, exercise, before, words)}",
            f"<h3>{words['diff']}</h3>{_diff(folder, words)}",
            f"<h3>{words['lines']}</h3>{_used(words, before, after)}",
            f"<h3>{words['timeline']}</h3>{''.join(_picture(verdict, lang) for verdict in after.cases)}",
            f"<h3>{TITLE[lang]}</h3>{_table(HEADINGS[lang], rows(policies, lang), 'sheet')}",
            _table((REASONS[lang], ""), reasons(policies), "sheet"),
        )
    )


def _foretold(folder: Path, exercise: Exercise, before: Result, words: Mapping[str, str]) -> str:
    ids = {line.id for line in exercise.lines}
    found = predictions(read_answers(folder / PREDICTED), [v for v in before.cases if v.id in ids])
    told = (("blank" if p.blank else "wrong" if p.wrong else "right", p) for p in found)
    body = [(p.id, "" if p.blank else p.said, p.came, words[how]) for how, p in told]
    return _table(words["foretold_head"].split("|"), body)


def _code(diff: str | None, words: Mapping[str, str]) -> str:
    if diff is None:
        return f"<p>{words['code_unknown']}</p>"
    shown = "".join(diff.splitlines(keepends=True)[:MAX_DIFF_LINES])
    return f"<pre>{escape(shown)}</pre>" if shown else f"<p>{words['no_code']}</p>"


def _table(head: Sequence[str], body: Iterable[Sequence[str]], kind: str = "") -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    below = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in body)
    return f'<table class="{kind}"><tr>{top}</tr>{below}</table>'


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


def _used(words: Mapping[str, str], before: Result, after: Result) -> str:
    changes = compare(before, after)
    moved = {c.id: _moved(c) for c in (*changes.better, *changes.worse)}
    body = ((v.id, v.text, v.expected, v.observed, moved.get(v.id, "=")) for v in after.cases)
    return _table(words["lines_head"].split("|"), body)


def _moved(change: Change) -> str:
    ends = (each.observed if each is not None else "-" for each in (change.before, change.after))
    return " → ".join(ends)


def _picture(verdict: Verdict, lang: Lang) -> str:
    """Drawn, and each moment in words beside it: on paper nobody can point at a dot."""
    moments = ((f"{each.at_ms} ms", LANE_NAMES[lang].get(each.lane, each.lane), each.what) for each in verdict.timeline)
    drawn = picture(verdict.timeline, LANE_NAMES[lang])
    return f"<figure><figcaption>{escape(verdict.id)}</figcaption>{drawn}{_table((), moments, 'moments')}</figure>"
