"""Runs a group's cases with the group's policy, before and after, and says what is still to be done."""

from __future__ import annotations

import filecmp
from dataclasses import dataclass
from pathlib import Path

from edge_agent.cases.files import Placed
from edge_agent.cases.live_bench import bench
from edge_agent.cases.report.baseline import Comparison, compare
from edge_agent.cases.report.result import Result, load, result_of, save
from edge_agent.cases.runner import run_lines
from edge_agent.cases.verdict import Verdict
from edge_agent.lab.predictions import Prediction, predictions, read_answers
from edge_agent.lab.workbook import Workbook
from edge_agent.lab.written import missing
from edge_agent.policies import Policies, load_policies

JOBS = 1
"""An exercise has a handful of lines; starting a second cell costs more than it gains."""


@dataclass(frozen=True, slots=True)
class Checked:
    """`predictions` are about the policy as it was handed out. `passed` when every case is as expected now, every
    prediction is right, and nothing written is missing."""

    before: Result
    after: Result
    comparison: Comparison
    predictions: tuple[Prediction, ...]
    missing: tuple[str, ...]

    @property
    def passed(self) -> bool:
        total = self.after.total
        right = not any(each.wrong for each in self.predictions)
        return total.as_expected == total.lines and right and not self.missing


async def run_once(book: Workbook) -> Result:
    """The cases as the policy stands. What came of the policy as it was handed out is kept first. Raises what a broken
    file raises."""
    first = await _first(book)
    return first if _unchanged(book) else await _run(load_policies(book.policy), book.lines())


async def check(book: Workbook) -> Checked:
    """Kept as `after.json`. Without a run before it, the policy as it was handed out is run first."""
    policies, answers = load_policies(book.policy), read_answers(book.answers)
    before, after = await _first(book), await _run(policies, book.lines())
    save(after, book.after)
    return Checked(
        before=before,
        after=after,
        comparison=compare(before, after),
        predictions=predictions(answers, asked(book, before)),
        missing=await missing(book, policies, verdicts),
    )


def asked(book: Workbook, result: Result) -> tuple[Verdict, ...]:
    """Of the cases that were handed out; nobody foretells the group's own."""
    ids = {line.id for line in book.exercise.lines}
    return tuple(verdict for verdict in result.cases if verdict.id in ids)


async def _first(book: Workbook) -> Result:
    if not book.before.is_file():
        book.keep_prediction()
        save(await _run(load_policies(book.given), book.lines()), book.before)
    return load(book.before)


def _unchanged(book: Workbook) -> bool:
    changed = filecmp.dircmp(book.given, book.policy)
    return not book.has_own_cases and _same(changed)


def _same(found: filecmp.dircmp[str]) -> bool:
    here = not (found.diff_files or found.left_only or found.right_only or found.funny_files)
    return here and all(map(_same, found.subdirs.values()))


async def verdicts(policies: Policies, lines: tuple[Placed, ...]) -> tuple[Verdict, ...]:
    ran = await run_lines(bench(policies), lines, jobs=JOBS)
    return tuple(each.verdict for each in ran)


async def _run(policies: Policies, lines: tuple[Placed, ...]) -> Result:
    hands = bench(policies).hands
    began_at, began_s = hands.now(), hands.monotonic_s()
    found = await verdicts(policies, lines)
    return result_of(found, began_at=began_at, took_s=hands.monotonic_s() - began_s, without=())


def results(base: Path) -> tuple[Path, ...]:
    """Folders of exercises that were checked."""
    return tuple(sorted(each.parent for each in base.glob("*/after.json")))
