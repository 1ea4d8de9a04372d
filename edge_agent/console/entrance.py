"""Who is at the console: a technician after a PIN, or nobody. Every login, refusal and end is written down."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Final, Literal, TypeAlias

from edge_agent.adapters.console.pin import NOBODY, PinFileBroken, fits, read_pins
from edge_agent.adapters.console.tries import Login, Tries
from edge_agent.adapters.log import log
from edge_agent.desk.alarms import AlarmBoard
from edge_agent.run.journal import Entry, Journal, JournalFault, Kind

PIN_ENTRY_S: Final = 60.0
"""A PIN that is asked for and not typed is no longer waited for."""

Left: TypeAlias = Literal["logout", "idle", "port_lost", "agent_stops"]

_log = log("console")


class Admission(Enum):
    IN = auto()
    WRONG = auto()
    LOCKED = auto()
    NO_FILE = auto()
    FILE_BROKEN = auto()


@dataclass(frozen=True, slots=True)
class Policy:
    """`pin_file` None: nobody can log in."""

    pin_file: Path | None
    max_tries: int = 5
    lock_s: float = 300.0
    idle_s: float = 300.0


class Entrance:
    def __init__(self, policy: Policy, journal: Journal, alarms: AlarmBoard, monotonic_s: Callable[[], float]) -> None:
        self._policy, self._journal, self._alarms, self._monotonic_s = policy, journal, alarms, monotonic_s
        self._tries = Tries(policy.max_tries, policy.lock_s)
        self._login: Login | None = None
        self._asked: tuple[str, float] | None = None
        self._alarmed = False

    @property
    def user(self) -> str | None:
        """Who is logged in now; None where nobody is, or was idle for too long."""
        login = self._login
        return None if login is None or login.over(self._monotonic_s()) else login.user

    @property
    def speaks_as(self) -> str:
        return self.user or NOBODY

    def touch(self) -> None:
        """A line was typed."""
        if self._login is not None and self.user is not None:
            self._login.touch(self._monotonic_s())

    # -- the PIN ----------------------------------------------------------------------------------------------

    @property
    def asking(self) -> str | None:
        """Whose PIN is being typed."""
        if self._asked is not None and self._monotonic_s() >= self._asked[1]:
            self._asked = None
        return None if self._asked is None else self._asked[0]

    def ask(self, name: str) -> None:
        self._asked = (name, self._monotonic_s() + PIN_ENTRY_S)

    def give_up(self) -> None:
        self._asked = None

    def locked_for_s(self) -> float:
        return self._tries.locked_for_s(self._monotonic_s())

    def tries_left(self) -> int:
        return self._tries.left()

    async def enter(self, name: str, pin: str) -> Admission:
        """A right PIN logs in, and logs out whoever was in; a wrong one counts."""
        if self.locked_for_s() > 0:
            return Admission.LOCKED
        if self._policy.pin_file is None:
            return Admission.NO_FILE
        try:
            right = await asyncio.to_thread(_checked, self._policy.pin_file, name, pin)
        except PinFileBroken as broken:
            _log.error("pin_file_broken", why=str(broken))
            return Admission.FILE_BROKEN
        return await (self._let_in(name) if right else self._keep_out(name))

    async def _let_in(self, name: str) -> Admission:
        await self.leave("logout")
        self._tries.passed()
        self._login = Login.of(name, self._policy.idle_s, self._monotonic_s())
        await self._note("login", name)
        return Admission.IN

    async def _keep_out(self, name: str) -> Admission:
        locked = self._tries.failed(self._monotonic_s())
        await self._note("login_locked" if locked else "login_refused", name)
        if locked:
            await self._alarm(True)
        return Admission.LOCKED if locked else Admission.WRONG

    # -- the end ----------------------------------------------------------------------------------------------

    async def leave(self, why: Left) -> str | None:
        """Who left; None where nobody was in."""
        login, self._login = self._login, None
        if login is None:
            return None
        await self._note(why, login.user)
        return login.user

    def idle_too_long(self) -> bool:
        return self._login is not None and self.user is None

    async def lock_over(self) -> None:
        """Takes the alarm back when tries count again."""
        if self._alarmed and self.locked_for_s() == 0:
            await self._alarm(False)

    async def _alarm(self, active: bool) -> None:
        self._alarmed = active
        with suppress(JournalFault):
            await self._alarms.set("auth.violation", active, "console")

    async def _note(self, what: str, name: str) -> None:
        """A journal that cannot be written locks the cell by itself; whoever must mend that is let in all the same."""
        try:
            await self._journal.append(Entry(Kind.SESSION, {"channel": "console", "user": name, "what": what}))
        except JournalFault as fault:
            _log.error("session_not_stored", what=what, why=str(fault))


def _checked(file: Path, name: str, pin: str) -> bool:
    return fits(pin, read_pins(file).get(name))
