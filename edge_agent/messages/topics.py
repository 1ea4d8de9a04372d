"""The topics as a table, and who a topic speaks for. Pure.

`{prefix}` is `edge-agent/v1/{cell}` unless the site names another path. The user in a topic is bound by the broker's
access list to the login; this is the only place where the agent learns who speaks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

from edge_agent.messages.wire import CLIENT_PATTERN, USER_PATTERN

DEFAULT_PREFIX: Final = "edge-agent/v1/cell01"
_LEVEL: Final = r"[A-Za-z0-9_.\-]{1,64}"
_PREFIX = re.compile(rf"{_LEVEL}(/{_LEVEL}){{0,11}}", re.ASCII)
_USER = re.compile(USER_PATTERN, re.ASCII)
_CLIENT = re.compile(CLIENT_PATTERN, re.ASCII)
_MAX_TOPIC: Final = 256


class TopicKind(StrEnum):
    STATUS = "status"
    STATE_CELL = "state_cell"
    CAPABILITIES = "capabilities"
    ALARM = "alarm"
    REQ = "req"
    STOP = "stop"
    RUN = "run"
    LAST = "last"
    PRESENCE = "presence"
    REPLY = "reply"
    AUDIT = "audit"


@dataclass(frozen=True, slots=True)
class TopicRule:
    """`expiry_s` 0: the message has no expiry. `{}` levels are filled by name."""

    path: str
    sender: Literal["agent", "user"]
    qos: Literal[0, 1]
    retain: bool
    expiry_s: int
    says: str


TOPICS: Final[dict[TopicKind, TopicRule]] = {
    TopicKind.STATUS: TopicRule("status", "agent", 1, True, 0, "whether the agent is there"),
    TopicKind.STATE_CELL: TopicRule("state/cell", "agent", 1, True, 0, "the cell's state"),
    TopicKind.CAPABILITIES: TopicRule("capabilities", "agent", 1, True, 0, "what the cell has and may do"),
    TopicKind.ALARM: TopicRule("alarm/{alarm}", "agent", 1, True, 0, "one alarm while it needs a person"),
    TopicKind.REQ: TopicRule("op/{user}/req", "user", 1, False, 0, "a request"),
    TopicKind.STOP: TopicRule("op/{user}/stop", "user", 1, False, 0, "a stop request, ahead of everything"),
    TopicKind.RUN: TopicRule("op/{user}/run/{run}", "agent", 1, False, 0, "the event stream of a run"),
    TopicKind.LAST: TopicRule("op/{user}/last", "agent", 1, True, 3600, "where a page that was reloaded catches up"),
    TopicKind.PRESENCE: TopicRule("op/{user}/presence/{client}", "user", 1, True, 30, "a page or terminal is there"),
    TopicKind.REPLY: TopicRule("op/{user}/reply/{run}", "agent", 1, False, 0, "a stream asked for elsewhere"),
    TopicKind.AUDIT: TopicRule("audit", "agent", 0, False, 0, "one line a decision, for a historian"),
}
PRESENCE_HERE: Final = b"HERE"
PRESENCE_RENEW_S: Final = 10.0
PRESENCE_EXPIRY_S: Final = 30


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of one cell. Raises ValueError for a prefix that holds wildcards, spaces or empty levels."""

    prefix: str = DEFAULT_PREFIX

    def __post_init__(self) -> None:
        if not _PREFIX.fullmatch(self.prefix):
            raise ValueError(f"prefix {self.prefix!r}: levels of letters, digits, _ . - parted by / were expected")

    def of(self, kind: TopicKind, **levels: str) -> str:
        """The topic of `kind` with its levels filled in. Raises ValueError for a level that is none."""
        for name, level in levels.items():
            if not re.fullmatch(_LEVEL, level):
                raise ValueError(f"{name}: {level!r} can not be a topic level")
        return f"{self.prefix}/{TOPICS[kind].path.format(**levels)}"

    def filter(self, kind: TopicKind) -> str:
        """The subscription that covers every topic of `kind`."""
        return f"{self.prefix}/" + re.sub(r"\{\w+\}", "+", TOPICS[kind].path)

    def user_filter(self, kind: TopicKind, user: str) -> str:
        """The same for one user."""
        return f"{self.prefix}/" + re.sub(r"\{\w+\}", "+", TOPICS[kind].path.replace("{user}", user))

    def read(self, topic: str) -> Spoken | None:
        """Who speaks on a topic that users write to; None for any other topic or a name out of form."""
        head, levels = f"{self.prefix}/op/", topic.removeprefix(f"{self.prefix}/op/").split("/")
        if not topic.startswith(head) or not _USER.fullmatch(levels[0]):
            return None
        match levels[1:]:
            case ["req"]:
                return Spoken(TopicKind.REQ, levels[0])
            case ["stop"]:
                return Spoken(TopicKind.STOP, levels[0])
            case ["presence", client] if _CLIENT.fullmatch(client):
                return Spoken(TopicKind.PRESENCE, levels[0], client)
            case _:
                return None

    def answer(self, user: str, run: str, wished: str | None) -> str:
        """Where the events of `run` go: the response topic the sender wished if it lies below the sender's own
        `reply/` or `run/` (never where users send: the agent would talk to itself), else the run's own topic."""
        own = re.compile(rf"{re.escape(self.prefix)}/op/{re.escape(user)}/(reply|run)/{_PREFIX.pattern}", re.ASCII)
        if wished is not None and len(wished) <= _MAX_TOPIC and own.fullmatch(wished):
            return wished
        return self.of(TopicKind.RUN, user=user, run=run)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message of `user`. `client` is the page or terminal, for presence alone."""

    kind: TopicKind
    user: str
    client: str = ""
