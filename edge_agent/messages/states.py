"""The words of other rooms that a message carries as text. Those rooms own them; a test holds both lists together."""

from __future__ import annotations

from typing import Literal, TypeAlias

RunStateWord: TypeAlias = Literal["RUNNING", "SUCCESS", "FAILED", "CANCELLED", "TIMED_OUT", "BUDGET_EXHAUSTED"]
StopReasonWord: TypeAlias = Literal[
    "INFORMATION_SATURATED", "PROGRESS_PROTOCOL_VIOLATED", "BUDGET_LIMIT_REACHED", "MODEL_UNAVAILABLE"
]
CellStateWord: TypeAlias = Literal[
    "OFFLINE",
    "READY",
    "AWAITING_CONFIRMATION",
    "DISPATCHING",
    "AWAITING_RECEIPT",
    "EXECUTING",
    "STOPPING",
    "STOPPED",
    "LOCKED_OUT",
    "MANUAL",
]
CommandStateWord: TypeAlias = Literal[
    "PROPOSED",
    "AWAITING_CONFIRMATION",
    "JOURNALLED",
    "SENT",
    "ACCEPTED",
    "EXECUTING",
    "VERIFIED",
    "REJECTED",
    "ABORTED",
    "UNKNOWN",
    "CANCELLED",
    "EXPIRED",
]
ModeWord: TypeAlias = Literal["UNKNOWN", "MANUAL", "AUTO_LOCAL", "AUTO_REMOTE"]
