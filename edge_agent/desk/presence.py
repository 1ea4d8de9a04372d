"""Whose pages and terminals are there: told by them, renewed by them, and gone when their time is over. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

GRACE_S = 3.0
"""A page that is reloaded comes back within this; a run is not called off for less."""


@dataclass(slots=True)
class Presences:
    """Seconds are on the monotonic clock. A presence without renewal ends by its own expiry."""

    _until_s: dict[tuple[str, str], float] = field(default_factory=dict)
    _gone_at_s: dict[tuple[str, str], float] = field(default_factory=dict)

    def here(self, user: str, client: str, until_s: float) -> None:
        self._until_s[user, client] = until_s
        self._gone_at_s.pop((user, client), None)

    def left(self, user: str, client: str, now_s: float) -> None:
        if self._until_s.pop((user, client), None) is not None:
            self._gone_at_s[user, client] = now_s

    def is_here(self, user: str, client: str | None, now_s: float) -> bool:
        return client is not None and now_s < self._until_s.get((user, client), 0.0)

    def gone(self, now_s: float) -> list[tuple[str, str]]:
        """Those who have been away for the grace time; each is named once."""
        for key, until_s in list(self._until_s.items()):
            if now_s >= until_s:
                self.left(*key, now_s=until_s)
        over = [key for key, at_s in self._gone_at_s.items() if now_s - at_s >= GRACE_S]
        for key in over:
            del self._gone_at_s[key]
        return over
