"""Who is speaking, as the transport proved it: never as a payload says; and how they are written to."""

from __future__ import annotations

from dataclasses import dataclass

from edge_agent.messages.acceptance import Channel
from edge_agent.messages.codes import Lang
from edge_agent.release.audience import Audience
from edge_agent.release.page import Page
from edge_agent.release.texts import texts
from edge_agent.safety.cell_spec import CellSpec
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


def page_of(speaker: Speaker, spec: CellSpec) -> Page:
    """In the speaker's language, with what the role and this cell leave open to them."""
    audience = Audience(
        role=speaker.role.word,
        simulated=spec.simulated,
        devices=tuple(d.name for d in spec.devices),
        items=tuple(i.name for i in spec.items),
        bins=tuple(b.name for b in spec.bins),
        stations=tuple(s.name for s in spec.stations),
    )
    return Page(texts(speaker.lang), audience)
