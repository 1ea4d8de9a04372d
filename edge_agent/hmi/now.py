"""What a page knows of broker, agent and cell at this moment, and how sure it may be. Pure; the clock is an argument.

A retained ONLINE is what somebody said once. Alive is only an agent that was heard since: a heartbeat that follows
another one, or an event of a run. Older than `SILENT_S` it counts for nothing, whatever the retained word says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from edge_agent.messages.alarm import AlarmMessage
from edge_agent.messages.capabilities import CapabilitiesMessage
from edge_agent.messages.cell_state import CellStateMessage
from edge_agent.messages.content import Session
from edge_agent.messages.status import HEARTBEAT_S, StatusMessage

SILENT_S: Final = HEARTBEAT_S + 0.7
"""A dead agent must be seen as such within 3 s; a page looks five times a second."""
MAX_ALARMS: Final = 64


class Link(StrEnum):
    """The page's own connection to the broker."""

    OPENING = "opening"
    UP = "up"
    DOWN = "down"
    REFUSED = "refused"


class Connection(StrEnum):
    """What a person is told about who is there."""

    NO_BROKER = "no_broker"
    WAITING = "waiting"
    """The broker is there; no heartbeat has proved the agent yet."""
    LIVE = "live"
    SILENT = "silent"
    BROKEN = "broken"
    OFFLINE = "offline"


@dataclass(slots=True)
class Now:
    link: Link = Link.OPENING
    why_down: str = ""
    since_s: float = 0.0
    status: StatusMessage | None = None
    heard_s: float | None = None
    """When the agent was last heard alive, on this connection."""
    cell: CellStateMessage | None = None
    capabilities: CapabilitiesMessage | None = None
    session: Session | None = None
    alarms: dict[str, AlarmMessage] = field(default_factory=dict)

    def link_is(self, link: Link, now_s: float, why: str = "") -> None:
        self.link, self.why_down, self.since_s = link, why, now_s
        if link is not Link.UP:
            self.status, self.heard_s = None, None

    def beat(self, status: StatusMessage, now_s: float) -> None:
        before = self.status
        self.status = status
        if status.status != "ONLINE":
            self.heard_s = None
        elif before is not None and (before.instance, before.beat) != (status.instance, status.beat):
            self.heard_s = now_s

    def heard(self, now_s: float) -> None:
        """An event of a run came: nobody but a living agent sends one."""
        self.heard_s = now_s

    def alarm(self, name: str, message: AlarmMessage | None) -> None:
        """None: it was taken off its topic."""
        if message is None or not message.retained:
            self.alarms.pop(name, None)
        elif name in self.alarms or len(self.alarms) < MAX_ALARMS:
            self.alarms[name] = message

    def standing(self) -> list[AlarmMessage]:
        """What needs a person, the gravest and the newest first."""
        rank = {"urgent": 0, "high": 1, "medium": 2, "low": 3}
        return sorted(
            self.alarms.values(), key=lambda a: (a.acked, not a.active, rank[a.severity], -a.raised_at.timestamp())
        )

    def connection(self, now_s: float) -> Connection:
        if self.link is not Link.UP:
            return Connection.NO_BROKER
        if self.status is not None and self.status.status == "CONNECTION_BROKEN":
            return Connection.BROKEN
        if self.status is not None and self.status.status == "OFFLINE":
            return Connection.OFFLINE
        known_s = self.since_s if self.heard_s is None else self.heard_s
        if now_s - known_s > SILENT_S:
            return Connection.SILENT
        return Connection.WAITING if self.heard_s is None else Connection.LIVE
