"""What the query tools ask of the stores behind them. Each is kept by an adapter, or by another room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from edge_agent.messages.codes import ErrorCode


class StoreError(Exception):
    """A store could not answer. `code` is one of the retryable codes or NOT_FOUND; the message is for the journal."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


@dataclass(frozen=True, slots=True)
class Rule:
    """Which bin a sort of thing goes into."""

    rule_id: str
    item_type: str
    bin: str
    note_zh: str = ""
    note_en: str = ""


@dataclass(frozen=True, slots=True)
class CopiedRule:
    """A rule of the offline copy, and how old that copy is."""

    rule: Rule
    age_s: float


@dataclass(frozen=True, slots=True)
class Task:
    """One job of the cell. `state`: queued, running, done, failed; `code` the controller's (`0601`), or empty.
    `command_id` is the motion that carried it out, 0 when none is known; times in ms since 1970, 0 unknown."""

    task_id: str
    item_type: str
    bin: str
    device: str
    state: str
    code: str = ""
    command_id: int = 0
    at_ms: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """One passage of a knowledge page. `page` names file and heading."""

    page: str
    title: str
    text: str


class RuleStore(Protocol):
    async def rule(self, item_type: str) -> Rule | None:
        """Raises StoreError."""


class RuleCopy(Protocol):
    def rule(self, item_type: str) -> CopiedRule | None:
        """From memory; never fails."""


class TaskStore(Protocol):
    async def task(self, task_id: str) -> Task | None:
        """Raises StoreError."""


class Knowledge(Protocol):
    async def search(self, words: str, limit: int) -> tuple[Page, ...]:
        """Best first. Raises StoreError."""


class ArmView(Protocol):
    def arm(self, device: str) -> Mapping[str, Any] | None:
        """What the supervision last read of a device, as plain values; None for a device the cell lacks."""
