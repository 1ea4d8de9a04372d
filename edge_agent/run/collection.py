"""Why the gathering of evidence stopped: one of the four views of a request, and no end of the run."""

from __future__ import annotations

from enum import StrEnum


class CollectionState(StrEnum):
    COLLECTING = "COLLECTING"
    SATURATED = "SATURATED"


class StopReason(StrEnum):
    INFORMATION_SATURATED = "INFORMATION_SATURATED"
    PROGRESS_PROTOCOL_VIOLATED = "PROGRESS_PROTOCOL_VIOLATED"
    BUDGET_LIMIT_REACHED = "BUDGET_LIMIT_REACHED"
    MODEL_UNAVAILABLE = "MODEL_UNAVAILABLE"
