"""How a run begins: its ids, its limits, its stream, and the first word of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from edge_agent.desk.intake import Taken
from edge_agent.desk.open_runs import OpenRun
from edge_agent.desk.speaker import Speaker
from edge_agent.desk.stream import Address, Publisher, Stream
from edge_agent.messages.codes import Lang
from edge_agent.messages.event import Metadata
from edge_agent.messages.request import Confirm
from edge_agent.release.page import Page, Traces
from edge_agent.run.budget import BudgetLimits
from edge_agent.run.context import Run, RunIds
from edge_agent.run.ids import TRACE_ENTROPY_BYTES, ParseTraceId, RunId, TraceId, parse_trace_id, trace_id
from edge_agent.run.journal import Journal
from edge_agent.run.waiting import Waiting
from edge_agent.stages.job import Job


@dataclass(frozen=True, slots=True)
class Deadlines:
    run_s: float
    motion_s: float
    """Of a confirmation's run: the command's longest duration and a margin."""


@dataclass(frozen=True, slots=True)
class About:
    """What every stream says of the agent itself."""

    agent: str
    rules_version: str
    model: Callable[[], str | None]


@dataclass(frozen=True, slots=True)
class Opening:
    journal: Journal
    publisher: Publisher
    page: Callable[[Speaker], Page]
    deadlines: Deadlines
    limits: Callable[[], BudgetLimits]
    about: About
    monotonic_s: Callable[[], float]
    now: Callable[[], datetime]
    entropy: Callable[[int], bytes]

    def job(self, taken: Taken) -> Job:
        traces = self.traces()
        ids = RunIds(RunId(taken.request_id), TraceId(traces.trace_id), ParseTraceId(traces.parse_trace_id))
        limit_s = self.deadlines.motion_s if isinstance(taken.request, Confirm) else self.deadlines.run_s
        run = Run(ids, self.limits(), self.monotonic_s() + limit_s, self.monotonic_s)
        address = Address(taken.speaker.user, taken.speaker.channel, ids.run, taken.reply_to)
        stream = self.stream(ids.run, address, run.waiting)
        return Job(taken, OpenRun(run, taken.speaker, stream), self.page(taken.speaker))

    def stream(self, run: str, address: Address, waiting: Waiting | None = None) -> Stream:
        return Stream(
            RunId(run), address, journal=self.journal, publisher=self.publisher, now=self.now, waiting=waiting
        )

    def traces(self) -> Traces:
        return Traces(trace_id(self.entropy(TRACE_ENTROPY_BYTES)), parse_trace_id(self.entropy(TRACE_ENTROPY_BYTES)))

    def first(self, run: str, parse_trace: str, lang: Lang, intent: str | None = None) -> Metadata:
        return Metadata(
            request_id=run,
            parse_trace_id=parse_trace,
            intent=intent,
            lang=lang,
            agent=self.about.agent,
            model=self.about.model(),
            rules_version=self.about.rules_version,
        )

    def first_of(self, job: Job, intent: str | None = None) -> Metadata:
        return self.first(job.run_id, job.run.ids.parse_trace, job.speaker.lang, intent)
