"""Why a request was not taken: a closed set of names, each with the error code it carries. Pure.

The order in which requests are judged is in `acceptance`; the words for people are the release's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from edge_agent.messages.codes import ErrorCode, Lang


class RejectionName(StrEnum):
    TOO_LARGE = "too_large"
    MALFORMED = "malformed"
    IDENTITY = "identity"
    FORBIDDEN = "forbidden"
    NOT_LIVE = "not_live"
    RETAINED = "retained"
    EXPIRED = "expired"
    CLOCK = "clock"
    STALE_EPOCH = "stale_epoch"
    DUPLICATE = "duplicate"
    RATE_LIMITED = "rate_limited"
    MODE = "mode"
    LOCKED_OUT = "locked_out"
    NOT_STOPPED = "not_stopped"
    BUSY = "busy"
    PROMPT_WRONG = "prompt_wrong"
    PROMPT_LATE = "prompt_late"
    PROMPT_USED = "prompt_used"
    PROMPT_FOREIGN = "prompt_foreign"
    PROMPT_VOID = "prompt_void"


ERROR_CODE: Final[dict[RejectionName, ErrorCode]] = {
    RejectionName.TOO_LARGE: ErrorCode.INPUT_INVALID,
    RejectionName.MALFORMED: ErrorCode.INPUT_INVALID,
    RejectionName.IDENTITY: ErrorCode.PERMISSION_DENIED,
    RejectionName.FORBIDDEN: ErrorCode.PERMISSION_DENIED,
    RejectionName.NOT_LIVE: ErrorCode.PERMISSION_DENIED,
    RejectionName.RETAINED: ErrorCode.STALE_REQUEST,
    RejectionName.EXPIRED: ErrorCode.STALE_REQUEST,
    RejectionName.CLOCK: ErrorCode.STALE_REQUEST,
    RejectionName.STALE_EPOCH: ErrorCode.STALE_REQUEST,
    RejectionName.DUPLICATE: ErrorCode.DUPLICATE_REQUEST,
    RejectionName.RATE_LIMITED: ErrorCode.RATE_LIMIT,
    RejectionName.MODE: ErrorCode.INTERLOCK_OPEN,
    RejectionName.LOCKED_OUT: ErrorCode.LOCKED_OUT,
    RejectionName.NOT_STOPPED: ErrorCode.INTERLOCK_OPEN,
    RejectionName.BUSY: ErrorCode.SERVICE_UNAVAILABLE,
    RejectionName.PROMPT_WRONG: ErrorCode.INPUT_INVALID,
    RejectionName.PROMPT_LATE: ErrorCode.INPUT_INVALID,
    RejectionName.PROMPT_USED: ErrorCode.INPUT_INVALID,
    RejectionName.PROMPT_FOREIGN: ErrorCode.INPUT_INVALID,
    RejectionName.PROMPT_VOID: ErrorCode.INPUT_INVALID,
}


@dataclass(frozen=True, slots=True)
class Rejection:
    """A request that was not taken. `key` names its answer: the request's id, or where that can not be read the
    first 16 hex digits of the payload's SHA-256. `answer_level` is the last level of the topic it goes to."""

    name: RejectionName
    key: str
    readable_id: bool
    detail: str
    """For the journal and a developer: the field and what was expected, or the fact that was judged."""
    lang: Lang | None = None
    spoken: str | None = None
    """The text of an `ask` or `reply` that could be decoded though it is refused: a stop may stand in it."""
    facts: Mapping[str, str | int] = field(default_factory=dict, compare=False)
    """What was judged, for the words an operator reads: `age_ms`, `ttl_ms`, `state`, `detail`."""

    @property
    def error_code(self) -> ErrorCode:
        return ERROR_CODE[self.name]

    @property
    def answer_level(self) -> str:
        return self.key if self.readable_id else "-"
