"""Rows that wait are written with the next commit, once, and what was not written waits on."""

from __future__ import annotations

import pytest

from edge_agent.run.journal import Duplicate, Entry, JournalFault, Kind, NotKnown
from edge_agent.run.waiting import Waiting
from tests.tools.desk import MemoryJournal

READ = Entry(Kind.READING, {"n": 1}, "r1")
CALL = Entry(Kind.MODEL_CALL, {"n": 2}, "r1", key="t/1/1")
END = Entry(Kind.TERMINAL, {"n": 3}, "r1", key="u/r1")


def kinds(journal: MemoryJournal) -> list[Kind]:
    return [row.kind for row in journal.written]


async def test_what_waits_goes_before_what_is_written_now() -> None:
    journal, waiting = MemoryJournal(), Waiting()
    waiting.put(READ)
    waiting.put(CALL)
    assert kinds(journal) == []
    assert await waiting.commit(journal, END) == (1, 2, 3)
    assert kinds(journal) == [Kind.READING, Kind.MODEL_CALL, Kind.TERMINAL]
    assert await waiting.commit(journal) == ()
    assert len(journal.written) == 3


async def test_nothing_that_waits_costs_no_commit() -> None:
    journal = MemoryJournal(broken={"append"})
    assert await Waiting().commit(journal) == ()


async def test_what_could_not_be_written_waits_on() -> None:
    journal, waiting = MemoryJournal(broken={"append"}), Waiting()
    waiting.put(READ)
    with pytest.raises(JournalFault):
        await waiting.commit(journal, CALL)
    waiting.put(END)
    journal.broken.clear()
    await waiting.commit(journal)
    assert kinds(journal) == [Kind.READING, Kind.TERMINAL]


async def test_beside_a_row_that_stands_already_nothing_is_lost() -> None:
    journal, waiting = MemoryJournal(), Waiting()
    await journal.append(END)
    waiting.put(READ)
    assert isinstance(await waiting.commit(journal, END), Duplicate)
    assert kinds(journal) == [Kind.TERMINAL]
    await waiting.commit(journal)
    assert kinds(journal) == [Kind.TERMINAL, Kind.READING]


async def test_what_may_have_been_written_does_not_wait_on_and_the_end_is_written() -> None:
    journal, waiting = MemoryJournal(broken={"late"}), Waiting()
    waiting.put(READ)
    waiting.put(CALL)
    with pytest.raises(NotKnown):
        await waiting.commit(journal)
    journal.broken.clear()
    assert await waiting.commit(journal, END) == (3,)
    assert kinds(journal) == [Kind.READING, Kind.MODEL_CALL, Kind.TERMINAL]
