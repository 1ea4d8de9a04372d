"""Events that an earlier life wrote down in its last minute, and perhaps never sent: told anew at the next start.

Only those of runs that ended; one that did not is told its end anew. A reader knows a repeat by its `seq`.
"""

from __future__ import annotations

import json
from typing import Final

from edge_agent.desk.arrival import NO_WISH, ReplyTo
from edge_agent.desk.stream import Address
from edge_agent.messages.event import Event, NotAnEvent, parse_event
from edge_agent.run.journal import Journal, Kind, Row

AGAIN_MS: Final = 60_000
"""An agent is up again within seconds; a person who has waited longer has asked anew."""
MAX_EVENTS: Final = 500


async def told_again(journal: Journal, now_ms: int) -> list[tuple[Address, Event]]:
    """In the order in which they were written down. Raises `JournalFault`."""
    rows = await journal.rows(kinds=(Kind.EVENT,), since_ms=now_ms - AGAIN_MS, limit=MAX_EVENTS, newest_first=True)
    sent = [row for row in reversed(rows) if row.epoch < journal.epoch and _was_for_the_broker(row)]
    ended = {(row.body["user"], row.run) for row in sent if row.body["event"]["type"] == "done"}
    events = [(_address(row), _event(row)) for row in sent if (row.body["user"], row.run) in ended]
    return [(address, event) for address, event in events if event is not None]


def _was_for_the_broker(row: Row) -> bool:
    """A console's line is not read twice; what went to `-` is of no stream that a reader could continue."""
    body = row.body
    return bool(body.get("sent")) and body.get("channel") == "mqtt" and body["level"] == row.run


def _address(row: Row) -> Address:
    body = row.body
    wish = body.get("reply_to")
    reply_to = NO_WISH if wish is None else ReplyTo(wish["topic"], bytes.fromhex(wish["correlation"]) or None)
    return Address(body["user"], body["channel"], body["level"], reply_to)


def _event(row: Row) -> Event | None:
    """None where another version of the agent wrote what this one cannot read."""
    try:
        return parse_event(json.dumps(row.body["event"]).encode())
    except NotAnEvent:
        return None
