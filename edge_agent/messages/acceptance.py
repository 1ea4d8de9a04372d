"""The order in which a request is judged, as a table; the first check that fails names the rejection. Pure.

What the bytes and the topic show (size, UTF-8, JSON, schema, user) is judged before, by `parse_request`. What the
sentence says, the cell contract and the confirmation are judged after, each where it is understood. Before all of
it, the stop lexicon is tried on `parse.spoken_text` of whatever was not retained: a stop stops, whatever then
becomes of the request. Facts are read by the caller and handed in, so that every order of events is a test row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

from edge_agent.messages.codes import Role
from edge_agent.messages.parse import refused
from edge_agent.messages.rejection import Rejection, RejectionName
from edge_agent.messages.request import Cancel, Confirm, ReleaseStop, Request
from edge_agent.messages.states import CellStateWord

MAX_AHEAD: Final = timedelta(seconds=5)
"""A sender's clock may be this far ahead of ours before its times mean nothing."""

Channel: TypeAlias = Literal["mqtt", "console"]


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything beside the request that decides. `first_state` is the state of the run that this id had before;
    `permitted` is the permission table's word on this request's operation; `attached_here` says that the presence
    which the request names is there now; `full` that as many runs are open as there may be."""

    retained: bool
    first_state: str | None
    within_rate: bool
    epoch: int
    now: datetime
    role: Role | None
    permitted: bool
    channel: Channel
    attached_here: bool
    cell_state: CellStateWord
    full: bool = False


@dataclass(frozen=True, slots=True)
class Accepted:
    request: Request
    role: Role


Found: TypeAlias = tuple[RejectionName, str] | tuple[RejectionName, str, Mapping[str, str | int]] | None
Check: TypeAlias = Callable[[Request, Facts], Found]


def accept(request: Request, facts: Facts) -> Accepted | Rejection:
    """The request may be run now, or the first reason why not."""
    return _judge(request, facts, ORDER)


def accept_again(request: Request, facts: Facts) -> Accepted | Rejection:
    """The same for what may have changed since, just before dispatch."""
    return _judge(request, facts, AGAIN)


def _judge(request: Request, facts: Facts, order: tuple[Check, ...]) -> Accepted | Rejection:
    for check in order:
        found = check(request, facts)
        if found is not None:
            return refused(request, *found)
    if facts.role is None:
        return refused(request, RejectionName.FORBIDDEN, "no role")
    return Accepted(request, facts.role)


def _retained(_request: Request, facts: Facts) -> Found:
    return (RejectionName.RETAINED, "the retained flag is set") if facts.retained else None


def _duplicate(_request: Request, facts: Facts) -> Found:
    if facts.first_state is None:
        return None
    return RejectionName.DUPLICATE, f"first run: {facts.first_state}"


def _rate(_request: Request, facts: Facts) -> Found:
    return None if facts.within_rate else (RejectionName.RATE_LIMITED, "beyond this user's rate")


def _room(request: Request, facts: Facts) -> Found:
    """What makes room is always heard."""
    if not facts.full or isinstance(request, Cancel):
        return None
    return RejectionName.BUSY, "too many requests are open"


def _epoch(request: Request, facts: Facts) -> Found:
    if request.epoch is None or request.epoch == facts.epoch:
        return None
    return RejectionName.STALE_EPOCH, f"epoch {request.epoch}, now {facts.epoch}"


def _epoch_quoted(request: Request, facts: Facts) -> Found:
    """Before a dispatch there is no request without an epoch."""
    if request.epoch == facts.epoch:
        return None
    return RejectionName.STALE_EPOCH, f"epoch {request.epoch}, now {facts.epoch}"


def _age(request: Request, facts: Facts) -> Found:
    age = facts.now - request.issued_at
    if age < -MAX_AHEAD:
        return RejectionName.CLOCK, f"issued {-age.total_seconds():.1f} s ahead of the agent's clock"
    if age > timedelta(milliseconds=request.ttl_ms):
        told = {"age_ms": round(age.total_seconds() * 1000), "ttl_ms": request.ttl_ms}
        return RejectionName.EXPIRED, f"{age.total_seconds():.1f} s old, good for {request.ttl_ms / 1000:.1f} s", told
    return None


def _role(request: Request, facts: Facts) -> Found:
    if facts.role is None:
        return RejectionName.FORBIDDEN, "this login has no role in this cell"
    if not facts.permitted:
        return RejectionName.FORBIDDEN, f"{facts.role} may not {request.type}"
    return None


def _live_session(request: Request, facts: Facts) -> Found:
    """A motion is confirmed by somebody who is there."""
    if not isinstance(request, Confirm) or facts.channel == "console":
        return None
    if request.attached is None or not facts.attached_here:
        return RejectionName.NOT_LIVE, "a confirmation must name a presence that is there now"
    return None


_UNFIT_FOR_A_YES: Final[dict[CellStateWord, RejectionName]] = {
    "OFFLINE": RejectionName.MODE,
    "MANUAL": RejectionName.MODE,
    "LOCKED_OUT": RejectionName.LOCKED_OUT,
    "DISPATCHING": RejectionName.BUSY,
    "AWAITING_RECEIPT": RejectionName.BUSY,
    "EXECUTING": RejectionName.BUSY,
    "STOPPING": RejectionName.BUSY,
}
"""STOPPED is fit: the confirmation of a release comes then; a motion's is void by its own rule."""


def _cell(request: Request, facts: Facts) -> Found:
    """A no is always heard."""
    state = facts.cell_state
    if isinstance(request, Confirm) and request.confirm and state in _UNFIT_FOR_A_YES:
        return _UNFIT_FOR_A_YES[state], f"the cell is {state}", {"state": state}
    if isinstance(request, ReleaseStop) and state != "STOPPED":
        name = RejectionName.LOCKED_OUT if state == "LOCKED_OUT" else RejectionName.NOT_STOPPED
        return name, f"the cell is {state}, not STOPPED", {"state": state}
    return None


ORDER: Final[tuple[Check, ...]] = (_retained, _duplicate, _rate, _room, _epoch, _age, _role, _live_session, _cell)
AGAIN: Final[tuple[Check, ...]] = (_age, _role, _live_session, _epoch_quoted)
"""The cell's state is judged by its own table at this point, in the same breath as the dispatch."""
