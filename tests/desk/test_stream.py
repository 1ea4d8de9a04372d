"""The events of a run: in order, gapless, written down first, one `done`."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from edge_agent.desk.stream import Address, Stream
from edge_agent.messages.codes import FailureCode, Phase, ReleaseOutcome
from edge_agent.messages.event import Body, Done, Event, Failure, Metadata, Status, Termination, Usage
from edge_agent.run.ids import RunId
from edge_agent.run.journal import COMMIT_DEADLINE_S, Duplicate, Entry, JournalFault, Kind
from tests.tools.desk import MemoryJournal

NOW = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
RUN = RunId("01M8P4K5FJFYX602N84P8GV11H")


@dataclass
class Heard:
    events: list[Event] = field(default_factory=list)

    def publish(self, _address: Address, event: Event) -> None:
        self.events.append(event)

    @property
    def order(self) -> list[tuple[int, str]]:
        return [(e.envelope.seq, e.body.type) for e in self.events]


def metadata() -> Metadata:
    return Metadata(request_id=RUN, parse_trace_id="p-1", lang="zh", agent="1", rules_version="1")


def failure() -> Failure:
    return Failure(code=FailureCode.INTERNAL_FAILURE, text="t", trace_id="t")


def done() -> Done:
    ended = Termination(state="FAILED", reason="r", at=NOW)
    return Done(outcome=ReleaseOutcome.FAILED, run_state="FAILED", termination=ended, usage=Usage())


STATUS = Status(phase=Phase.UNDERSTANDING)


def stream(journal: MemoryJournal, heard: Heard, level: str = RUN) -> Stream:
    return Stream(RUN, Address("op1", "mqtt", level), journal=journal, publisher=heard, now=lambda: NOW)


@pytest.fixture
def journal() -> MemoryJournal:
    return MemoryJournal()


@pytest.fixture
def heard() -> Heard:
    return Heard()


async def test_events_are_numbered_without_a_gap(journal: MemoryJournal, heard: Heard) -> None:
    told = stream(journal, heard)
    for body in (metadata(), STATUS, failure(), done()):
        assert await told.emit(body)
    assert heard.order == [(0, "metadata"), (1, "status"), (2, "failure"), (3, "done")]
    assert told.ended


LATE: tuple[tuple[str, list[Body], Body], ...] = (
    ("status before metadata", [], STATUS),
    ("a second failure", [metadata(), failure()], failure()),
    ("status after the release", [metadata(), failure()], STATUS),
    ("anything after done", [metadata(), failure(), done()], STATUS),
    ("a second done", [metadata(), failure(), done()], done()),
    ("done without a release", [metadata()], done()),
)


@pytest.mark.parametrize(("what", "before", "late"), LATE, ids=[row[0] for row in LATE])
async def test_what_is_out_of_order_is_written_down_and_not_published(
    what: str, before: list[Body], late: Body, journal: MemoryJournal, heard: Heard
) -> None:
    del what
    told = stream(journal, heard)
    for body in before:
        assert await told.emit(body)
    published = len(heard.events)
    assert not await told.emit(late)
    assert len(heard.events) == published
    assert journal.bodies(Kind.EVENT)[-1] == {"late": late.type}


async def test_nothing_is_published_that_could_not_be_written_down(journal: MemoryJournal, heard: Heard) -> None:
    told = stream(journal, heard)
    journal.broken.add("append")
    with pytest.raises(JournalFault):
        await told.emit(metadata())
    assert heard.events == []


async def test_that_nothing_can_be_written_down_is_told_all_the_same(journal: MemoryJournal, heard: Heard) -> None:
    told = stream(journal, heard)
    await told.emit(metadata())
    journal.broken.add("append")
    told.tell_unstored(metadata(), failure(), done())
    assert heard.order == [(0, "metadata"), (1, "failure"), (2, "done")]


async def test_a_silent_stream_is_written_down_and_not_sent(journal: MemoryJournal, heard: Heard) -> None:
    told = stream(journal, heard)
    told.silent = True
    await told.emit(metadata())
    assert heard.events == []
    assert journal.bodies(Kind.EVENT)[0]["sent"] is False


async def test_the_one_terminal_row_goes_with_done(journal: MemoryJournal, heard: Heard) -> None:
    told = stream(journal, heard)
    await told.emit(metadata(), failure(), done())
    assert [row.key for row in journal.written if row.kind is Kind.TERMINAL] == [f"op1/{RUN}"]


async def test_an_answer_to_what_has_no_stream_of_its_own_leaves_no_terminal_row(
    journal: MemoryJournal, heard: Heard
) -> None:
    told = stream(journal, heard, level="-")
    await told.emit(metadata(), failure(), done())
    assert journal.bodies(Kind.TERMINAL) == []


async def test_a_row_that_goes_along_stands_before_its_event(journal: MemoryJournal, heard: Heard) -> None:
    told = stream(journal, heard)
    told.along(Entry(Kind.READING, {"intent": "STOP"}, RUN))
    await told.emit(metadata())
    await told.emit(STATUS)
    assert [row.kind for row in journal.written] == [Kind.READING, Kind.EVENT, Kind.EVENT]


class SlowJournal(MemoryJournal):
    """A commit that takes a turn of the loop, as one on a disk does."""

    async def append(self, *entries: Entry, deadline_s: float = COMMIT_DEADLINE_S) -> tuple[int, ...] | Duplicate:
        await asyncio.sleep(0)
        return await super().append(*entries, deadline_s=deadline_s)


async def test_two_who_tell_at_once_take_no_number_twice(heard: Heard) -> None:
    told = stream(SlowJournal(), heard)
    await told.emit(metadata())
    assert list(await asyncio.gather(told.emit(STATUS), told.emit(failure(), done()))) == [True, True]
    assert heard.order == [(0, "metadata"), (1, "status"), (2, "failure"), (3, "done")]


async def test_a_phase_that_comes_while_the_end_is_written_is_late(heard: Heard) -> None:
    journal = SlowJournal()
    told = stream(journal, heard)
    await told.emit(metadata())
    assert list(await asyncio.gather(told.emit(failure(), done()), told.emit(STATUS))) == [True, False]
    assert heard.order == [(0, "metadata"), (1, "failure"), (2, "done")]
    assert journal.bodies(Kind.EVENT)[-1] == {"late": "status"}


async def test_a_second_stream_of_an_id_that_has_its_end_publishes_nothing(
    journal: MemoryJournal, heard: Heard
) -> None:
    assert await stream(journal, heard).emit(metadata(), failure(), done())
    published, rows = len(heard.events), len(journal.bodies(Kind.TERMINAL))
    assert not await stream(journal, heard).emit(metadata(), failure(), done())
    assert (len(heard.events), len(journal.bodies(Kind.TERMINAL))) == (published, rows)


async def test_a_row_that_waits_to_go_along_is_not_lost_with_a_commit_that_was_under_way(heard: Heard) -> None:
    journal = SlowJournal()
    told = stream(journal, heard)
    first = asyncio.create_task(told.emit(metadata()))
    await asyncio.sleep(0)
    told.along(Entry(Kind.READING, {"intent": "STOP"}, RUN))
    await first
    await told.emit(STATUS)
    assert journal.bodies(Kind.READING) == [{"intent": "STOP"}]
