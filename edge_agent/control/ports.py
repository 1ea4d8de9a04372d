"""What the supervision needs from the world: a clock, a ledger, and a place to tell what it reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias


class LedgerFault(Exception):
    """A row could not be stored, or not within its deadline. On the command path this latches a lockout."""


class Ledger(Protocol):
    async def append(self, kind: str, body: Mapping[str, object], *, run: str = "", key: str | None = None) -> None:
        """Durable on return. Raises `LedgerFault`; the row may or may not be there then."""


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
