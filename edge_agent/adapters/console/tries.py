"""How often a PIN may be tried, and how long a login lasts. Pure; seconds are on the monotonic clock."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Tries:
    """`max_tries` wrong PINs in a row lock every login of this console for `lock_s`, whoever's name was given:
    otherwise each further name would bring further tries."""

    max_tries: int
    lock_s: float
    _wrong: int = 0
    _locked_until_s: float | None = None

    def locked_for_s(self, now_s: float) -> float:
        """Seconds until the next try counts; 0 when one may try now."""
        return 0.0 if self._locked_until_s is None else max(0.0, self._locked_until_s - now_s)

    def left(self) -> int:
        return self.max_tries - self._wrong

    def failed(self, now_s: float) -> bool:
        """A wrong PIN. True when it was one too many."""
        self._wrong += 1
        if self._wrong < self.max_tries:
            return False
        self._wrong, self._locked_until_s = 0, now_s + self.lock_s
        return True

    def passed(self) -> None:
        self._wrong, self._locked_until_s = 0, None


@dataclass(slots=True)
class Login:
    """Who is logged in; over when nothing was typed for `idle_s`."""

    user: str
    idle_s: float
    until_s: float

    @classmethod
    def of(cls, user: str, idle_s: float, now_s: float) -> Login:
        return cls(user, idle_s, now_s + idle_s)

    def touch(self, now_s: float) -> None:
        self.until_s = now_s + self.idle_s

    def over(self, now_s: float) -> bool:
        return now_s >= self.until_s
