"""What a user may send. Pure.

There is no user, role or priority in a request: who speaks is the topic level that the broker binds to the login.
A request names itself by a ULID of the sender's making; the same id is never run twice.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from edge_agent.messages.codes import Lang
from edge_agent.messages.wire import (
    MAX_REQUEST_BYTES,
    ClientName,
    Digest,
    Epoch,
    PromptId,
    RunId,
    Ulid,
    UtcTime,
    Version,
    WireModel,
    Word,
)

MAX_TTL_MS: Final = 60_000
DEFAULT_TTL_MS: Final = 5000
MAX_PAGE: Final = 9999
MAX_WINDOW_S: Final = 31 * 86_400

Said: TypeAlias = Annotated[str, Field(max_length=MAX_REQUEST_BYTES)]
"""As typed. Empty and over-long texts are refused where language is judged, with words that help."""
Page: TypeAlias = Annotated[int, Field(ge=0, le=MAX_PAGE)]


class _Request(WireModel):
    v: Version
    id: Ulid
    issued_at: UtcTime
    ttl_ms: Annotated[int, Field(ge=1, le=MAX_TTL_MS)] = DEFAULT_TTL_MS
    lang: Lang | None = None
    epoch: Epoch | None = None
    attached: ClientName | None = None
    """The sender's presence client; the run is cancelled when that client is gone."""


class Ask(_Request):
    type: Literal["ask"]
    text: Said


class Reply(_Request):
    """Answers a clarification: a number, a value of the missing slot, or the sentence anew."""

    type: Literal["reply"]
    prompt_id: PromptId
    text: Said


class Confirm(_Request):
    """Answers a confirmation. Quotes the life of the agent it was made for and the digest of what was shown."""

    type: Literal["confirm"]
    epoch: Epoch
    prompt_id: PromptId
    digest: Digest
    confirm: bool


class Cancel(_Request):
    """`run` None: whatever prompt or run of this user is open."""

    type: Literal["cancel"]
    run: RunId | None = None


class AckAlarm(_Request):
    type: Literal["ack_alarm"]
    alarm: Word
    event_id: Word


class Resync(_Request):
    type: Literal["resync"]


class Explain(_Request):
    type: Literal["explain"]
    run: RunId
    page: Page = 0


class Lab(_Request):
    """Put a fault in (`put`), or take one or all out (`clear`, without a name: all)."""

    type: Literal["lab"]
    epoch: Epoch
    op: Literal["put", "clear"]
    fault: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}(\.[a-z][a-z0-9_]{0,47})?$")] | None = None
    count: Annotated[int, Field(ge=1, le=1000)] = 1
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 0
    delay_ms: Annotated[int, Field(ge=0, le=600_000)] | None = None
    probability: Annotated[float, Field(ge=0, le=1)] | None = None
    step: Annotated[str, Field(pattern=r"^[a-z][a-z_]{0,31}$")] | None = None


class History(_Request):
    type: Literal["history"]
    what: Literal["runs", "commands", "items", "latencies"]
    window_s: Annotated[int, Field(ge=1, le=MAX_WINDOW_S)] = 86_400
    page: Page = 0


class ReleaseStop(_Request):
    """Asks to leave STOPPED. Answered by a confirmation; nothing moves by it."""

    type: Literal["release_stop"]
    epoch: Epoch


Request: TypeAlias = Ask | Reply | Confirm | Cancel | AckAlarm | Resync | Explain | Lab | History | ReleaseStop
RequestType: TypeAlias = Literal[
    "ask", "reply", "confirm", "cancel", "ack_alarm", "resync", "explain", "lab", "history", "release_stop"
]
REQUESTS: Final[TypeAdapter[Request]] = TypeAdapter(Annotated[Request, Field(discriminator="type")])
REQUEST_MODELS: Final[dict[RequestType, type[WireModel]]] = {
    "ask": Ask,
    "reply": Reply,
    "confirm": Confirm,
    "cancel": Cancel,
    "ack_alarm": AckAlarm,
    "resync": Resync,
    "explain": Explain,
    "lab": Lab,
    "history": History,
    "release_stop": ReleaseStop,
}


class StopRequest(WireModel):
    """On the stop topic. Everything but the version may be left out: a stop is never refused for its form."""

    v: Version
    type: Literal["stop"] = "stop"
    id: Ulid | None = None
    issued_at: UtcTime | None = None
    ttl_ms: Annotated[int, Field(ge=1, le=MAX_TTL_MS)] | None = None
    lang: Lang | None = None
    epoch: Epoch | None = None
    attached: ClientName | None = None
    device: Word | None = None
    """Shown to people; a stop always concerns the whole cell."""
