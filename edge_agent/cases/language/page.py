"""The language report as one HTML page that needs nothing but itself. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from edge_agent.cases.language.figures import (
    LANGS,
    Bin,
    Measure,
    calibration,
    confusion,
    expected_error,
    intent_rows,
    measures,
)
from edge_agent.cases.language.heard import Heard
from edge_agent.cases.report.page import STYLE
from offline_rules.reading import Intent, Lang

SIDE: Final = 300
MARGIN: Final = 40
MAX_FAULTS: Final = 400
OWN_STYLE: Final = """
.confusion td{text-align:right}.confusion .hit{background:#dff3e4}.confusion .miss{background:#fbe3e1;font-weight:600}
.curve .ideal{stroke:#8c959f;stroke-dasharray:4 3}.curve .seen{fill:none;stroke:#3b6fd4;stroke-width:2}
.curve circle{fill:#3b6fd4}.curve rect{fill:none;stroke:#d8dee4}
"""

Part = tuple[str, bool, Sequence[Heard]]
"""The name of a set, whether a model had a say, and its sentences."""


def render(parts: Sequence[Part], *, problem: str | None, model: str) -> str:
    body = "".join(_part(name, with_model, every) for name, with_model, every in parts)
    note = f"<p class='bad'>{escape(problem)}</p>" if problem else f"<p>{escape(model)}</p>"
    return (
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>How sentences are read</title>"
        f"<style>{STYLE}{OWN_STYLE}</style><h1>How sentences are read 句子理解报告</h1>{note}{body}</html>\n"
    )


def _part(name: str, with_model: bool, every: Sequence[Heard]) -> str:
    title = f"{escape(name)}: {'rules and model' if with_model else 'rules alone'}"
    tables = "".join(_language(every, lang, with_model=with_model) for lang in LANGS)
    curve = _curve(calibration(every)) if with_model else ""
    return f"<h2>{title} ({len(every)} sentences)</h2>{tables}{curve}{_faults(every)}"


def _language(every: Sequence[Heard], lang: Lang, *, with_model: bool) -> str:
    asked = "".join(_measure(m) for m in measures(every, lang, with_model=with_model))
    rows = "".join(
        f"<tr><td>{r.intent}</td><td>{r.n}</td><td>{_share(r.intents, r.n)}</td>"
        f"<td>{_share(r.slots, r.intents)}</td><td>{_share(r.dispositions, r.n)}</td></tr>"
        for r in intent_rows(every, lang)
    )
    return (
        f"<h3>{lang}</h3><table><tr><th>asked<th>share<th>of<th>goal</tr>{asked}</table>"
        f"<table><tr><th>intent<th>n<th>intent right<th>slots right<th>disposition right</tr>{rows}</table>"
        f"{_confusion(every, lang)}"
    )


def _measure(m: Measure) -> str:
    mark = "good" if m.reached else "bad"
    return f"<tr><td>{m.name}</td><td class='{mark}'>{_share(m.hits, m.of)}</td><td>{m.of}</td><td>{m.goal}</td></tr>"


def _confusion(every: Iterable[Heard], lang: Lang) -> str:
    table = confusion(every, lang)
    heads = [intent.value for intent in Intent]
    head = "".join(f"<th>{name}" for name in heads)
    body = "".join(
        f"<tr><th>{label}</th>" + "".join(_cell(table[label, read], label == read) for read in heads) + "</tr>"
        for label in heads
        if any(table[label, read] for read in heads)
    )
    return f"<table class='confusion'><tr><th>label \\ read{head}</tr>{body}</table>"


def _cell(count: int, same: bool) -> str:
    if not count:
        return "<td></td>"
    return f"<td class='{'hit' if same else 'miss'}'>{count}</td>"


def _curve(bins: Sequence[Bin]) -> str:
    """Probability to the right, share that is right upwards; on the dashed line the model says what is true."""
    if not bins:
        return ""
    points = [(MARGIN + b.said * SIDE, MARGIN + (1 - b.right) * SIDE, b) for b in bins]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{b.n} sentences: said {b.said:.0%}, right {b.right:.0%}'
        "</title></circle>"
        for x, y, b in points
    )
    low, size = MARGIN + SIDE, SIDE + 2 * MARGIN
    return (
        f"<h3>calibration of the model: expected error {expected_error(bins):.1%}</h3>"
        f'<svg class="curve" width="{size}" height="{size}" role="img"><rect x="{MARGIN}" y="{MARGIN}" width="{SIDE}" '
        f'height="{SIDE}"/><path class="ideal" d="M{MARGIN} {low}L{low} {MARGIN}"/>'
        f'<polyline class="seen" points="{line}"/>{dots}'
        f'<text x="{MARGIN}" y="{low + 16}">0</text><text x="{low - 50}" y="{low + 16}">said 100 %</text>'
        f'<text x="4" y="{MARGIN + 4}">right</text></svg>'
    )


def _faults(every: Iterable[Heard]) -> str:
    wrong = [(h, fault) for h in every if (fault := h.fault) is not None]
    rows = "".join(
        f"<tr><td>{fault}</td><td>{escape(h.text)}</td><td>{h.intent or h.group}</td><td>{h.read_intent} → "
        f"{h.read_disposition}</td><td class='why'>{escape(h.reason)}</td></tr>"
        for h, fault in wrong[:MAX_FAULTS]
    )
    return (
        f"<details><summary>{len(wrong)} read wrongly</summary><table><tr><th>what<th>sentence<th>label<th>read<th>"
        f"because</tr>{rows}</table></details>"
    )


def _share(hits: int, of: int) -> str:
    return f"{hits / of:.1%}" if of else "–"
