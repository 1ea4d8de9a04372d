"""What a site forbids besides all that holds anyway. A rule can only refuse; none can let anything pass. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SiteRule:
    """Refuses a motion that fits all of its lists; an empty list fits everything. `zh` and `en` say why."""

    id: str
    zh: str
    en: str
    actions: frozenset[str] = frozenset()
    items: frozenset[str] = frozenset()
    bins: frozenset[str] = frozenset()
    stations: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()

    def fits(self, role: str, action: str, said: Mapping[str, str]) -> bool:
        asked = (
            (self.actions, action),
            (self.items, said.get("item_type")),
            (self.bins, said.get("bin")),
            (self.stations, said.get("station")),
            (self.roles, role),
        )
        return all(not wanted or value in wanted for wanted, value in asked)


def blocking(rules: Iterable[SiteRule], role: str, action: str, said: Mapping[str, str]) -> SiteRule | None:
    """The first rule that refuses this."""
    return next((rule for rule in rules if rule.fits(role, action, said)), None)
