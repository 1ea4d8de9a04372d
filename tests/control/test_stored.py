"""What a new life finds in the journal of the last one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import asdict
from pathlib import Path

import pytest

from drivers.contract import Action, Order
from edge_agent.adapters.clock import SystemClock
from edge_agent.adapters.journal.making import create
from edge_agent.adapters.journal.store import SqliteJournal
from edge_agent.control.stored import Stored, stored_in
from edge_agent.run.journal import Entry, Kind
from edge_agent.safety.command import CommandState


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncIterator[SqliteJournal]:
    clock = SystemClock()
    create(tmp_path / "state", clock.wall_ms())
    journal = await SqliteJournal.open(tmp_path / "state", wall_ms=clock.wall_ms)
    yield journal
    await journal.close()


def order(command_id: int) -> Order:
    return Order(command_id, device_id=1, session=7, action=Action.MOVE, target=(1, 2, 3, 4, 5, 6), station=2)


def command(command_id: int, state: CommandState, *, ordered: bool = False) -> Entry:
    body = {"command_id": command_id, "state": state.value}
    return Entry(Kind.COMMAND, {**body, "order": asdict(order(command_id))} if ordered else body)


J, SENT, VERIFIED, UNKNOWN = CommandState.JOURNALLED, CommandState.SENT, CommandState.VERIFIED, CommandState.UNKNOWN
FINISHED = (command(41, J, ordered=True), command(41, SENT), command(41, VERIFIED))
CUT_SHORT = (command(42, J, ordered=True), command(42, SENT))
LATCHED, FREED = Entry(Kind.LOCKOUT, {"reason": "receipt_wrong"}), Entry(Kind.RESET, {"by": "wang"})

LIVES: dict[str, tuple[tuple[Entry, ...], Stored]] = {
    "nothing": ((), Stored()),
    "finished": (FINISHED, Stored(41, intended=order(41))),
    "cut short": ((*FINISHED, *CUT_SHORT), Stored(42, 42, SENT, order(42))),
    "cut short before a later one was finished": (
        (*CUT_SHORT, command(43, J, ordered=True), command(43, VERIFIED)),
        Stored(43, 42, SENT, order(42)),
    ),
    "an id was given and nothing written": (
        (*FINISHED, Entry(Kind.COMMAND_ID, {"command_id": 44})),
        Stored(44, intended=order(41)),
    ),
    "outcomes unknown": (
        (command(1, UNKNOWN), command(2, UNKNOWN), command(3, VERIFIED)),
        Stored(3, unknown_outcomes=2),
    ),
    "a row that names no command": ((Entry(Kind.COMMAND, {"command_id": None, "state": "SENT"}),), Stored()),
    "locked out": ((LATCHED,), Stored(lockout="receipt_wrong")),
    "reset since": ((LATCHED, FREED), Stored()),
    "locked out again": ((LATCHED, FREED, LATCHED), Stored(lockout="receipt_wrong")),
}


@pytest.mark.parametrize("life", LIVES)
async def test_the_last_life_as_its_rows_tell_it(journal: SqliteJournal, life: str) -> None:
    rows, stored = LIVES[life]
    for row in rows:
        await journal.append(row)
    assert await stored_in(journal) == stored
