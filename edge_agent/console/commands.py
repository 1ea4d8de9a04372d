"""The words of the console, as a table: what each does, who may, and what may stand behind it.

A line whose first word is none of these, or is followed by what cannot stand behind it ("status of the arm"), is a
sentence. `stop`, `login` and `logout` are served where lines come in, ahead of what waits.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from edge_agent.console import asking, freeing, looking
from edge_agent.console.desk import Desk

Act = Callable[[Desk, str], Awaitable[None]]
NONE: Final = r""
ONE: Final = r"\S*"
ANY: Final = r".*"


@dataclass(frozen=True, slots=True)
class Command:
    """`login`: only for somebody who is logged in. `clean`: only from a line without noise, because it changes
    something. `behind`: what may follow the word, a pattern."""

    name: str
    act: Act
    login: bool = True
    clean: bool = False
    behind: str = NONE


async def at_the_door(_desk: Desk, _rest: str) -> None:
    """Served before it comes here."""


COMMANDS: Final[dict[str, Command]] = {
    each.name: each
    for each in (
        Command("help", looking.help_, login=False, behind=ONE),
        Command("status", looking.status, login=False),
        Command("stop", at_the_door, login=False, behind=ANY),
        Command("login", at_the_door, login=False, clean=True, behind=ONE),
        Command("lang", looking.lang, login=False, behind=ONE),
        Command("logout", at_the_door),
        Command("say", asking.say, clean=True, behind=ANY),
        Command("release_stop", freeing.release_stop, clean=True),
        Command("alarms", looking.alarms, behind=r"(ack(\s+\S+)?)?"),
        Command("lockout", looking.lockout),
        Command("reset_lockout", freeing.reset_lockout, clean=True, behind=ANY),
        Command("resolve", freeing.resolve, clean=True, behind=ANY),
        Command("explain", asking.explain, behind=r"([0-9A-Za-z_-]{16,64}(\s+\d{1,4})?)?"),
        Command("cases", looking.cases),
        Command("wire", looking.wire),
        Command("lab", asking.lab, clean=True, behind=ANY),
    )
}
SAY: Final = COMMANDS["say"]
STOP: Final = COMMANDS["stop"]
LOGIN: Final = COMMANDS["login"]
LOGOUT: Final = COMMANDS["logout"]


def command_of(text: str) -> tuple[Command, str]:
    """The command of a line and what stands behind its word; a sentence is `say` with the whole line."""
    word, _, rest = text.strip().partition(" ")
    found, rest = COMMANDS.get(word.lower()), rest.strip()
    if found is None or re.fullmatch(found.behind, rest, re.IGNORECASE) is None:
        return SAY, text.strip()
    return found, rest
