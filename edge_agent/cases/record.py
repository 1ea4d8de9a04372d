"""Everything that was seen while one line ran. Pure data; every expectation is judged on it and on nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from edge_agent.cases.cell import Flat
from edge_agent.cases.line import CaseLine
from edge_agent.run.journal import Kind, Row
from edge_agent.safety.cell import CellState

PROMPT_REFUSALS = "prompt_"


@dataclass(frozen=True)
class RunSeen:
    """One request and what was published for it. Times in ms since the line began."""

    request: Mapping[str, Any]
    events: tuple[Flat, ...]
    at_ms: float
    took_ms: float

    def _first(self, kind: str) -> Flat:
        return next((e for e in self.events if e.get("type") == kind), {})

    @cached_property
    def metadata(self) -> Flat:
        return self._first("metadata")

    @cached_property
    def content(self) -> Flat:
        return self._first("content")

    @cached_property
    def failure(self) -> Flat:
        return self._first("failure")

    @cached_property
    def done(self) -> Flat:
        return self._first("done")

    @property
    def id(self) -> str:
        return str(self.request.get("id", ""))

    @property
    def kind(self) -> str:
        return str(self.content.get("kind", ""))

    @property
    def outcome(self) -> str:
        return str(self.done.get("outcome", ""))

    @property
    def text(self) -> str:
        return str(self.content.get("text", ""))

    @property
    def evidence(self) -> tuple[Flat, ...]:
        return tuple(self.content.get("evidence", ()))

    @property
    def usage(self) -> Flat:
        found: Flat = self.done.get("usage", {})
        return found

    @property
    def refused_as_prompt(self) -> bool:
        return self.kind == "rejection" and str(self.content.get("reason", "")).startswith(PROMPT_REFUSALS)


@dataclass(frozen=True)
class CaseRecord:
    """`runs` are those of the line itself, in order, replies included; earlier turns are in `turns`. `probe` is the
    next control line after a lockout, `again` the judged request sent a second time after a record: both lie outside
    what is counted. `trouble` says that a run did not come to its end."""

    line: CaseLine
    turns: tuple[RunSeen, ...]
    runs: tuple[RunSeen, ...]
    frames: int
    stop_words: int
    cell_state: CellState
    rows: tuple[Row, ...]
    took_ms: float
    probe: RunSeen | None = None
    again: RunSeen | None = None
    feedback_rows_after_again: int = 0
    trouble: str | None = None

    @cached_property
    def judged(self) -> RunSeen:
        """The last run that was not refused for its prompt."""
        good = [run for run in self.runs if not run.refused_as_prompt]
        return (good or list(self.runs) or [NOTHING])[-1]

    @property
    def control_declined(self) -> bool:
        """The last thing the operator said was no."""
        return bool(self.runs) and self.runs[-1].request.get("confirm") is False

    def calls(self, what: str) -> int:
        """Model or tool calls (`model_calls`, `tool_calls`) over all runs."""
        return sum(int(run.usage.get(what, 0)) for run in self.runs)

    def calls_of(self, tool: str) -> int:
        return sum(int(run.usage.get("tool_calls_by_name", {}).get(tool, 0)) for run in self.runs)

    def of_kind(self, kind: Kind) -> Iterator[Row]:
        return (row for row in self.rows if row.kind is kind)

    @property
    def lang(self) -> str:
        return str(self.judged.metadata.get("lang", self.line.spoken_lang))


NOTHING = RunSeen(request={}, events=(), at_ms=0.0, took_ms=0.0)
