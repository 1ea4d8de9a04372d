"""A motion's confirmation: a digest of the exact action, a one-use prompt, and the same person's answer.

The prompt's id is random and is the nonce: it can be answered once, by the user it was shown to, in the life of
the agent it was made in, for the action whose digest it carries, while nothing about the cell has changed.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias

from edge_agent.safety.contract import Proposal

PromptRejection: TypeAlias = Literal[
    "prompt_wrong", "prompt_late", "prompt_used", "prompt_foreign", "prompt_void", "stale_epoch"
]


@dataclass(frozen=True, slots=True)
class ReleaseStop:
    """The wish to take a proved stop back. Moves nothing; asked for once all the same."""


Subject: TypeAlias = Proposal | ReleaseStop


def _said(subject: Subject) -> dict[str, object]:
    if isinstance(subject, ReleaseStop):
        return {"release_stop": True}
    return {"order": asdict(subject.order), "device": subject.device.name, "slots": subject.slots}


def digest(subject: Subject, *, epoch: int, boot_id: int) -> str:
    """64 hex digits over all that will be sent but its number, the agent's life and the controller's."""
    text = json.dumps({**_said(subject), "epoch": epoch, "boot_id": boot_id}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Prompt:
    """An open question. Times are seconds on the monotonic clock of this life of the agent."""

    prompt_id: str
    user: str
    digest: str
    epoch: int
    subject: Subject
    expires_at_s: float
    used: bool = False
    void: str | None = None
    """Why it can no longer be answered (a stop, a lockout, a changed boot id or mode); None while it can."""


@dataclass(frozen=True, slots=True)
class Answer:
    prompt_id: str
    digest: str
    user: str
    epoch: int


@dataclass(frozen=True, slots=True)
class Confirmed:
    subject: Subject


def check(prompt: Prompt | None, answer: Answer, now_s: float) -> Confirmed | PromptRejection:
    """The first thing that is wrong, in the order of how much it would matter."""
    if prompt is None or prompt.prompt_id != answer.prompt_id:
        return "prompt_wrong"
    if prompt.user != answer.user:
        return "prompt_foreign"
    if prompt.epoch != answer.epoch:
        return "stale_epoch"
    if prompt.used:
        return "prompt_used"
    if prompt.void is not None:
        return "prompt_void"
    if now_s >= prompt.expires_at_s:
        return "prompt_late"
    if prompt.digest != answer.digest:
        return "prompt_wrong"
    return Confirmed(prompt.subject)
