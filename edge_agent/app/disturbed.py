"""Faults of the transport, put in between the broker and a running agent: the next request comes twice, too late, or
as one that the broker kept. A request of the lab itself is never disturbed, so that one command still clears all."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from edge_agent.desk.arrival import Arrival
from edge_agent.messages import strict_json
from edge_agent.messages.wire import utc_text

DUPLICATE: Final = "transport.duplicate_message"
STALE: Final = "transport.stale_message"
RETAINED: Final = "transport.retained_command"
LATE_BY: Final = timedelta(seconds=60)
"""Far beyond any time to live."""


async def receive(
    arrival: Arrival, agent: Callable[[Arrival], Awaitable[object]], fires: Callable[[str], bool]
) -> None:
    """What `agent` would have been given, disturbed by the faults that are in. Raises what `agent` raises."""
    said = _object(arrival.payload)
    if said.get("type") == "lab":
        await agent(arrival)
        return
    if fires(RETAINED):
        arrival = replace(arrival, retained=True)
    if fires(STALE):
        arrival = replace(arrival, payload=_aged(arrival.payload, said))
    await agent(arrival)
    if fires(DUPLICATE):
        await agent(arrival)


def _object(payload: bytes) -> dict[str, Any]:
    """Nothing where the payload is no object: the agent itself says what is wrong with it."""
    try:
        said = strict_json.loads(payload)
    except strict_json.NotStrictJson:
        return {}
    return said if isinstance(said, dict) else {}


def _aged(payload: bytes, said: dict[str, Any]) -> bytes:
    try:
        issued_at = utc_text(datetime.fromisoformat(str(said["issued_at"])) - LATE_BY)
    except (KeyError, ValueError, OverflowError):
        return payload
    return json.dumps({**said, "issued_at": issued_at}).encode()
