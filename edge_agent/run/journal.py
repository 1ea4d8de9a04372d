"""What is written down, and what a journal can do: kinds as a table, entries as values, the port. Pure.

The journal is the only truth: rows are only ever added, chained by hash, and on the disk before `append` returns.
`edge_agent.adapters.journal` is the one that keeps it in SQLite; every other room asks for this `Journal`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal, Protocol, TypeAlias

Body: TypeAlias = Mapping[str, Any]
"""A JSON object. Keys and sizes belong to whoever writes the kind."""

Carry: TypeAlias = Literal["last", "last_by_id", "day"]
"""What of a kind goes into a new segment: its last row, the last row of each `id` in the body, the rows of 24 h."""

COMMIT_DEADLINE_S: Final = 1.0
"""A commit takes under a millisecond on a healthy disk; one that is not back after this is a fault."""


class Kind(StrEnum):
    # the journal's own
    SEGMENT = "segment"
    EPOCH = "epoch"
    COMMAND_ID = "command_id"
    JOURNAL_FAULT = "journal_fault"
    # a request and its answer
    REQUEST = "request"
    REJECTION = "rejection"
    READING = "reading"
    EVENT = "event"
    TERMINAL = "terminal"
    TERMINATION = "termination"
    # prompts
    PROMPT = "prompt"
    PROMPT_CLOSED = "prompt_closed"
    # tools and model
    ATTEMPT = "attempt"
    RECORD = "record"
    MODEL_CALL = "model_call"
    FEEDBACK = "feedback"
    DRAFT = "draft"
    GUARD = "guard"
    PROGRESS = "progress"
    # the arm
    COMMAND = "command"
    CELL_STATE = "cell_state"
    LOCKOUT = "lockout"
    STOP = "stop"
    RESET = "reset"
    RELEASE_STOP = "release_stop"
    RESOLVE = "resolve"
    # the rest
    ALARM = "alarm"
    SESSION = "session"
    FAULT = "fault"


CARRY: Final[Mapping[Kind, Carry]] = {
    Kind.COMMAND_ID: "last",
    Kind.LOCKOUT: "last",
    Kind.RESET: "last",
    Kind.CELL_STATE: "last",
    Kind.ALARM: "last_by_id",
    Kind.REQUEST: "day",
    Kind.TERMINAL: "day",
    Kind.FEEDBACK: "day",
    Kind.COMMAND: "day",
}
"""Kinds not named here stay in the segment they were written to. Requests and their ends make a duplicate of the
last day answerable; the day's commands, with their receipts in them, are what a diagnosis asks for."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One row to be. With a `key`, the pair (kind, key) can be written once in the journal's life."""

    kind: Kind
    body: Body
    run: str | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One row as it stands. `at_ms` is wall-clock time in ms since 1970 (UTC), for people and never for deadlines."""

    seq: int
    at_ms: int
    epoch: int
    kind: Kind
    run: str | None
    key: str | None
    body: dict[str, Any]
    prev: str
    hash: str


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Nothing was written, because `row` already has this kind and key."""

    row: Row


class JournalFault(Exception):
    """The journal could not be written, or not be read back, or did not answer in time. Nothing may be claimed."""

    code = "STORE_FAILED"


class NotKnown(JournalFault):
    """It did not answer in time: what was to be written may stand there, or not."""


class Journal(Protocol):
    """Append-only. Every call raises `JournalFault` and nothing else; `append` never blocks the loop."""

    @property
    def epoch(self) -> int:
        """Raised by one at every start; what was made for another life of the agent is stale."""

    async def append(self, *entries: Entry, deadline_s: float = COMMIT_DEADLINE_S) -> tuple[int, ...] | Duplicate:
        """All entries in one durable commit, in order; their sequence numbers. Or nothing, where a key is taken."""

    async def rows(
        self,
        *,
        kinds: Sequence[Kind] = (),
        run: str | None = None,
        key: str | None = None,
        after: int = 0,
        since_ms: int = 0,
        limit: int = 1000,
        newest_first: bool = False,
    ) -> tuple[Row, ...]:
        """Rows of the current segment with seq > `after` and at >= `since_ms`, at most `limit` of them."""

    async def read_back(self, seq: int) -> Row:
        """The row as it stands on the disk now; JournalFault where it does not."""

    async def last(self, kind: Kind, key: str | None = None) -> Row | None:
        """The newest row of a kind (and key)."""

    async def next_command_id(self, above: int = 0) -> int:
        """A u32 above every earlier one and above `above` (the controller's last), on the disk before it is given."""
