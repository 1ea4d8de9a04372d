"""Orders of events that a search over all of them once found to go wrong: each by itself, on the real supervision."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from drivers.contract import ControllerState, ReceiptState
from edge_agent.control.ends import Freed, MotionEnd, StillHeld
from edge_agent.run.journal import Entry, Kind
from edge_agent.safety.cell import CellState
from edge_agent.safety.command import CommandState
from tests.control.scripted_arm import FINGERPRINT, Scripted, scripted, settled
from tests.safety.given import CLOSED, LOOK, open_input, receipt

STOPPED_BY_REQUEST = 0x0206


def is_intent(entry: Entry) -> bool:
    return entry.body.get("state") == CommandState.JOURNALLED.value


def of(kind: Kind) -> Callable[[Entry], bool]:
    return lambda entry: entry.kind is kind


def sent(cell: Scripted) -> list[str]:
    return [each for each in cell.arm.written if each.startswith("send")]


# -- one write for each command that is still wanted --------------------------------------------------------------


@pytest.mark.parametrize("waits_for", ["its row", "the wire"])
async def test_a_duplicate_is_counted_while_a_command_waits_and_it_is_never_written(waits_for: str) -> None:
    async with scripted(slow=is_intent if waits_for == "its row" else lambda _: False) as cell:
        if waits_for == "the wire":
            cell.arm.free.clear()
        moving = cell.execute()
        await settled()
        cell.arm.shows(duplicates=LOOK.duplicates + 1)
        await cell.round()
        assert cell.state is CellState.LOCKED_OUT
        cell.journal.let()
        cell.arm.free.set()
        await settled()
        assert sent(cell) == []
        end = await moving
        assert isinstance(end, MotionEnd)
        assert end.state in (CommandState.CANCELLED, CommandState.UNKNOWN)


async def test_a_row_that_comes_late_does_not_send_in_another_commands_turn() -> None:
    """The first is cancelled while its row is slow; a second is on its way when that row is there at last."""
    async with scripted(slow=is_intent) as cell:
        first = cell.execute("op1")
        await settled()
        cell.arm.look = open_input(guard_closed=False)
        await cell.round()
        cell.arm.shows(interlocks=CLOSED)
        await cell.round()
        second = cell.execute("op2")
        await settled()
        assert cell.state is CellState.DISPATCHING
        cell.journal.let()
        await settled()
        assert sent(cell) == []
        cell.journal.let()
        await settled()
        number = cell.supervisor.view.command_id
        assert sent(cell) == [f"send {number}"]
        end = await first
        assert isinstance(end, MotionEnd)
        assert (end.state, end.frames) == (CommandState.CANCELLED, 0)
        assert end.command_id != number
        second.cancel()


# -- a stop is taken back by whoever saw it, and by nobody else ---------------------------------------------------


async def stopped(cell: Scripted) -> None:
    cell.supervisor.request_stop("op1")
    await cell.supervisor.stop_ended()
    assert cell.state is CellState.STOPPED


async def locked_out(cell: Scripted) -> None:
    cell.supervisor.lock_out("made for the test")
    await cell.supervisor.stop_ended()
    await settled()
    assert cell.state is CellState.LOCKED_OUT


async def test_a_stop_that_is_asked_for_and_shown_while_a_release_is_written_down_holds() -> None:
    async with scripted(slow=of(Kind.RELEASE_STOP)) as cell:
        await stopped(cell)
        releasing = asyncio.create_task(cell.supervisor.release_stop("op1"))
        await settled()
        await stopped(cell)
        cell.journal.let()
        freed = await releasing
        assert isinstance(freed, StillHeld)
        assert freed.reason == "stopped_again"
        await cell.supervisor.stop_ended()
        assert cell.state is CellState.STOPPED
        assert cell.arm.written[-1] == "stop"


async def test_a_stop_that_is_asked_for_while_a_reset_is_written_down_holds() -> None:
    async with scripted(slow=of(Kind.RESET)) as cell:
        await locked_out(cell)
        resetting = asyncio.create_task(cell.supervisor.reset("tech1", "looked"))
        await settled()
        cell.supervisor.request_stop("op1")
        await cell.supervisor.stop_ended()
        cell.journal.let()
        freed = await resetting
        assert isinstance(freed, StillHeld)
        assert freed.reason == "stopped_again"
        await cell.supervisor.stop_ended()
        assert cell.state is CellState.STOPPED
        assert cell.arm.written[-1] == "stop"


async def test_nothing_is_reset_while_the_lockouts_own_stop_is_not_shown() -> None:
    """And nothing but stop words is written meanwhile: opening a session writes a beat."""
    async with scripted() as cell:
        cell.arm.obeys = False
        cell.arm.shows(state=ControllerState.EXECUTING)
        cell.supervisor.lock_out("made for the test")
        before = len(cell.arm.written)
        freed = await cell.supervisor.reset("tech1", "looked")
        assert isinstance(freed, StillHeld)
        assert cell.supervisor._core.stopping is not None
        assert not cell.supervisor._core.stopping.done(), "the stop was over before it was asked"
        assert set(cell.arm.written[before:]) == {"stop"}


@pytest.mark.parametrize("what", ["release", "reset"])
async def test_a_session_of_its_own_is_open_before_the_stop_is_let_go(what: str) -> None:
    """So that nothing written in the old one, late on the wire, is taken any more."""
    async with scripted() as cell:
        if what == "release":
            await stopped(cell)
            freed = await cell.supervisor.release_stop("op1")
        else:
            await locked_out(cell)
            freed = await cell.supervisor.reset("tech1", "looked")
        assert isinstance(freed, Freed)
        at = cell.arm.written.index("release")
        assert cell.arm.written[at - 1].startswith("open ")
        assert cell.arm.written[at - 1] != "open 1"


# -- what a look counts ---------------------------------------------------------------------------------------------


async def test_a_motion_that_a_stop_ended_is_accounted_for_by_the_proof() -> None:
    """Its own count, first seen by the reads that prove the stop, is no motion of somebody else's."""
    async with scripted() as cell:
        moving = cell.execute()
        await settled()
        cell.arm.shows(executed=LOOK.executed + 1)
        await stopped(cell)
        end = await moving
        assert isinstance(end, MotionEnd)
        assert end.state is CommandState.ABORTED
        await cell.round()
        assert cell.state is CellState.STOPPED


