"""The report as one HTML page that needs nothing but itself: figures, charts, every failing line, every timeline. Pure.

Timelines are drawn as long as the page stays below its bound; those of failing lines come first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Final

from edge_agent.cases.report.baseline import Change, Comparison
from edge_agent.cases.report.result import Result
from edge_agent.cases.report.svg import bars, picture
from edge_agent.cases.verdict import Verdict

MAX_BYTES: Final = 3_000_000
RESERVE_BYTES: Final = 100_000
"""For everything that is not a line of the table."""

STYLE: Final = """
body{font:14px/1.45 system-ui,"Noto Sans CJK SC","WenQuanYi Micro Hei",sans-serif}
body{margin:24px;max-width:1100px;color:#1b1f24}
h1{font-size:22px}h2{font-size:17px;margin-top:28px}
table{border-collapse:collapse}
td,th{padding:3px 10px;border-bottom:1px solid #d8dee4;text-align:left;vertical-align:top}
.figures td{font-size:20px}.bad{color:#b42318;fill:#b42318;font-weight:600}.good{color:#17703a}
svg text{font:11px system-ui,sans-serif}.bars .no{fill:#f0c9c5}.bars .ok{fill:#6bbf8a}
.tl path{stroke:#d8dee4}.tl circle{fill:#3b6fd4;opacity:.75}
details{border-bottom:1px solid #eef1f4;padding:2px 0}summary{cursor:pointer}code{background:#f4f6f8;padding:0 4px}
.why{color:#57606a}
"""


def render(result: Result, comparison: Comparison | None = None) -> str:
    """The page. At most `MAX_BYTES` in UTF-8: timelines that no longer fit are left out, and it says so."""
    head = _head(result)
    before = "" if comparison is None else _comparison(comparison)
    failing = [v for v in result.cases if not v.passed]
    passing = [v for v in result.cases if v.passed]
    budget = _Budget(MAX_BYTES - RESERVE_BYTES - _size(head) - _size(before))
    bad = _section("Lines that came out otherwise", failing, budget)
    good = _section("Lines as expected", passing, budget)
    note = f"<p>{budget.dropped} timelines were left out to keep the page small.</p>" if budget.dropped else ""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Labelled cases</title>'
        f"<style>{STYLE}</style><body>{head}{before}{bad}{good}{note}</body></html>\n"
    )


class _Budget:
    """How many bytes are left for lines; counts the timelines that found no room."""

    def __init__(self, left: int) -> None:
        self.left, self.dropped = left, 0

    def with_picture(self, plain: str, draw: Callable[[], str]) -> str:
        self.left -= _size(plain)
        drawn = draw()
        if _size(drawn) > self.left:
            self.dropped += 1
            return ""
        self.left -= _size(drawn)
        return drawn


def _head(result: Result) -> str:
    row = result.total
    without = f"<p class=bad>Switched off: {escape(', '.join(result.without))}</p>" if result.without else ""
    misfired = "bad" if row.misfired else "good"
    return (
        f"<h1>Labelled cases</h1><p>{escape(result.began_at)}, {result.took_s} s</p>{without}"
        "<table class=figures><tr><th>coverage</th><th>mis-actuation</th><th>lines</th></tr>"
        f"<tr><td>{_percent(row.coverage)}</td><td class={misfired}>{row.misfired}</td>"
        f"<td>{row.as_expected} of {row.lines} as expected</td></tr></table>"
        f"<h2>By category</h2>{bars(result.categories)}<h2>Expected and observed</h2>{_confusion(result)}"
    )


def _confusion(result: Result) -> str:
    rows = "".join(
        f"<tr{' class=bad' if c.expected != c.observed else ''}><td>{escape(c.expected)}</td>"
        f"<td>{escape(c.observed)}</td><td>{c.count}</td></tr>"
        for c in result.confusion
    )
    return f"<table><tr><th>expected</th><th>observed</th><th>lines</th></tr>{rows}</table>"


def _comparison(found: Comparison) -> str:
    before, after = found.before, found.after
    figures = (
        "<table class=figures><tr><th></th><th>before</th><th>after</th></tr>"
        f"<tr><th>coverage</th><td>{_percent(before.coverage)}</td><td>{_percent(after.coverage)}</td></tr>"
        f"<tr><th>mis-actuation</th><td>{before.misfired}</td><td>{after.misfired}</td></tr></table>"
    )
    lists = (("better", found.better), ("worse", found.worse), ("new", found.new), ("gone", found.gone))
    return f"<h2>Before and after</h2>{figures}" + "".join(_changes(name, changes) for name, changes in lists)


def _changes(name: str, changes: Sequence[Change]) -> str:
    if not changes:
        return f"<p>{name}: none</p>"
    rows = "".join(
        f"<tr><td><code>{escape(c.id)}</code></td><td>{_end(c.before)}</td><td>{_end(c.after)}</td></tr>"
        for c in changes
    )
    return f"<h3>{name}: {len(changes)}</h3><table><tr><th>line</th><th>before</th><th>after</th></tr>{rows}</table>"


def _end(verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    mark = "good" if verdict.passed else "bad"
    misfired = f", {verdict.misfired} misfired" if verdict.misfired else ""
    return f"<span class={mark}>{escape(verdict.observed)}{misfired}</span>"


def _section(title: str, verdicts: Sequence[Verdict], budget: _Budget) -> str:
    lines = "".join(_line(verdict, budget) for verdict in verdicts)
    return f"<h2>{title}: {len(verdicts)}</h2>{lines}"


def _line(verdict: Verdict, budget: _Budget) -> str:
    mark = "good" if verdict.passed else "bad"
    summary = (
        f"<summary><code>{escape(verdict.id)}</code> {escape(verdict.text)} "
        f"<span class={mark}>{escape(verdict.expected)}{_observed(verdict)}</span></summary>"
    )
    why = f"<p class=why>{escape(verdict.why)}</p>" if verdict.why else ""
    facts = f"<p>{escape(verdict.file)}:{verdict.line}, {verdict.frames} motion frames, {verdict.took_ms} ms</p>"
    plain = f"<details{'' if verdict.passed else ' open'}>{summary}{why}{facts}{_differs(verdict)}</details>"
    drawn = budget.with_picture(plain, lambda: picture(verdict.timeline))
    return plain.replace("</details>", f"{drawn}</details>")


def _observed(verdict: Verdict) -> str:
    return "" if verdict.passed else f", observed {escape(verdict.observed)}"


def _differs(verdict: Verdict) -> str:
    if not verdict.differs:
        return ""
    rows = "".join(
        f"<tr><td>{escape(d.name)}</td><td>{escape(d.expected)}</td><td>{escape(d.seen)}</td></tr>"
        for d in verdict.differs
    )
    return f"<table><tr><th>what differs</th><th>expected</th><th>seen</th></tr>{rows}</table>"


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %"


def _size(text: str) -> int:
    return len(text.encode())
