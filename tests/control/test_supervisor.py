"""The supervision over real Modbus: one frame a command, honest ends, stops at once, and lockouts that hold."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from drivers.contract import Action, Mode
from edge_agent.control.ends import Freed, MotionEnd, NotDispatched, StillHeld
from edge_agent.control.stored import Stored
from edge_agent.run.journal import Body, Kind
from edge_agent.safety.cell import CellState
from edge_agent.safety.command import CommandState
from tests.control.cell import Supervised, supervised

pytestmark = pytest.mark.net

ACTIONS: tuple[tuple[Action, dict[str, str]], ...] = (
    (Action.HOME, {}),
    (Action.PICK_PLACE, {"item_type": "glass", "bin": "2"}),
    (Action.PICK, {"item_type": "metal"}),
    (Action.PLACE, {"bin": "3"}),
    (Action.MOVE, {"station": "B"}),
    (Action.CLOSE_GRIPPER, {}),
    (Action.OPEN_GRIPPER, {}),
    (Action.PARK, {}),
)


async def test_every_action_ends_verified_with_one_frame(tmp_path: Path) -> None:
    async with supervised(tmp_path / "state") as cell:
        for number, (action, slots) in enumerate(ACTIONS, start=1):
            end = await cell.move(action, slots)
            assert isinstance(end, MotionEnd)
            assert (end.state, end.frames) == (CommandState.VERIFIED, 1), (action, end)
            assert await cell.frames() == number
            assert cell.supervisor.view.state is CellState.READY


async def test_the_steps_of_a_command_come_in_this_order(tmp_path: Path) -> None:
    async with supervised(tmp_path / "state") as cell:
        await cell.move(Action.HOME)
        order = [s for s in cell.steps if s in ("before_intent", "intent_stored", "before_send", "sent", "end_stored")]
        assert order == ["before_intent", "intent_stored", "before_send", "sent", "end_stored"]


async def test_the_intent_stands_in_the_journal_before_its_end(tmp_path: Path) -> None:
    async with supervised(tmp_path / "state") as cell:
        end = await cell.move(Action.HOME)
        assert isinstance(end, MotionEnd)
        states = [
            row.body["state"]
            for row in await cell.journal.rows(kinds=(Kind.COMMAND,))
            if row.body.get("command_id") == end.command_id
        ]
        assert states[0] == "JOURNALLED"
        assert states[-1] == "VERIFIED"


async def test_a_stop_in_mid_move_ends_stopped_and_is_no_lockout(tmp_path: Path) -> None:
    async with supervised(tmp_path / "state") as cell:
        moving = asyncio.create_task(cell.move(Action.MOVE, {"station": "C"}))
        await cell.state(CellState.EXECUTING)
        cell.supervisor.request_stop("op1")
        ended = await cell.supervisor.stop_ended()
        moved = await moving
        assert ended.proved
        assert isinstance(moved, MotionEnd)
        assert moved.state is CommandState.ABORTED
        await cell.state(CellState.STOPPED)
        assert isinstance(await cell.supervisor.release_stop("op1"), Freed)
        await cell.state(CellState.READY)
        assert await cell.frames() == 1


async def test_a_stop_tells_of_the_command_it_met_and_of_no_earlier_one(tmp_path: Path) -> None:
    async with supervised(tmp_path / "state") as cell:
        moving = asyncio.create_task(cell.move(Action.MOVE, {"station": "C"}))
        await cell.state(CellState.EXECUTING)
        cell.supervisor.request_stop("op1")
        cell.supervisor.request_stop("op2")
        met = await cell.supervisor.stop_ended()
        moved = await moving
        assert isinstance(moved, MotionEnd)
        assert (met.command_id, met.command_state) == (moved.command_id, CommandState.ABORTED)
        for aborted_before in (True, False):
            if not aborted_before:
                assert isinstance(await cell.supervisor.release_stop("op1"), Freed)
                await cell.state(CellState.READY)
                end = await cell.move(Action.HOME)
                assert isinstance(end, MotionEnd)
                assert end.state is CommandState.VERIFIED
            cell.supervisor.request_stop("op1")
            later = await cell.supervisor.stop_ended()
            assert later.proved
            assert (later.command_id, later.command_state) == (None, None)


async def test_a_release_that_a_new_stop_took_back_is_not_told_as_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with supervised(tmp_path / "state") as cell:
        cell.supervisor.request_stop("op1")
        await cell.supervisor.stop_ended()
        core, store = cell.supervisor._core, cell.supervisor._core.store

        def stopped_meanwhile(kind: Kind, body: Body, **more: Any) -> asyncio.Future[None]:
            if kind is Kind.RELEASE_STOP:
                cell.supervisor.request_stop("op2")
            return store(kind, body, **more)

        monkeypatch.setattr(core, "store", stopped_meanwhile)
        freed = await cell.supervisor.release_stop("op1")
        assert isinstance(freed, StillHeld)
        assert freed.reason == "stopped_again"
        await cell.supervisor.stop_ended()
        assert cell.supervisor.view.state is CellState.STOPPED


LOCKING: tuple[tuple[str, CommandState], ...] = (
    ("receipt_wrong_id", CommandState.UNKNOWN),
    ("receipt_wrong_device", CommandState.UNKNOWN),
    ("receipt_wrong_parameter", CommandState.UNKNOWN),
    ("receipt_missing", CommandState.UNKNOWN),
    ("reply_lost_after_execution", CommandState.UNKNOWN),
    ("reply_wrong_address", CommandState.UNKNOWN),
    ("exception_after_execution", CommandState.UNKNOWN),
    ("never_finishes", CommandState.UNKNOWN),
    ("command_swallowed", CommandState.UNKNOWN),
)


@pytest.mark.parametrize(("fault", "state"), LOCKING)
async def test_what_cannot_be_believed_locks_out_and_is_not_sent_again(
    fault: str, state: CommandState, tmp_path: Path
) -> None:
    async with supervised(tmp_path / "state") as cell:
        await cell.rig.put_fault(fault)
        end = await cell.move(Action.HOME)
        assert isinstance(end, MotionEnd)
        assert end.state is state
        await cell.state(CellState.LOCKED_OUT)
        assert await cell.frames() == 1
        assert cell.supervisor.may_propose(cell.proposal(Action.HOME)) is not None
        assert await cell.journal.last(Kind.LOCKOUT) is not None


@pytest.mark.parametrize("fault", ["unreachable", "no_part"])
async def test_a_legal_refusal_leaves_the_cell_usable(fault: str, tmp_path: Path) -> None:
    async with supervised(tmp_path / "state") as cell:
        await cell.rig.put_fault(fault)
        end = await cell.move(Action.PICK, {"item_type": "glass"})
        assert isinstance(end, MotionEnd)
        assert end.state is CommandState.REJECTED
        assert cell.supervisor.view.state is CellState.READY


async def test_a_recheck_that_fails_sends_and_stores_nothing(tmp_path: Path) -> None:
    async with supervised(tmp_path / "state") as cell:
        end = await cell.move(Action.HOME, recheck=lambda: "expired")
        assert isinstance(end, NotDispatched)
        assert end.reason == "expired"
        assert await cell.frames() == 0
        assert cell.supervisor.view.state is CellState.READY
        assert await cell.journal.last(Kind.COMMAND_ID) is None


async def test_who_waits_may_go_and_the_command_is_followed_to_its_end(tmp_path: Path) -> None:
    async with supervised(tmp_path / "state") as cell:
        waiting = asyncio.create_task(cell.move(Action.MOVE, {"station": "A"}))
        await cell.state(CellState.EXECUTING)
        waiting.cancel()
        view = await cell.until(lambda view: view.command_state is CommandState.VERIFIED)
        assert view.state is CellState.READY


async def test_an_intent_that_cannot_be_stored_is_never_sent(tmp_path: Path) -> None:
    armed: list[bool] = []

    def fires(name: str) -> bool:
        return name == "store.disk_full" and bool(armed)

    async with supervised(tmp_path / "state", fires=fires) as cell:
        cell.confirmed(proposal := cell.proposal(Action.HOME))
        armed.append(True)
        end = await cell.supervisor.execute(proposal, run="r", user="op1", recheck=lambda: None)
        assert not (isinstance(end, MotionEnd) and end.state is CommandState.VERIFIED)
        assert cell.supervisor.view.state is CellState.LOCKED_OUT
        assert await cell.frames() == 0


UNFINISHED = Stored(last_command_id=41, unfinished_id=41, unfinished_state=CommandState.SENT)


async def test_a_command_without_an_end_is_unknown_and_locked_out_at_start(tmp_path: Path) -> None:
    async with supervised(tmp_path / "state", stored=UNFINISHED) as cell:
        view = cell.supervisor.view
        assert (view.state, view.command_state) == (CellState.LOCKED_OUT, CommandState.UNKNOWN)
        assert await cell.frames() == 0


async def test_a_lockout_outlives_the_agent_and_only_a_reset_leaves_it(tmp_path: Path) -> None:
    async with supervised(tmp_path / "state", stored=Stored(lockout="receipt_wrong")) as cell:
        assert cell.supervisor.view.lockout == "receipt_wrong"
        assert isinstance(await cell.supervisor.release_stop("op1"), StillHeld)
        await still(cell)
        assert isinstance(await cell.supervisor.reset("tech1", "looked"), Freed)
        await cell.state(CellState.READY)
        end = await cell.move(Action.HOME)
        assert isinstance(end, MotionEnd)
        assert end.state is CommandState.VERIFIED


@pytest.mark.parametrize(
    ("hold", "reason"),
    [("mode", "not_remote_automatic"), ("guard", "controller_key_needed")],
)
async def test_a_reset_says_what_the_controller_still_shows(hold: str, reason: str, tmp_path: Path) -> None:
    async with supervised(tmp_path / "state", stored=Stored(lockout="receipt_wrong")) as cell:
        await still(cell)
        if hold == "mode":
            await cell.rig.set_mode(Mode.MANUAL)
        else:
            await cell.rig.set_input("guard", good=False)
        held = await cell.supervisor.reset("tech1", "looked")
        assert isinstance(held, StillHeld)
        assert held.reason == reason
        assert cell.supervisor.view.state is CellState.LOCKED_OUT


async def still(cell: Supervised) -> None:
    """The stop of the lockout has been shown."""
    await cell.supervisor.stop_ended()