async def test_a_motion_that_its_receipt_ended_is_accounted_for_by_the_look_beside_it() -> None:
    async with scripted() as cell:
        moving = cell.execute()
        await settled()
        cell.arm.obeys = False
        cell.arm.shows(executed=LOOK.executed + 1, state=ControllerState.EXECUTING)
        cell.supervisor.request_stop("op1")
        order = cell.supervisor.view.intended
        assert order is not None
        cell.arm.shown = receipt(ReceiptState.ABORTED, order, code=STOPPED_BY_REQUEST, fingerprint=FINGERPRINT)
        await cell.round()
        end = await moving
        assert isinstance(end, MotionEnd)
        assert end.state is CommandState.ABORTED
        await cell.round()
        assert cell.state is CellState.STOPPING


@pytest.mark.parametrize("counter", ["executed", "duplicates"])
async def test_what_was_counted_while_nobody_looked_locks_out(counter: str) -> None:
    async with scripted() as cell:
        cell.arm.reachable = False
        await cell.round()
        assert cell.supervisor.view.state is CellState.OFFLINE
        cell.arm.reachable = True
        cell.arm.shows(**{counter: getattr(LOOK, counter) + 1})
        await cell.round()
        assert cell.state is CellState.LOCKED_OUT
        assert cell.supervisor.view.detail == (counter,)


# -- stored, then told ----------------------------------------------------------------------------------------------


async def test_a_lockout_is_told_when_its_row_is_there_and_not_before() -> None:
    async with scripted(slow=of(Kind.LOCKOUT)) as cell:
        cell.supervisor.lock_out("made for the test")
        await settled()
        assert cell.state is CellState.LOCKED_OUT
        assert "stop" in cell.arm.written
        assert CellState.LOCKED_OUT not in cell.told
        cell.journal.let()
        await settled()
        assert cell.told[-1] is CellState.LOCKED_OUT
