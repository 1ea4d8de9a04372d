"""The kinds of content: what a run releases to its operator, each kind its own model. Pure.

Texts are templates filled by the release; no model's sentence is among them but clauses that passed both guards.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from edge_agent.messages.codes import ContentKind, FallbackType, Lang, ReleaseOutcome, RetryDecision, Role
from edge_agent.messages.content_base import ContentBase, ErrorInfo, NextStep
from edge_agent.messages.prompt import Clarification, Confirmation
from edge_agent.messages.states import CommandStateWord, StopReasonWord
from edge_agent.messages.wire import Count, Line, Name, RunId, Scalars, UserName, UtcTime, WireModel, Word

NextSteps: TypeAlias = Annotated[tuple[NextStep, ...], Field(max_length=3)]


class Answer(ContentBase):
    """`degraded`: from the offline copy, `age_s` old. `hits` 0: looked, and the scope is empty."""

    kind: Literal[ContentKind.ANSWER] = ContentKind.ANSWER
    degraded: bool = False
    age_s: Annotated[float, Field(ge=0)] | None = None
    hits: Count | None = None
    data: Scalars = Field(default_factory=dict)
    ask_whom: Line | None = None
    source: Word | None = None
    reason: Word | None = None


class Record(ContentBase):
    """Stored, once, however often it was sent; `repeated` says that the row was there already."""

    kind: Literal[ContentKind.RECORD] = ContentKind.RECORD
    record_id: Word
    data: Scalars = Field(default_factory=dict)
    repeated: bool = False
    source: Word | None = None
    reason: Word | None = None


class Clause(WireModel):
    text: Line
    evidence: Annotated[tuple[Word, ...], Field(min_length=1, max_length=16)]


class Fact(WireModel):
    text: Line
    record: Word


class Diagnosis(ContentBase):
    """A released cause with the clauses that passed; or facts alone, with why there is no more (`stop_reason`)."""

    kind: Literal[ContentKind.DIAGNOSIS] = ContentKind.DIAGNOSIS
    cause: Word | None = None
    clauses: Annotated[tuple[Clause, ...], Field(max_length=8)] = ()
    facts: Annotated[tuple[Fact, ...], Field(max_length=24)] = ()
    checked: Annotated[tuple[Line, ...], Field(max_length=16)] = ()
    limits: Annotated[tuple[Line, ...], Field(max_length=16)] = ()
    next_steps: NextSteps = ()
    stop_reason: StopReasonWord | None = None
    missing: Word | None = None
    reason: Word | None = None


class Explanation(ContentBase):
    kind: Literal[ContentKind.EXPLANATION] = ContentKind.EXPLANATION
    reason: Word
    next_steps: NextSteps = ()
    source: Word | None = None


class RejectionContent(ContentBase):
    """`not_done` says what did not happen. `first_run` is told with `duplicate`: how the first one stands."""

    kind: Literal[ContentKind.REJECTION] = ContentKind.REJECTION
    reason: Word
    error: ErrorInfo
    not_done: Line
    retry_decision: RetryDecision | None = None
    next_steps: NextSteps = ()
    command_id: Count | None = None
    command_state: CommandStateWord | None = None
    first_run: RunId | None = None
    first_state: Word | None = None
    advice: Annotated[tuple[Line, ...], Field(max_length=8)] = ()


class _Movement(ContentBase):
    """`intended` and `end_state` stand beside each other whenever they might differ."""

    command_id: Count | None
    command_state: CommandStateWord | None
    receipt: Scalars = Field(default_factory=dict)
    end_state: Scalars = Field(default_factory=dict)
    intended: Scalars = Field(default_factory=dict)
    differs: Annotated[tuple[Word, ...], Field(max_length=24)] = ()
    frames_on_wire: Count
    error: ErrorInfo | None = None
    next_steps: NextSteps = ()


class Motion(_Movement):
    kind: Literal[ContentKind.MOTION] = ContentKind.MOTION


class Stop(_Movement):
    """`proved`: the controller says stopped, and two reads of the pose are the same."""

    kind: Literal[ContentKind.STOP] = ContentKind.STOP
    proved: bool


class LastEvent(WireModel):
    """The last event of one run, short."""

    seq: Count
    type: Literal["metadata", "status", "content", "failure", "done"]
    at: UtcTime
    kind: ContentKind | None = None
    phase: Word | None = None
    outcome: ReleaseOutcome | None = None
    fallback_type: FallbackType | None = None
    text: Annotated[str, Field(max_length=400)] | None = None


class RunSummary(WireModel):
    id: RunId
    last: LastEvent


OpenPrompt: TypeAlias = Annotated[Clarification | Confirmation, Field(discriminator="kind")]


class Session(ContentBase):
    """What a page that was just loaded must know; the epoch is the envelope's. `role` None: no role here."""

    kind: Literal[ContentKind.SESSION] = ContentKind.SESSION
    user: UserName
    role: Role | None
    lang: Lang | None = None
    lab: bool
    open_prompts: Annotated[tuple[OpenPrompt, ...], Field(max_length=3)] = ()
    runs: Annotated[tuple[RunSummary, ...], Field(max_length=8)] = ()


class History(ContentBase):
    kind: Literal[ContentKind.HISTORY] = ContentKind.HISTORY
    what: Literal["runs", "commands", "items", "latencies"]
    window_s: Count
    page: Count
    pages: Count
    rows: Annotated[tuple[Scalars, ...], Field(max_length=50)] = ()
    counts: Annotated[dict[Name, Count], Field(max_length=48)] = Field(default_factory=dict)


class TimelineEntry(WireModel):
    at: UtcTime
    what: Word
    text: Line
    detail: Scalars = Field(default_factory=dict)


class Timeline(ContentBase):
    kind: Literal[ContentKind.TIMELINE] = ContentKind.TIMELINE
    of_run: RunId
    page: Count
    pages: Count
    entries: Annotated[tuple[TimelineEntry, ...], Field(max_length=50)] = ()


class DoneAck(ContentBase):
    """Carried out, and nothing to show for it: an alarm acknowledged, a fault taken out."""

    kind: Literal[ContentKind.DONE_ACK] = ContentKind.DONE_ACK
    what: Word
    data: Scalars = Field(default_factory=dict)


Content: TypeAlias = (
    Answer
    | Record
    | Diagnosis
    | Explanation
    | Clarification
    | Confirmation
    | RejectionContent
    | Motion
    | Stop
    | Session
    | History
    | Timeline
    | DoneAck
)
CONTENT_MODELS: dict[ContentKind, type[ContentBase]] = {
    ContentKind.ANSWER: Answer,
    ContentKind.RECORD: Record,
    ContentKind.DIAGNOSIS: Diagnosis,
    ContentKind.EXPLANATION: Explanation,
    ContentKind.CLARIFICATION: Clarification,
    ContentKind.CONFIRMATION: Confirmation,
    ContentKind.REJECTION: RejectionContent,
    ContentKind.MOTION: Motion,
    ContentKind.STOP: Stop,
    ContentKind.SESSION: Session,
    ContentKind.HISTORY: History,
    ContentKind.TIMELINE: Timeline,
    ContentKind.DONE_ACK: DoneAck,
}
