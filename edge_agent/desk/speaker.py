"""Who is speaking, as the transport proved it: never as a payload says."""

from __future__ import annotations

from dataclasses import dataclass

from edge_agent.messages.acceptance import Channel
from edge_agent.messages.codes import Lang
from edge_agent.safety.permission import Role


@dataclass(frozen=True, slots=True)
class Speaker:
    user: str
    role: Role
    channel: Channel
    lang: Lang
    attached: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Under which a pending question of this person is kept."""
        return (self.user, self.channel)
