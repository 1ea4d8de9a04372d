"""One request on its way: its run, its stream, its reader. Passed from stage to stage, never kept by one."""

from __future__ import annotations

from dataclasses import dataclass, field

from edge_agent.desk.intake import Taken
from edge_agent.desk.open_runs import OpenRun
from edge_agent.desk.speaker import Speaker
from edge_agent.desk.stream import Stream
from edge_agent.messages.codes import Phase
from edge_agent.messages.content import Content
from edge_agent.messages.content_base import ToolEvidence
from edge_agent.messages.event import Status
from edge_agent.release.page import Page, Traces
from edge_agent.release.policy import Happened, Release
from edge_agent.run.collection import StopReason
from edge_agent.run.context import Run
from edge_agent.understand.interpretation import Interpretation


@dataclass(slots=True)
class Job:
    taken: Taken
    open_run: OpenRun
    page: Page
    reading: Interpretation | None = None
    evidence: list[ToolEvidence] = field(default_factory=list)
    stop_reason: StopReason | None = None

    @property
    def run(self) -> Run:
        return self.open_run.run

    @property
    def run_id(self) -> str:
        return self.open_run.run.ids.run

    @property
    def stream(self) -> Stream:
        return self.open_run.stream

    @property
    def speaker(self) -> Speaker:
        return self.taken.speaker

    @property
    def traces(self) -> Traces:
        ids = self.run.ids
        return Traces(ids.trace, ids.parse_trace, tuple(self.evidence))

    @property
    def source(self) -> str | None:
        return self.reading.source if self.reading else None

    @property
    def reason(self) -> str | None:
        return self.reading.reason if self.reading else None

    @property
    def model_down(self) -> bool:
        """A model would have had a say and could not."""
        return self.reading is not None and self.reading.no_model is not None

    async def phase(self, phase: Phase, *, attempt: int | None = None, max_attempts: int | None = None) -> None:
        await self.stream.emit(Status(phase=phase, attempt=attempt, max_attempts=max_attempts))


@dataclass(frozen=True, slots=True)
class Told:
    """What is to be released, and what had happened; the release table decides the rest. A diagnosis asked its own
    rows of that table, and brings the answer."""

    content: Content
    happened: Happened | Release
