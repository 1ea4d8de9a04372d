"""The machine under the agent, looked at every few seconds: what is amiss for longer than its hold time is an alarm.

A look costs microseconds: a file system's own figures and one name in `/run`; nothing here waits for a device.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from edge_agent.messages.acceptance import Channel
from edge_agent.messages.alarm import AlarmType
from edge_agent.messages.rejection import Rejection, RejectionName
from edge_agent.understand.scores import ModelCause, NoUsableModel

LOOK_EVERY_S: Final = 3.0
MODEL_HOLD_S: Final = 30.0
"""A worker that died is back within seconds; on a busy core a start takes longer, and rules answer meanwhile."""
STORAGE_HOLD_S: Final = 10.0
CLOCK_HOLD_S: Final = 60.0
"""After power-on the network comes first, and the time after it."""
LOW_FREE_BYTES: Final = 256 << 20
"""About one segment of the journal with its write-ahead log."""
SLOW_COMMIT_MS: Final = 200.0
"""A commit above this leaves the command path no time of its own."""
VIOLATION_SHOWN_S: Final = 60.0
"""How long an attempt counts as going on; its alarm stays until a person has seen it."""
TIMESYNC: Final = Path("/run/systemd/timesync")
"""systemd-timesyncd(8): the folder is there while the service runs, `synchronized` in it once the clock was set."""
AWAY: Final = frozenset({ModelCause.DOWN, ModelCause.BREAKER_OPEN})
"""No model wanted, or one that is not qualified, is how the site was set up, and no event."""
VIOLATIONS: Final = frozenset({RejectionName.IDENTITY, RejectionName.FORBIDDEN})

Seen: TypeAlias = Callable[[], str | None]
"""What is amiss now, as a detail for the alarm's cause (may be empty); None where nothing is."""
SetAlarm: TypeAlias = Callable[[AlarmType, bool, str, str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Condition:
    alarm: AlarmType
    source: str
    hold_s: float
    seen: Seen


@dataclass(slots=True)
class Health:
    """Raises after `hold_s` without a break, and takes back only what it raised itself."""

    conditions: tuple[Condition, ...]
    set_alarm: SetAlarm
    monotonic_s: Callable[[], float]
    _since_s: dict[AlarmType, float] = field(default_factory=dict)
    _raised: set[AlarmType] = field(default_factory=set)

    async def look(self) -> None:
        for each in self.conditions:
            await self._look_at(each)

    async def _look_at(self, each: Condition) -> None:
        detail = each.seen()
        if detail is None:
            self._since_s.pop(each.alarm, None)
            if each.alarm in self._raised:
                self._raised.discard(each.alarm)
                await self.set_alarm(each.alarm, False, each.source, "")
            return
        now_s = self.monotonic_s()
        if now_s - self._since_s.setdefault(each.alarm, now_s) >= each.hold_s and each.alarm not in self._raised:
            self._raised.add(each.alarm)
            await self.set_alarm(each.alarm, True, each.source, detail)


@dataclass(slots=True)
class Violations:
    """The newest request over the broker that used a right or a login that was not its sender's."""

    monotonic_s: Callable[[], float]
    _detail: str = ""
    _until_s: float = float("-inf")

    def note(self, channel: Channel, user: str | None, rejection: Rejection) -> None:
        if channel == "mqtt" and rejection.name in VIOLATIONS:
            self._detail = f"{user or '-'}: {rejection.detail}"
            self._until_s = self.monotonic_s() + VIOLATION_SHOWN_S

    def seen(self) -> str | None:
        return self._detail if self.monotonic_s() < self._until_s else None


def model_away(usable: Callable[[], NoUsableModel | None]) -> Seen:
    def seen() -> str | None:
        lacking = usable()
        return lacking.cause.value if lacking is not None and lacking.cause in AWAY else None

    return seen


def storage_low(folder: Path, commit_ms: Callable[[], float]) -> Seen:
    """Free space for an unprivileged writer, or a folder that can't be asked; and the journal's first commit."""

    def seen() -> str | None:
        try:
            figures = os.statvfs(folder)
        except OSError as gone:
            return str(gone.strerror)
        free = figures.f_bavail * figures.f_frsize
        if free < LOW_FREE_BYTES:
            return f"{free >> 20} MiB"
        return f"{commit_ms():.0f} ms" if commit_ms() > SLOW_COMMIT_MS else None

    return seen


def clock_unsynced(folder: Path = TIMESYNC) -> Seen:
    """Says nothing where another service sets the clock: it can't be asked without one of its own."""
    return lambda: "" if folder.is_dir() and not (folder / "synchronized").exists() else None
