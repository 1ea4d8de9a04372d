"""Before against after, line by line and in the figures. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from edge_agent.cases.report.result import Result, ScoreRow
from edge_agent.cases.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Change:
    """One line in both runs whose end is another. `before` None: new; `after` None: gone."""

    id: str
    before: Verdict | None
    after: Verdict | None


@dataclass(frozen=True, slots=True)
class Comparison:
    before: ScoreRow
    after: ScoreRow
    better: tuple[Change, ...]
    worse: tuple[Change, ...]
    new: tuple[Change, ...]
    gone: tuple[Change, ...]


def compare(before: Result, after: Result) -> Comparison:
    """Better: passes now, or misfires less; worse: the other way round."""
    old = {verdict.id: verdict for verdict in before.cases}
    now = {verdict.id: verdict for verdict in after.cases}
    both = [Change(id_, old[id_], now[id_]) for id_ in now if id_ in old]
    return Comparison(
        before=before.total,
        after=after.total,
        better=tuple(change for change in both if _step(change) > 0),
        worse=tuple(change for change in both if _step(change) < 0),
        new=tuple(Change(id_, None, verdict) for id_, verdict in now.items() if id_ not in old),
        gone=tuple(Change(id_, verdict, None) for id_, verdict in old.items() if id_ not in now),
    )


def _step(change: Change) -> int:
    """Motion that should not be weighs more than anything else."""
    if change.before is None or change.after is None:
        return 0
    fewer = change.before.misfired - change.after.misfired
    return fewer if fewer else int(change.after.passed) - int(change.before.passed)
