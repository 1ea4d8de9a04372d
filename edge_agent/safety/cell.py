"""The cell as a table: state × event → state and effects. The table is the code; every pair is in it.

How to read a row: for each event, the states in which something happens; in all others the event either changes
nothing (`LATE`) or is refused (`REFUSE`). Nothing here knows a clock, a wire or a file: the supervisor turns what
it sees into events and carries effects out, in the order given. Two rules carry the whole:

  * `SEND` stands on exactly one pair, and that pair leaves its state. No second event can repeat it.
  * `LATCH` stands before anything that is reported: a lockout is stored, then told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class CellState(StrEnum):
    OFFLINE = "OFFLINE"
    READY = "READY"
    AWAITING_CONFIRMATION = "AWAITING_CONFIRMATION"
    DISPATCHING = "DISPATCHING"
    AWAITING_RECEIPT = "AWAITING_RECEIPT"
    EXECUTING = "EXECUTING"
    STOPPING = "STOPPING"
    STOPPED = "STOPPED"
    LOCKED_OUT = "LOCKED_OUT"
    MANUAL = "MANUAL"


class CellEvent(StrEnum):
    IDENTIFIED = "IDENTIFIED"  # the right controller, idle, in remote automatic, no stop held
    LINK_DOWN = "LINK_DOWN"
    MODE_LEFT = "MODE_LEFT"  # the controller is not in remote automatic
    FOUND_STOPPED = "FOUND_STOPPED"  # identified, and a stop is still held from before
    INTERLOCK_OPENED = "INTERLOCK_OPENED"  # guard, controller e-stop, protective stop or fault shown
    INTEGRITY_LOST = "INTEGRITY_LOST"  # heartbeat frozen, boot id changed, counters that do not add up
    FOUND_UNFINISHED = "FOUND_UNFINISHED"  # at start: a stored command without an end, or a stored lockout
    PROMPT_OPENED = "PROMPT_OPENED"
    PROMPT_CLOSED = "PROMPT_CLOSED"  # declined, cancelled, or no longer holding when it was about to be sent
    PROMPT_EXPIRED = "PROMPT_EXPIRED"
    CONFIRMED = "CONFIRMED"
    INTENT_STORED = "INTENT_STORED"
    SENT = "SENT"
    NOT_SENT = "NOT_SENT"  # proved: no byte left
    SEND_FAILED = "SEND_FAILED"
    ACCEPTED = "ACCEPTED"
    VERIFIED = "VERIFIED"
    REJECTED = "REJECTED"  # the controller's legal refusal: not started
    ABORTED = "ABORTED"
    ABORTED_BY_STOP = "ABORTED_BY_STOP"  # code 0206
    RECEIPT_WRONG = "RECEIPT_WRONG"
    DEADLINE = "DEADLINE"
    STOP_ASKED = "STOP_ASKED"
    STOP_PROVED = "STOP_PROVED"
    STOP_UNPROVED = "STOP_UNPROVED"
    RELEASE_ASKED = "RELEASE_ASKED"
    RELEASED = "RELEASED"  # read back: idle, nothing to reset
    JOURNAL_FAULT = "JOURNAL_FAULT"
    RESET = "RESET"  # a technician, at the cell, with a reason, after a read-back


class Effect(StrEnum):
    STORE_INTENT = "STORE_INTENT"
    SEND = "SEND"
    STOP = "STOP"
    SILENCE = "SILENCE"
    LATCH = "LATCH"
    RELEASE = "RELEASE"
    UNLATCH = "UNLATCH"
    VOID_PROMPT = "VOID_PROMPT"
    NOTE_SENT = "NOTE_SENT"
    NOTE_ACCEPTED = "NOTE_ACCEPTED"
    END_VERIFIED = "END_VERIFIED"
    END_REJECTED = "END_REJECTED"
    END_ABORTED = "END_ABORTED"
    END_CANCELLED = "END_CANCELLED"
    END_EXPIRED = "END_EXPIRED"
    END_UNKNOWN = "END_UNKNOWN"
    REFUSE = "REFUSE"
    LATE = "LATE"


@dataclass(frozen=True, slots=True)
class Transition:
    state: CellState
    effects: tuple[Effect, ...] = ()


S, E, F = CellState, CellEvent, Effect

BUSY = (S.AWAITING_RECEIPT, S.EXECUTING)
"""A mailbox write was made. In DISPATCHING it was not, and cannot be once the state is left: what goes wrong there
cancels the command, provably without a frame."""
_IDLE = (S.OFFLINE, S.READY, S.AWAITING_CONFIRMATION, S.MANUAL)
_LOCK = (S.LOCKED_OUT, F.LATCH, F.STOP, F.SILENCE, F.VOID_PROMPT)
_LOST = (*_LOCK, F.END_UNKNOWN)
_LOST_UNSENT = (*_LOCK, F.END_CANCELLED)

Row = Mapping[tuple[CellState, ...], tuple[CellState | Effect, ...]]

_ROWS: dict[CellEvent, tuple[Effect, Row]] = {
    E.IDENTIFIED: (F.LATE, {(S.OFFLINE, S.MANUAL): (S.READY,)}),
    E.LINK_DOWN: (
        F.LATE,
        {
            (S.READY, S.AWAITING_CONFIRMATION, S.MANUAL): (S.OFFLINE, F.VOID_PROMPT),
            (S.DISPATCHING,): (S.OFFLINE, F.END_CANCELLED),
            (*BUSY, S.STOPPING): _LOST,
        },
    ),
    E.MODE_LEFT: (
        F.LATE,
        {
            (S.OFFLINE, S.READY, S.AWAITING_CONFIRMATION): (S.MANUAL, F.VOID_PROMPT),
            (S.DISPATCHING,): (S.MANUAL, F.END_CANCELLED),
            BUSY: _LOST,
        },
    ),
    E.FOUND_STOPPED: (
        F.LATE,
        {
            (S.OFFLINE, S.MANUAL, S.READY, S.AWAITING_CONFIRMATION): (S.STOPPED, F.VOID_PROMPT),
            (S.DISPATCHING,): (S.STOPPED, F.END_CANCELLED),
        },
    ),
    E.INTERLOCK_OPENED: (
        F.LATE,
        {
            (S.AWAITING_CONFIRMATION,): (S.READY, F.VOID_PROMPT),
            (S.DISPATCHING,): (S.READY, F.END_CANCELLED),
            BUSY: _LOST,
        },
    ),
    E.INTEGRITY_LOST: (
        F.LATE,
        {(*_IDLE, *BUSY, S.STOPPING, S.STOPPED): _LOST, (S.DISPATCHING,): _LOST_UNSENT},
    ),
    E.FOUND_UNFINISHED: (F.LATE, {(*_IDLE, S.STOPPED): _LOST}),
    E.PROMPT_OPENED: (F.REFUSE, {(S.READY,): (S.AWAITING_CONFIRMATION,)}),
    E.PROMPT_CLOSED: (
        F.LATE,
        {(S.AWAITING_CONFIRMATION, S.DISPATCHING): (S.READY, F.END_CANCELLED)},  # taken back while nothing is sent
    ),
    E.PROMPT_EXPIRED: (F.LATE, {(S.AWAITING_CONFIRMATION,): (S.READY, F.END_EXPIRED)}),
    E.CONFIRMED: (F.REFUSE, {(S.AWAITING_CONFIRMATION,): (S.DISPATCHING, F.STORE_INTENT)}),
    E.INTENT_STORED: (F.LATE, {(S.DISPATCHING,): (S.AWAITING_RECEIPT, F.SEND)}),
    E.SENT: (F.LATE, {(S.AWAITING_RECEIPT, S.STOPPING): (F.NOTE_SENT,)}),
    E.NOT_SENT: (
        F.LATE,
        {(S.AWAITING_RECEIPT,): (S.OFFLINE, F.END_REJECTED), (S.STOPPING,): (F.END_REJECTED,)},
    ),
    E.SEND_FAILED: (F.LATE, {(S.AWAITING_RECEIPT, S.STOPPING): _LOST}),
    E.ACCEPTED: (
        F.LATE,
        {(S.AWAITING_RECEIPT,): (S.EXECUTING, F.NOTE_ACCEPTED), (S.EXECUTING, S.STOPPING): (F.NOTE_ACCEPTED,)},
    ),
    E.VERIFIED: (
        F.LATE,
        {(S.AWAITING_RECEIPT, S.EXECUTING): (S.READY, F.END_VERIFIED), (S.STOPPING,): (F.END_VERIFIED,)},
    ),
    E.REJECTED: (
        F.LATE,
        {
            (S.AWAITING_RECEIPT,): (S.READY, F.END_REJECTED),
            (S.STOPPING,): (F.END_REJECTED,),
            (S.EXECUTING,): _LOST,  # said to have begun, then said never to have begun: believed in neither
        },
    ),
    E.ABORTED: (F.LATE, {(*BUSY, S.STOPPING): (*_LOCK, F.END_ABORTED)}),
    E.ABORTED_BY_STOP: (F.LATE, {(S.STOPPING,): (F.END_ABORTED,), BUSY: (*_LOCK, F.END_ABORTED)}),
    E.RECEIPT_WRONG: (F.LATE, {(*BUSY, S.STOPPING): _LOST}),
    E.DEADLINE: (F.LATE, {BUSY: _LOST}),
    E.STOP_ASKED: (
        F.STOP,  # again, in whatever state: stopping twice harms nobody
        {
            # STOPPED too: a stop asked for anew is owed its own proof, and takes a release under way back
            (*_IDLE, *BUSY, S.STOPPED): (S.STOPPING, F.STOP, F.VOID_PROMPT),
            (S.DISPATCHING,): (S.STOPPING, F.STOP, F.VOID_PROMPT, F.END_CANCELLED),
        },
    ),
    E.STOP_PROVED: (F.LATE, {(S.STOPPING,): (S.STOPPED, F.END_ABORTED)}),
    E.STOP_UNPROVED: (F.LATE, {(S.STOPPING,): _LOST}),
    E.RELEASE_ASKED: (F.REFUSE, {(S.STOPPED,): (F.RELEASE,)}),
    E.RELEASED: (F.LATE, {(S.STOPPED,): (S.READY,)}),
    E.JOURNAL_FAULT: (
        F.STOP,
        {(*_IDLE, *BUSY, S.STOPPING, S.STOPPED): _LOST, (S.DISPATCHING,): _LOST_UNSENT},
    ),
    E.RESET: (F.REFUSE, {(S.LOCKED_OUT,): (S.OFFLINE, F.UNLATCH)}),
}


def _transition(state: CellState, cell: tuple[CellState | Effect, ...]) -> Transition:
    target = next((x for x in cell if isinstance(x, CellState)), state)
    return Transition(target, tuple(x for x in cell if isinstance(x, Effect)))


def build(rows: Mapping[CellEvent, tuple[Effect, Row]]) -> dict[tuple[CellState, CellEvent], Transition]:
    """The full table. Raises `ValueError` for an event without a row or a state named twice in one."""
    table: dict[tuple[CellState, CellEvent], Transition] = {}
    for event in CellEvent:
        if event not in rows:
            raise ValueError(f"no row for {event}")
        otherwise, named = rows[event]
        for states, cell in named.items():
            for state in states:
                if (state, event) in table:
                    raise ValueError(f"{state} stands twice in the row of {event}")
                table[state, event] = _transition(state, cell)
        for state in CellState:
            table.setdefault((state, event), Transition(state, (otherwise,)))
    return table


TABLE = build(_ROWS)
