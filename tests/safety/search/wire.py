"""Two messages on their way to the controller: delivered in any order, late, twice, or not at all.

The driver keeps one transaction at a time, and a reply is only ever used for its own request; so what comes back is
the answer of that transaction, as old as the wire made it, or a time-out. A mailbox may be acknowledged before the
controller looks at it, and the receipt still be the last one's then; an acknowledged stop word stands in its register.
Opening a session and taking the stop level back happen within their time-out or not at all: the link is closed
before anything else is said.
"""

from __future__ import annotations

from tests.safety.search.controller import Moves, take
from tests.safety.search.world import WIRE_MAX, Message, World


def post(w: World, message: Message) -> tuple[Message, ...]:
    return tuple(sorted((*w.wire, message)))


def has_room(w: World) -> bool:
    return len(w.wire) < WIRE_MAX


def moves(w: World) -> Moves:
    for index, message in enumerate(w.wire):
        if index and w.wire[index - 1] == message:
            continue
        rest = w.wire[:index] + w.wire[index + 1 :]
        answered = _answered(w, message)
        yield from take(answered._replace(wire=rest), message)
        if answered is not w and message[0] == "M":
            yield "the mailbox is acknowledged before it is looked at", answered
        yield "a message is lost", w._replace(wire=rest, calm=False)
        if w.left.copies and has_room(w):
            left = w.left._replace(copies=w.left.copies - 1)
            yield "a message is doubled", w._replace(wire=post(w, message), left=left, calm=False)


def _answered(w: World, message: Message) -> World:
    waits_for = {"M": "send", "S": "stop"}[message[0]]
    if w.bus is not None and w.bus[0] == waits_for and not w.bus[1]:
        return w._replace(bus=(waits_for, True, None))
    return w
