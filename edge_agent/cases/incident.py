"""One journalled incident: the request that began it, what was answered to its questions, and all that was published.

Rows in, values out. A run that answered a prompt is followed back to the run that asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from edge_agent.cases.record import RunSeen
from edge_agent.run.journal import Kind, Row

ANSWERS: Final = frozenset({"reply", "confirm"})
MAX_REPLIES: Final = 8


class NoIncident(Exception):
    """No request of that id stands in the journal, or it is no sentence and answers none."""


@dataclass(frozen=True, slots=True)
class Incident:
    """`runs[0]` is the sentence; the others are answers to the prompts that came of it, in order."""

    user: str
    runs: tuple[RunSeen, ...]
    rows: tuple[Row, ...]

    def of(self, kind: Kind) -> Iterator[Row]:
        return (row for row in self.rows if row.kind is kind)

    @property
    def first(self) -> RunSeen:
        return self.runs[0]


def incident(rows: Sequence[Row], run_id: str) -> Incident:
    """Raises `NoIncident`. `rows` are the whole journal, or enough of it."""
    requests = {row.run: row for row in rows if row.kind is Kind.REQUEST and row.run is not None}
    prompts = {str(row.body["prompt_id"]): row.run for row in rows if row.kind is Kind.PROMPT}
    began = _began(requests, prompts, run_id)
    ids = [began, *_answers(requests, rows, began)]
    ours = tuple(row for row in rows if row.run in ids or row.kind in (Kind.LOCKOUT, Kind.FAULT, Kind.STOP))
    return Incident(
        user=str(requests[began].body["user"]),
        runs=tuple(_seen(requests[each], rows) for each in ids),
        rows=ours,
    )


def _began(requests: Mapping[str, Row], prompts: Mapping[str, str | None], run_id: str) -> str:
    """The run of the sentence. Bounded: each step leads to an earlier prompt."""
    for _ in range(MAX_REPLIES + 1):
        row = requests.get(run_id)
        if row is None:
            raise NoIncident(f"no request {run_id} in this journal")
        request = row.body["request"]
        if request.get("type") == "ask":
            return run_id
        asked = prompts.get(str(request.get("prompt_id")))
        if request.get("type") not in ANSWERS or asked is None:
            break
        run_id = asked
    raise NoIncident(f"{run_id} is no sentence, and answers none")


def _answers(requests: Mapping[str, Row], rows: Sequence[Row], began: str) -> Iterator[str]:
    """Runs that answered a prompt of this story, oldest first."""
    ours = {began}
    for run, row in requests.items():
        asked = [str(p.body["prompt_id"]) for p in rows if p.kind is Kind.PROMPT and p.run in ours]
        if row.body["request"].get("prompt_id") in asked and len(ours) <= MAX_REPLIES:
            ours.add(run)
            yield run


def _seen(request: Row, rows: Sequence[Row]) -> RunSeen:
    told = [row.body["event"] for row in rows if row.kind is Kind.EVENT and row.run == request.run]
    said: Mapping[str, Any] = request.body["request"]
    return RunSeen(request=said, events=tuple(told), at_ms=float(request.at_ms), took_ms=0.0)
