"""One look, what it means; two looks, whether the arm rests."""

from __future__ import annotations

import pytest

from drivers.contract import ControllerState, Mode, Snapshot
from edge_agent.safety.cell import CellEvent
from edge_agent.safety.watch import HEARTBEAT_FROZEN_S, STOPPED_STATES, integrity, interlock_open, posture, stop_proved
from tests.safety.given import LOOK, look, open_input

C = ControllerState
STOPPED = {C.STOPPED, C.PROTECTIVE, C.CONTROLLER_ESTOP, C.FAULT, C.LOCKOUT}


@pytest.mark.parametrize(
    ("now", "may_execute", "age_s", "misfits"),
    [
        (LOOK, False, 0.0, ()),
        (LOOK, True, HEARTBEAT_FROZEN_S, ()),
        (LOOK, False, 0.51, ("heartbeat_frozen",)),
        (look(boot_id=4), False, 0.0, ("boot_id",)),
        (look(duplicates=1), True, 0.0, ("duplicates",)),
        (look(executed=8), True, 0.0, ()),
        (look(executed=8), False, 0.0, ("executed",)),
        (look(executed=9), True, 0.0, ("executed",)),
        (look(executed=6), True, 0.0, ("executed",)),
        (
            look(boot_id=4, duplicates=1, executed=9),
            True,
            9.9,
            ("boot_id", "duplicates", "executed", "heartbeat_frozen"),
        ),
    ],
)
def test_integrity(now: Snapshot, may_execute: bool, age_s: float, misfits: tuple[str, ...]) -> None:
    found = integrity(now, boot_id=3, duplicates=0, executed=7, may_execute=may_execute, heartbeat_age_s=age_s)
    assert found == misfits


def test_the_executed_counter_is_sixteen_bits() -> None:
    now = look(executed=0)
    assert not integrity(now, boot_id=3, duplicates=0, executed=0xFFFF, may_execute=True, heartbeat_age_s=0.0)


@pytest.mark.parametrize(
    ("now", "is_open"),
    [
        (LOOK, False),
        (open_input(reset_required=True, reduced_speed=True), False),
        (open_input(estop_ok=False), True),
        (open_input(guard_closed=False), True),
        (open_input(protective_ok=False), True),
        (open_input(drives_on=False), True),
        *((look(state=state), state in STOPPED - {C.STOPPED}) for state in C),
    ],
)
def test_interlock_open(now: Snapshot, is_open: bool) -> None:
    assert interlock_open(now) is is_open


@pytest.mark.parametrize(
    ("now", "event"),
    [
        (LOOK, CellEvent.IDENTIFIED),
        (open_input(reset_required=True), None),
        (look(state=C.STOPPED), CellEvent.FOUND_STOPPED),
        (look(state=C.EXECUTING), None),
        (look(state=C.INIT), None),
        *((look(mode=mode), CellEvent.MODE_LEFT) for mode in Mode if mode is not Mode.AUTO_REMOTE),
        (look(mode=Mode.MANUAL, state=C.STOPPED), CellEvent.MODE_LEFT),
    ],
)
def test_posture(now: Snapshot, event: CellEvent | None) -> None:
    assert posture(now) is event


def test_stopped_states() -> None:
    assert STOPPED_STATES == STOPPED


@pytest.mark.parametrize("first", C)
@pytest.mark.parametrize("second", C)
def test_a_stop_is_proved_by_two_stopped_states(first: ControllerState, second: ControllerState) -> None:
    proved = stop_proved(look(state=first), look(state=second), 2)
    assert proved is (first in STOPPED and second in STOPPED)


@pytest.mark.parametrize("axis", range(6))
@pytest.mark.parametrize(("moved", "proved"), [(0, True), (2, True), (-2, True), (3, False), (-3, False)])
def test_a_stop_is_proved_by_a_still_pose(axis: int, moved: int, proved: bool) -> None:
    pose = tuple(word + moved * (index == axis) for index, word in enumerate(LOOK.pose))
    assert stop_proved(look(state=C.STOPPED), look(state=C.STOPPED, pose=pose), 2) is proved
