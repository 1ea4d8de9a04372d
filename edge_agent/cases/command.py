"""`cases run`: paths in, verdicts and reports out, and the exit status a script can rely on.

0 all as expected · 1 not all · 2 what was given cannot be used (a broken line, no such mechanism, no such file).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from logging import CRITICAL, getLogger
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from edge_agent.cases.files import Placed, read_paths
from edge_agent.cases.line import BadLine, CaseLine
from edge_agent.cases.mechanisms import Mechanism
from edge_agent.cases.report.baseline import Comparison, compare
from edge_agent.cases.report.page import render
from edge_agent.cases.report.result import Result, load, result_of, save
from edge_agent.cases.runner import DEFAULT_JOBS, MAX_JOBS, Bench, Ran, run_lines
from edge_agent.cases.swapped import too_weak
from edge_agent.cases.switched_off import HERE
from edge_agent.cases.verdict import Verdict

ALL_AS_EXPECTED: Final = 0
NOT_ALL: Final = 1
BAD_INPUT: Final = 2
SHOWN_FAILURES: Final = 40


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person asked for on the command line. `swapped` also judges every record by every other expectation."""

    paths: tuple[Path, ...]
    json: Path | None = None
    html: Path | None = None
    baseline: Path | None = None
    without: tuple[str, ...] = ()
    jobs: int = DEFAULT_JOBS
    swapped: bool = False


def run_command(wish: Wish, bench: Bench, console: Console) -> int:
    """The whole command; the exit status."""
    getLogger("pymodbus").setLevel(
        CRITICAL
    )  # it logs every frame of a fault that was put in; the report says it better
    try:
        lines, without, before = _read(wish)
    except BadLine as error:
        console.print(f"[red]{escape(str(error))}[/red]", highlight=False, soft_wrap=True)
        return BAD_INPUT
    began_at, began_s = bench.hands.now(), bench.hands.monotonic_s()
    ran = _run(wish, bench, console, lines, without)
    took_s = bench.hands.monotonic_s() - began_s
    verdicts = [each.verdict for each in ran]
    result = result_of(verdicts, began_at=began_at, took_s=took_s, without=[m.value for m in without])
    comparison = None if before is None else compare(before, result)
    _tell(console, result, comparison)
    try:
        _write(wish, result, comparison)
    except OSError as error:
        console.print(f"[red]{escape(str(error))}[/red]", soft_wrap=True)
        return BAD_INPUT
    weak = _swapped(console, ran) if wish.swapped else 0
    return ALL_AS_EXPECTED if result.total.as_expected == result.total.lines and not weak else NOT_ALL


def _read(wish: Wish) -> tuple[tuple[Placed, ...], frozenset[Mechanism], Result | None]:
    if not 1 <= wish.jobs <= MAX_JOBS:
        raise BadLine("--jobs", 0, "jobs", f"a number from 1 to {MAX_JOBS} was expected")
    known = [mechanism.value for mechanism in Mechanism if mechanism in HERE]
    unknown = [name for name in wish.without if name not in known]
    if unknown:
        raise BadLine("--without", 0, unknown[0], f"no such mechanism; there are: {', '.join(known)}")
    before = None if wish.baseline is None else load(wish.baseline)
    return read_paths(wish.paths), frozenset(map(Mechanism, wish.without)), before


def _run(
    wish: Wish, bench: Bench, console: Console, lines: Sequence[Placed], without: frozenset[Mechanism]
) -> tuple[Ran, ...]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("cases", total=len(lines))
        return asyncio.run(
            run_lines(bench, lines, jobs=wish.jobs, without=without, on_done=lambda _: progress.advance(task))
        )


def _tell(console: Console, result: Result, comparison: Comparison | None) -> None:
    for verdict in [v for v in result.cases if not v.passed][:SHOWN_FAILURES]:
        _tell_failure(console, verdict)
    table = Table("category", "lines", "as expected", "coverage", "mis-actuation", "ms")
    for row in (*result.categories, result.total):
        bad = f"[red]{row.misfired}[/red]" if row.misfired else "0"
        share = f"{row.coverage * 100:.1f} %"
        table.add_row(escape(row.name), str(row.lines), str(row.as_expected), share, bad, f"{row.took_ms:.0f}")
    console.print(table)
    if comparison is not None:
        counts = (len(c) for c in (comparison.better, comparison.worse, comparison.new, comparison.gone))
        console.print("better {}, worse {}, new {}, gone {}".format(*counts))
    total = result.total
    console.print(
        f"{total.as_expected} of {total.lines} as expected, mis-actuation {total.misfired}, {result.took_s} s",
        highlight=False,
    )


def _tell_failure(console: Console, verdict: Verdict) -> None:
    head = f"{verdict.file}:{verdict.line} {verdict.id}: expected {verdict.expected}, observed {verdict.observed}"
    console.print(f"[red]{escape(head)}[/red]  {escape(verdict.text)}", highlight=False, soft_wrap=True)
    for difference in verdict.differs:
        told = f"    {difference.name}: expected {difference.expected}, seen {difference.seen}"
        console.print(escape(told), highlight=False, soft_wrap=True)


def _write(wish: Wish, result: Result, comparison: Comparison | None) -> None:
    if wish.json is not None:
        save(result, wish.json)
    if wish.html is not None:
        wish.html.write_text(render(result, comparison), encoding="utf-8")


def _swapped(console: Console, ran: Sequence[Ran]) -> int:
    """How many records would also have passed as something else."""
    records = [(r.verdict.id, r.record) for r in ran if r.record is not None and isinstance(r.record.line, CaseLine)]
    weak = too_weak(records)
    for each in weak:
        console.print(f"{each.record}: expected {each.own}, would also pass as {each.other}", highlight=False)
    console.print(f"swapped check: {len(records)} records, {len(weak)} too weak", highlight=False)
    return len(weak)
