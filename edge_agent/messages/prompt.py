"""The two questions a person is asked. Pure.

A prompt ends its run: the answer is a request of its own that names `prompt_id`, which works once. What happens
when nobody answers is the first option of caution: nothing.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from edge_agent.messages.codes import ContentKind
from edge_agent.messages.content_base import ContentBase
from edge_agent.messages.wire import Digest, Line, PromptId, Slots, WireModel, Word

Seconds: TypeAlias = Annotated[float, Field(ge=0, le=86_400)]
Score: TypeAlias = Annotated[float, Field(ge=0, le=1)]


class Candidate(WireModel):
    """One numbered way to read the sentence, with a sentence that this cell would understand."""

    n: Annotated[int, Field(ge=1, le=3)]
    intent: Word
    label: Line
    example: Line
    score: Score


class Clarification(ContentBase):
    """`candidates` by falling score; or none of them and the one slot that is `missing`."""

    kind: Literal[ContentKind.CLARIFICATION] = ContentKind.CLARIFICATION
    need_clarify: Literal[True] = True
    reason: Word
    top_intent: Word | None = None
    top_score: Score | None = None
    second_score: Score | None = None
    margin: Annotated[float, Field(ge=-1, le=1)] | None = None
    candidates: Annotated[tuple[Candidate, ...], Field(max_length=3)] = ()
    missing: Word | None = None
    round: Annotated[int, Field(ge=1, le=2)] = 1
    prompt_id: PromptId
    expires_in_s: Seconds


class Check(WireModel):
    """One condition of the cell that was looked at before the question was put."""

    name: Word
    ok: bool
    text: Line


class Caution(WireModel):
    """Something unusual about an action that is allowed all the same."""

    code: Word
    text: Line


class Confirmation(ContentBase):
    """Exactly what would move. Only the digest shown here can be confirmed, once, until it expires."""

    kind: Literal[ContentKind.CONFIRMATION] = ContentKind.CONFIRMATION
    prompt_id: PromptId
    digest: Digest
    action: Word
    device: Word
    slots: Slots
    warnings: Annotated[tuple[Caution, ...], Field(max_length=8)] = ()
    checks: Annotated[tuple[Check, ...], Field(max_length=16)] = ()
    default: Literal["no"] = "no"
    expires_in_s: Seconds
