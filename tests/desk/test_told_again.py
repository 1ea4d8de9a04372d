"""What a life wrote down and may not have sent is told by the next: ended runs, a minute back, the broker's alone."""

from __future__ import annotations

import pytest

from edge_agent.desk.arrival import ReplyTo
from edge_agent.desk.stream import Address, Stream
from edge_agent.desk.told_again import AGAIN_MS, told_again
from edge_agent.messages.event import Body
from tests.desk.test_stream import NOW, RUN, STATUS, Heard, done, failure, metadata
from tests.tools.desk import NOW_MS, MemoryJournal

WHOLE = (metadata(), STATUS, failure(), done())
MINE = Address("op1", "mqtt", RUN, ReplyTo("here/please", b"c-7"))


async def lived(address: Address = MINE, bodies: tuple[Body, ...] = WHOLE, *, silent: bool = False) -> MemoryJournal:
    """A life that wrote this down and was killed; the journal of the next one."""
    journal = MemoryJournal()
    stream = Stream(RUN, address, journal=journal, publisher=Heard(), now=lambda: NOW)
    stream.silent = silent
    for body in bodies:
        assert await stream.emit(body)
    journal.epoch += 1
    return journal


async def test_a_run_that_ended_is_told_again_in_order_and_where_it_was_wanted() -> None:
    again = await told_again(await lived(), NOW_MS + AGAIN_MS)
    assert [(a, e.envelope.seq, e.envelope.epoch, e.body) for a, e in again] == [
        (MINE, seq, 1, body) for seq, body in enumerate(WHOLE)
    ]


@pytest.mark.parametrize(
    ("address", "bodies", "silent"),
    [
        (MINE, WHOLE[:2], False),
        (MINE, WHOLE, True),
        (Address("op1", "console", RUN), WHOLE, False),
        (Address("op1", "mqtt", "-"), WHOLE, False),
    ],
    ids=["no end", "nobody there", "console", "no stream"],
)
async def test_what_is_not_told_again(address: Address, bodies: tuple[Body, ...], silent: bool) -> None:
    assert await told_again(await lived(address, bodies, silent=silent), NOW_MS) == []


async def test_what_is_older_than_a_minute_is_not() -> None:
    assert await told_again(await lived(), NOW_MS + AGAIN_MS + 1) == []


async def test_what_this_life_said_is_not() -> None:
    journal = await lived()
    journal.epoch -= 1
    assert await told_again(journal, NOW_MS) == []


async def test_what_another_version_wrote_is_passed_over() -> None:
    journal = await lived()
    journal.written[1].body["event"]["phase"] = "of another version"
    assert [e.envelope.seq for _, e in await told_again(journal, NOW_MS)] == [0, 2, 3]
