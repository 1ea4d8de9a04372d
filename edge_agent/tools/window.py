"""The window of time a question is about, as arguments of a tool."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Final

from pydantic import Field, model_validator

from edge_agent.tools.tool import ToolArgs

DAY_MS: Final = 24 * 3600 * 1000
LATEST_MS: Final = 253_402_300_799_000
"""The last second of the year 9999."""

Moment = Annotated[int, Field(ge=0, le=LATEST_MS)]


class WindowArgs(ToolArgs):
    """Wall-clock ms since 1970 (UTC); 0 leaves an end open: the last 24 h, and up to now."""

    since_ms: Moment = 0
    until_ms: Moment = 0

    @model_validator(mode="after")
    def _in_order(self) -> WindowArgs:
        if self.since_ms and self.until_ms and self.since_ms > self.until_ms:
            raise ValueError("the window ends before it begins")
        return self

    @property
    def span(self) -> str:
        """In stable words, for the scope."""
        if not self.since_ms and not self.until_ms:
            return "last 24 h"
        begin = minute(self.since_ms) if self.since_ms else "24 h before"
        return f"{begin} to {minute(self.until_ms) if self.until_ms else 'now'}"


def within(args: WindowArgs, now_ms: int) -> int:
    """The first ms of the window."""
    return args.since_ms or max(0, (args.until_ms or now_ms) - DAY_MS)


def minute(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")
