"""What the supervision needs from the world besides its driver and the journal: a clock, and whom to tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias


class Clock(Protocol):
    def monotonic_s(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


Steps: TypeAlias = Callable[[str], None]
"""Called with the name of every step of the command path as it is reached; the crash tests kill the process there."""


def no_steps(_: str) -> None:
    """Nobody listens."""


STEP_NAMES = (
    "confirmed",
    "before_intent",
    "intent_stored",
    "before_send",
    "sent",
    "sent_noted",
    "accepted",
    "executing",
    "receipt_seen",
    "end_stored",
    "stop_asked",
    "stop_sent",
    "lockout_stored",
)
