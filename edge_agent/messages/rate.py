"""How often a user may ask: a token bucket a user. Pure; the monotonic clock is an argument (seconds).

Stops are never counted. What is refused here is still journalled, one row a user and second with a count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

MAX_USERS: Final = 256
"""More users than one cell has; beyond, the fullest bucket (its user waits for nothing) is forgotten."""


@dataclass(frozen=True, slots=True)
class RateLimit:
    """`burst` requests at once, then `per_s` a second. A person types one in two seconds; a page resyncs."""

    burst: int = 20
    per_s: float = 5.0

    def __post_init__(self) -> None:
        if self.burst < 1 or self.per_s <= 0:
            raise ValueError(f"rate limit {self.burst}, {self.per_s}/s: at least one request and a rate above 0")


@dataclass(frozen=True, slots=True)
class Bucket:
    tokens: float
    at_s: float


def take(bucket: Bucket, limit: RateLimit, now_s: float) -> tuple[Bucket, bool]:
    """The bucket after one more request, and whether that request is within the limit."""
    gained = max(0.0, now_s - bucket.at_s) * limit.per_s
    tokens = min(float(limit.burst), bucket.tokens + gained)
    if tokens < 1:
        return Bucket(tokens, now_s), False
    return Bucket(tokens - 1, now_s), True


@dataclass(slots=True)
class Rates:
    """The buckets of all users of one cell."""

    limit: RateLimit = RateLimit()
    _buckets: dict[str, Bucket] = field(default_factory=dict)

    def within(self, user: str, now_s: float) -> bool:
        """Count one request of `user`; False when it is beyond the limit."""
        before = self._buckets.get(user, Bucket(float(self.limit.burst), now_s))
        self._buckets[user], allowed = take(before, self.limit, now_s)
        if len(self._buckets) > MAX_USERS:
            others = (name for name in self._buckets if name != user)
            del self._buckets[max(others, key=lambda name: self._buckets[name].tokens)]
        return allowed
