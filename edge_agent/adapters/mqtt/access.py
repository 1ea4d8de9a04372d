"""The broker's access list and configuration as text. Pure: the files shipped for a site and those of the demo and
the tests come from the same lines. `python -m edge_agent.adapters.mqtt.access PREFIX [AGENT_LOGIN]` prints the list for
another prefix.

Identity rests on one thing: a user may write below `op/%u/` alone, and `%u` is the login the broker itself checked.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from edge_agent.messages.topics import TOPICS, TopicKind, Topics

_USER_READS: Final = (TopicKind.STATUS, TopicKind.STATE_CELL, TopicKind.CAPABILITIES, TopicKind.ALARM)
_USER_READS_OWN: Final = (TopicKind.RUN, TopicKind.REPLY, TopicKind.LAST, TopicKind.PRESENCE)
_USER_WRITES_OWN: Final = (TopicKind.REQ, TopicKind.STOP, TopicKind.PRESENCE)
_AGENT_READS: Final = (TopicKind.STATUS, TopicKind.REQ, TopicKind.STOP, TopicKind.PRESENCE)

BROKER_MAX_PACKET_BYTES: Final = 16_384


def access_list(prefix: str, agent_user: str, historian_user: str = "historian") -> str:
    """mosquitto's `acl_file` for one cell. What is not named is denied, `$SYS/#` too."""
    topics = Topics(prefix)
    agent = [f"topic read {topics.filter(kind)}" for kind in _AGENT_READS]
    agent += [
        f"topic write {_deeper(topics.filter(kind), kind)}" for kind, rule in TOPICS.items() if rule.sender == "agent"
    ]
    users = [f"pattern read {topics.filter(kind)}" for kind in _USER_READS]
    users += [f"pattern read {_deeper(topics.user_filter(kind, '%u'), kind)}" for kind in _USER_READS_OWN]
    users += [f"pattern write {topics.user_filter(kind, '%u')}" for kind in _USER_WRITES_OWN]
    return "\n".join(
        (
            "# Who may say and hear what. Whatever is not named is denied, $SYS/# too.",
            "# The agent.",
            f"user {agent_user}",
            *agent,
            "",
            "# A historian hears one line a decision.",
            f"user {historian_user}",
            f"topic read {topics.of(TopicKind.AUDIT)}",
            "",
            "# Every login, for itself alone; %u is the login or the client certificate's CN.",
            *users,
            "",
        )
    )


@dataclass(frozen=True, slots=True)
class BrokerFiles:
    """Where a broker started by us finds what it needs."""

    port: int
    password_file: Path
    acl_file: Path
    log_file: Path
    run_as: str
    host: str = "127.0.0.1"


def broker_configuration(files: BrokerFiles) -> str:
    """mosquitto's configuration for the demo and the tests: one listener on loopback, nothing kept on disk."""
    return "\n".join(
        (
            f"listener {files.port} {files.host}",
            # Started as root it drops to another user and then can not read a password file of ours.
            f"user {files.run_as}",
            "allow_anonymous false",
            f"password_file {files.password_file}",
            f"acl_file {files.acl_file}",
            *COMMON_LINES,
            f"log_dest file {files.log_file}",
            "",
        )
    )


COMMON_LINES: Final = (
    "per_listener_settings false",
    "set_tcp_nodelay true",
    "persistence false",
    f"max_packet_size {BROKER_MAX_PACKET_BYTES}",
    "max_queued_messages 200",
    "max_inflight_messages 20",
    "queue_qos0_messages false",
    "retain_available true",
    "sys_interval 0",
)
"""The same in the shipped configuration; a test compares them."""


def _deeper(own: str, kind: TopicKind) -> str:
    """A stream that was asked for elsewhere may have levels of the user's own making."""
    return own.removesuffix("+") + "#" if kind in (TopicKind.REPLY, TopicKind.RUN) else own


if __name__ == "__main__":
    sys.stdout.write(access_list(*(sys.argv[1:3] if len(sys.argv) > 2 else (*sys.argv[1:2], "agent"))))
