"""A tool request as a model writes it, with what it must say of its previous observation. Pure.

    {"tool": "alarm_history", "args": {...}, "previous_observation": {"record": "r1", "gain": "GAINED"}}

Required from the second call on. Missing, of a foreign record, or with another gain than the computed one, it is a
violation. Where the model only chooses among labels, the harness writes it (`by_harness`), and it is right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from edge_agent.diagnose.progress import Looked


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """`previous` is what the model claims of its last observation; None where it says nothing."""

    tool: str
    args: Mapping[str, Any]
    previous: Mapping[str, Any] | None = None
    by_harness: bool = False


Violation: TypeAlias = Literal["previous_observation_missing", "previous_observation_foreign", "gain_misstated"]


def violation(request: ToolRequest, last: Looked | None) -> Violation | None:
    if request.by_harness or last is None:
        return None
    if request.previous is None or not {"record", "gain"} <= request.previous.keys():
        return "previous_observation_missing"
    if request.previous["record"] != last.record:
        return "previous_observation_foreign"
    return None if request.previous["gain"] == last.gain else "gain_misstated"
