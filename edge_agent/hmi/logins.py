"""Who is logged in at this page server. In memory alone: a restart asks everybody anew, and no password is stored.

A token is 256 bits of chance in a cookie that no script can read. Wrong passwords are limited for each address, on
top of what the broker does, because the broker sees one machine.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from edge_agent.hmi.talk import Talk
from edge_agent.messages.codes import Lang

MAX_LOGINS: Final = 64
IDLE_S: Final = 12 * 3600.0
"""A shift; a panel that nobody touched for longer asks for the password, before anything but a stop."""
MAX_TRIES: Final = 5
TRIES_WITHIN_S: Final = 60.0
MAX_ADDRESSES: Final = 256


@dataclass(slots=True)
class Login:
    """The conversation is kept here, so that a page that is reloaded shows it again."""

    user: str
    password: str = field(repr=False)
    lang: Lang
    talk: Talk = field(default_factory=Talk)
    seen_s: float = 0.0
    closed: bool = False
    """Logged out, perhaps on another page of it: every page of it then ends."""


class Logins:
    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._open: OrderedDict[str, Login] = OrderedDict()
        self._tries: OrderedDict[str, list[float]] = OrderedDict()

    def put(self, user: str, password: str, lang: Lang) -> str:
        """The token of a new login; the one that was used least makes room."""
        token = secrets.token_urlsafe(32)
        self._open[token] = Login(user, password, lang, seen_s=self._clock())
        while len(self._open) > MAX_LOGINS:
            self._open.popitem(last=False)[1].closed = True
        return token

    def get(self, token: str | None) -> Login | None:
        login = self._open.get(token or "")
        if login is None:
            return None
        if not self.touch(login):
            self.close(token)
            return None
        self._open.move_to_end(token or "")
        return login

    def touch(self, login: Login) -> bool:
        """Somebody does something under this login; False: it is over, and the password is asked for first."""
        now_s = self._clock()
        if login.closed or now_s - login.seen_s > IDLE_S:
            return False
        login.seen_s = now_s
        return True

    def close(self, token: str | None) -> None:
        login = self._open.pop(token or "", None)
        if login is not None:
            login.closed = True

    def wait_s(self, address: str) -> float:
        """Seconds until this address may try again; 0: now."""
        now_s = self._clock()
        tries = [at for at in self._tries.get(address, []) if now_s - at < TRIES_WITHIN_S]
        return 0.0 if len(tries) < MAX_TRIES else TRIES_WITHIN_S - (now_s - tries[0])

    def wrong(self, address: str) -> None:
        now_s = self._clock()
        recent = [at for at in self._tries.get(address, []) if now_s - at < TRIES_WITHIN_S]
        self._tries[address] = [*recent[-MAX_TRIES + 1 :], now_s]
        self._tries.move_to_end(address)
        while len(self._tries) > MAX_ADDRESSES:
            self._tries.popitem(last=False)
