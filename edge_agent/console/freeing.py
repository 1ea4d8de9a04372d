"""Commands that leave STOPPED and LOCKED_OUT, and the finding about a command whose outcome is unknown.

None of them moves anything or sends an old command again. The controller's read-back decides, not the person.
"""

from __future__ import annotations

import re
from typing import Final

from edge_agent.console.desk import Desk
from edge_agent.console.looking import controller_facts, lockout_lines
from edge_agent.control.ends import Freed
from edge_agent.run.journal import Entry, JournalFault, Kind
from edge_agent.safety.cell import CellState
from edge_agent.safety.command import CommandState

MAX_REASON: Final = 300
_FINDING = re.compile(r"(\d{1,10})\s+(\S+)\s+(\S.*)", re.ASCII)
DID: Final = frozenset({"did", "yes", "是", "已执行", "动了"})
DIDNT: Final = frozenset({"didnt", "didn't", "no", "否", "未执行", "没动"})


async def release_stop(desk: Desk, _rest: str) -> None:
    """A request as everybody's: answered by a confirmation with its code."""
    await desk.send("release_stop")


async def reset_lockout(desk: Desk, reason: str) -> None:
    user, view = desk.entrance.user, desk.agent.supervisor.view
    if user is None:
        desk.tell("refused.login")
        return
    if view.state is not CellState.LOCKED_OUT:
        desk.tell("reset.not_locked", {"state": desk.words.word("cell_state", view.state.value)})
        return
    desk.say("\n".join(lockout_lines(desk, view)))
    if not reason:
        desk.tell("reset.reason")
        return
    desk.tell("reset.asking")
    freed = await desk.agent.supervisor.reset(user, reason[:MAX_REASON])
    if isinstance(freed, Freed):
        state = desk.agent.supervisor.view.state
        desk.tell("reset.done", {"state": desk.words.word("cell_state", state.value), "word": state.value})
        return
    desk.tell("reset.held", {"why": desk.own.word("held", freed.reason), "word": freed.reason})
    if freed.read_back is not None:
        desk.tell("status.controller", controller_facts(desk, freed.read_back))


async def resolve(desk: Desk, rest: str) -> None:
    """A row beside the command; its state stays UNKNOWN."""
    user, found = desk.entrance.user, _FINDING.fullmatch(rest)
    word = found[2].lower() if found else ""
    if user is None:
        desk.tell("refused.login")
    elif found is None or word not in DID | DIDNT:
        desk.tell("resolve.usage")
    else:
        await _write_finding(desk, user, int(found[1]), word in DID, found[3][:MAX_REASON])


async def _write_finding(desk: Desk, user: str, command_id: int, happened: bool, why: str) -> None:
    try:
        state = await _state_of(desk, command_id)
        if state is not CommandState.UNKNOWN:
            told = NOT_THERE if state is None else desk.words.word("command_state", state.value)
            desk.tell("resolve.not_unknown", {"id": command_id, "state": desk.own.word("resolve", told)})
            return
        body = {"command_id": command_id, "happened": happened, "by": user, "why": why}
        await desk.agent.parts.journal.append(Entry(Kind.RESOLVE, body))
    except JournalFault:
        desk.tell("refused.journal")
        return
    desk.tell("resolve.done_did" if happened else "resolve.done_didnt", {"id": command_id})


NOT_THERE: Final = "not_there"
MAX_ROWS: Final = 5_000


async def _state_of(desk: Desk, command_id: int) -> CommandState | None:
    """The last state that stands in the journal; None for a command it does not know."""
    rows = await desk.agent.parts.journal.rows(kinds=(Kind.COMMAND,), limit=MAX_ROWS, newest_first=True)
    return next((CommandState(row.body["state"]) for row in rows if row.body.get("command_id") == command_id), None)
