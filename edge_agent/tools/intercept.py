"""Where a labelled case or a fault of the lab speaks instead of a tool: at the tool's own edge, and nowhere else.

Everything around it (arguments, permission, budget, retry, record, projection) stays the real thing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from edge_agent.tools.tool import ToolAnswer


@dataclass(frozen=True, slots=True)
class Scripted:
    """`answer` in place of the tool's own; None: the tool itself answers, `delay_s` later."""

    answer: ToolAnswer | None = None
    delay_s: float = 0.0


Intercept: TypeAlias = Callable[[str, int], Scripted | None]
"""(tool name, attempt from 1) -> what is scripted for it; None lets the tool run."""


def nothing_scripted(_tool: str, _attempt: int) -> Scripted | None:
    return None
