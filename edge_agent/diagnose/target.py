"""What a question is about, and what it left open. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Missing: TypeAlias = Literal["target", "window", "target_or_window"]


@dataclass(frozen=True, slots=True)
class Target:
    """`question` is the operator's own sentence. Times in wall-clock ms since 1970 (UTC), 0 where none was said."""

    question: str
    task_id: str | None = None
    device: str | None = None
    item_type: str | None = None
    since_ms: int = 0
    until_ms: int = 0

    @property
    def has_window(self) -> bool:
        return bool(self.since_ms or self.until_ms)

    @property
    def missing(self) -> Missing | None:
        """What a person could add. A task names everything; a device or an item still lacks its time."""
        if self.task_id is not None:
            return None
        if self.device is not None or self.item_type is not None:
            return None if self.has_window else "window"
        return "target" if self.has_window else "target_or_window"
