"""Called off or not, at every moment between a yes and the write: never both, never neither."""

from __future__ import annotations

from pathlib import Path

import pytest

from drivers.contract import Action
from edge_agent.control.ends import MotionEnd, NotDispatched
from edge_agent.safety.cell import CellState
from edge_agent.safety.command import CommandState
from tests.control.cell import supervised

pytestmark = pytest.mark.net


class AtThe:
    """A recheck that holds until it is asked for the n-th time."""

    def __init__(self, nth: int) -> None:
        self._nth, self._asked = nth, 0

    def __call__(self) -> str | None:
        self._asked += 1
        return "cancelled" if self._asked == self._nth else None


async def test_called_off_before_anything_is_stored(tmp_path: Path) -> None:
    async with supervised(tmp_path / "state") as cell:
        end = await cell.move(Action.HOME, recheck=AtThe(1))
        assert isinstance(end, NotDispatched)
        assert await cell.frames() == 0


async def test_called_off_while_the_intent_was_stored_is_cancelled_and_never_sent(tmp_path: Path) -> None:
    async with supervised(tmp_path / "state") as cell:
        end = await cell.move(Action.HOME, recheck=AtThe(2))
        assert isinstance(end, MotionEnd)
        assert (end.state, end.frames) == (CommandState.CANCELLED, 0)
        assert await cell.frames() == 0
        assert cell.supervisor.view.state is CellState.READY


async def test_it_is_not_asked_again_once_it_is_sent(tmp_path: Path) -> None:
    async with supervised(tmp_path / "state") as cell:
        end = await cell.move(Action.HOME, recheck=AtThe(3))
        assert isinstance(end, MotionEnd)
        assert (end.state, end.frames) == (CommandState.VERIFIED, 1)
