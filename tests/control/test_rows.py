"""Rows on their way to the journal: in order, and no more of them than there is room for."""

from __future__ import annotations

import asyncio

import pytest

from edge_agent.control.rows import RowQueue
from edge_agent.run.journal import Entry, JournalFault, Kind
from tests.tools.desk import MemoryJournal


def row(number: int) -> Entry:
    return Entry(Kind.COMMAND, {"command_id": number})


async def test_rows_are_written_in_the_order_they_came() -> None:
    journal, faults = MemoryJournal(), list[JournalFault]()
    queue = RowQueue(journal, faults.append)
    writing = asyncio.create_task(queue.run())
    for number in range(5):
        queue.put(row(number))
    await queue.drained()
    writing.cancel()
    assert [body["command_id"] for body in journal.bodies(Kind.COMMAND)] == [0, 1, 2, 3, 4]
    assert faults == []


async def test_a_row_that_finds_no_room_is_a_fault_for_both() -> None:
    faults = list[JournalFault]()
    queue = RowQueue(MemoryJournal(), faults.append, max_waiting=2)
    kept = [queue.put(row(number)) for number in range(2)]
    refused = queue.put(row(2))
    assert faults == [], "told only after the step that puts the row"
    with pytest.raises(JournalFault, match="2 rows wait"):
        await refused
    await asyncio.sleep(0)
    assert len(faults) == 1
    assert not any(each.done() for each in kept)
