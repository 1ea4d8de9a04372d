"""One command's life as a table. Its end is final: a technician's finding stands beside it and changes nothing.

`UNKNOWN` is an honest end: the arm may have moved, and somebody has to go and look.
"""

from __future__ import annotations

from enum import StrEnum


class CommandState(StrEnum):
    PROPOSED = "PROPOSED"
    AWAITING_CONFIRMATION = "AWAITING_CONFIRMATION"
    JOURNALLED = "JOURNALLED"
    SENT = "SENT"
    ACCEPTED = "ACCEPTED"
    EXECUTING = "EXECUTING"
    VERIFIED = "VERIFIED"
    REJECTED = "REJECTED"
    ABORTED = "ABORTED"
    UNKNOWN = "UNKNOWN"
    CANCELLED = "CANCELLED"
    EXPIRED = "EXPIRED"


class CommandEvent(StrEnum):
    PROMPT = "PROMPT"
    STORE = "STORE"
    SEND = "SEND"
    ACCEPT = "ACCEPT"
    VERIFY = "VERIFY"
    REJECT = "REJECT"
    ABORT = "ABORT"
    LOSE = "LOSE"
    CANCEL = "CANCEL"
    VOID = "VOID"  # its prompt is gone; says nothing to a command that was stored already
    EXPIRE = "EXPIRE"


S, E = CommandState, CommandEvent

FINAL = frozenset({S.VERIFIED, S.REJECTED, S.ABORTED, S.UNKNOWN, S.CANCELLED, S.EXPIRED})
OPEN = frozenset(S) - FINAL
MAY_HAVE_MOVED_WITHOUT_END = frozenset({S.JOURNALLED, S.SENT, S.ACCEPTED, S.EXECUTING})
"""States that a restart turns into UNKNOWN: the write may have happened, and no end was stored."""

_ON_THE_WAY: dict[CommandEvent, CommandState] = {
    E.VERIFY: S.VERIFIED,
    E.REJECT: S.REJECTED,
    E.ABORT: S.ABORTED,
    E.LOSE: S.UNKNOWN,
}

TABLE: dict[tuple[CommandState, CommandEvent], CommandState] = {
    (S.PROPOSED, E.PROMPT): S.AWAITING_CONFIRMATION,
    (S.PROPOSED, E.STORE): S.JOURNALLED,
    (S.PROPOSED, E.CANCEL): S.CANCELLED,
    (S.PROPOSED, E.VOID): S.CANCELLED,
    (S.AWAITING_CONFIRMATION, E.STORE): S.JOURNALLED,
    (S.AWAITING_CONFIRMATION, E.CANCEL): S.CANCELLED,
    (S.AWAITING_CONFIRMATION, E.VOID): S.CANCELLED,
    (S.AWAITING_CONFIRMATION, E.EXPIRE): S.EXPIRED,
    (S.JOURNALLED, E.SEND): S.SENT,
    (S.JOURNALLED, E.CANCEL): S.CANCELLED,
    (S.JOURNALLED, E.REJECT): S.REJECTED,
    (S.JOURNALLED, E.ABORT): S.ABORTED,
    (S.JOURNALLED, E.LOSE): S.UNKNOWN,
    (S.SENT, E.ACCEPT): S.ACCEPTED,
    **{(S.SENT, event): end for event, end in _ON_THE_WAY.items()},
    (S.ACCEPTED, E.ACCEPT): S.EXECUTING,
    **{(S.ACCEPTED, event): end for event, end in _ON_THE_WAY.items()},
    **{(S.EXECUTING, event): end for event, end in _ON_THE_WAY.items() if event is not E.REJECT},
}


def after(state: CommandState, event: CommandEvent) -> CommandState | None:
    """The next state, or None where the event does not belong here (the caller records it as late)."""
    return TABLE.get((state, event))
