"""What a receipt is worth: of this very order, with an end that fits, or not believed, and why."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, cast

import pytest

from drivers.contract import Action, EndState, Order, ReceiptState, Snapshot
from edge_agent.safety.receipt import Aborted, Baseline, NotYet, Refusal, Taken, Verified, Wrong, judge
from tests.safety.given import look, order, receipt

BEFORE = Baseline(boot_id=3, executed=7, duplicates=0, pose_tolerance_tenths=10)
AFTER = look(executed=8)
R = ReceiptState
HOLDING = EndState(at_target=True, holding=True, released=False)
RELEASED = EndState(at_target=True, holding=False, released=True)
NOWHERE = EndState(at_target=False, holding=False, released=False)


def judged(of: Order, state: ReceiptState, now: Snapshot = AFTER, **changed: Any) -> object:
    return judge(of, 0xBEEF, receipt(state, of, **changed), now, BEFORE)


@pytest.mark.parametrize(
    ("state", "is_worth"),
    [
        (R.NONE, NotYet()),
        (R.RECEIVED, NotYet()),
        (R.ACCEPTED, Taken(executing=False)),
        (R.EXECUTING, Taken(executing=True)),
        (R.UNKNOWN, Wrong(("state_unknown",))),
        (cast(ReceiptState, 99), Wrong(("state",))),
    ],
)
def test_states(state: ReceiptState, is_worth: object) -> None:
    assert judged(order(), state) == is_worth


def test_done_is_verified_with_what_was_read() -> None:
    assert judged(order(), R.DONE) == Verified(receipt(R.DONE, order()), AFTER)


def test_nothing_readable_is_not_yet() -> None:
    assert judge(order(), 0xBEEF, None, AFTER, BEFORE) == NotYet()


@pytest.mark.parametrize("state", list(R))
def test_the_last_commands_receipt_is_left_alone(state: ReceiptState) -> None:
    assert judge(order(), 0xBEEF, receipt(state, order(command_id=41)), AFTER, BEFORE) == NotYet()


OTHER: dict[str, object] = {
    "command_id": 43,
    "device_id": 8,
    "session": 98,
    "action": Action.PARK,
    "target": (1, 0, 0, 0, 0, 0),
    "speed_pct": 1,
    "grip_force_n": 1,
    "item_class": 1,
    "station": 1,
    "bin": 1,
    "order_hash": 6,
    "validate_only": True,
}


@pytest.mark.parametrize("state", [R.RECEIVED, R.ACCEPTED, R.EXECUTING, R.DONE, R.REJECTED, R.ABORTED])
@pytest.mark.parametrize("name", sorted(OTHER))
def test_any_word_that_differs_is_named(name: str, state: ReceiptState) -> None:
    echo = replace(order(), **cast(Any, {name: OTHER[name]}))
    assert judged(order(), state, echo=echo) == Wrong((name,))


def test_every_word_of_an_order_is_compared() -> None:
    assert set(OTHER) == {f.name for f in fields(Order)}
    assert judged(order(), R.DONE, fingerprint=0xBEEE) == Wrong(("fingerprint",))


@pytest.mark.parametrize(
    ("now", "what"),
    [
        (look(executed=7), ("executed",)),
        (look(executed=9), ("executed",)),
        (look(executed=8, boot_id=4), ("boot_id",)),
        (look(executed=8, duplicates=1), ("duplicates",)),
        (look(executed=9, boot_id=4, duplicates=1), ("boot_id", "executed", "duplicates")),
    ],
)
def test_counters_that_do_not_add_up_are_named(now: Snapshot, what: tuple[str, ...]) -> None:
    assert judged(order(), R.DONE, now) == Wrong(what)


def test_the_executed_counter_is_sixteen_bits() -> None:
    before = replace(BEFORE, executed=0xFFFF)
    assert isinstance(judge(order(), 0xBEEF, receipt(R.DONE, order()), look(executed=0), before), Verified)


NEAR, FAR = (1010, 1990, 300, 0, 0, 900), (1011, 2000, 300, 0, 0, 900)
PART = 1


@pytest.mark.parametrize(
    ("action", "end", "part", "pose", "misfits"),
    [
        (Action.HOME, RELEASED, 0, FAR, ()),
        (Action.HOME, NOWHERE, 0, FAR, ("at_target",)),
        (Action.PARK, HOLDING, PART, FAR, ()),
        (Action.PARK, NOWHERE, 0, FAR, ("at_target",)),
        (Action.MOVE, RELEASED, 0, NEAR, ()),
        (Action.MOVE, RELEASED, 0, FAR, ("pose",)),
        (Action.MOVE, NOWHERE, 0, FAR, ("at_target", "pose")),
        (Action.PICK, HOLDING, PART, FAR, ()),
        (Action.PICK, HOLDING, 0, FAR, ("part",)),
        (Action.PICK, RELEASED, 0, FAR, ("holding", "part")),
        (Action.PLACE, RELEASED, 0, FAR, ()),
        (Action.PLACE, RELEASED, PART, FAR, ("no_part",)),
        (Action.PLACE, HOLDING, PART, FAR, ("released", "no_part")),
        (Action.PICK_PLACE, RELEASED, 0, FAR, ()),
        (Action.PICK_PLACE, NOWHERE, PART, FAR, ("at_target", "released", "no_part")),
        (Action.OPEN_GRIPPER, RELEASED, 0, FAR, ()),
        (Action.OPEN_GRIPPER, NOWHERE, PART, FAR, ("released", "no_part")),
        (Action.CLOSE_GRIPPER, NOWHERE, 0, FAR, ()),
    ],
)
def test_an_end_fits_its_action(
    action: Action, end: EndState, part: int, pose: tuple[int, ...], misfits: tuple[str, ...]
) -> None:
    of = order(action, target=(1000, 2000, 300, 0, 0, 900))
    now = look(executed=8, part_bits=part, pose=pose)
    verdict = judged(of, R.DONE, now, end=end)
    assert (verdict.what if isinstance(verdict, Wrong) else ()) == misfits
    assert isinstance(verdict, Verified) is not bool(misfits)


@pytest.mark.parametrize("group", range(0x08))
def test_legal_refusals(group: int) -> None:
    code = group << 8 | 0x01
    legal = group in (0x02, 0x03, 0x06)
    assert judged(order(), R.REJECTED, code=code) == (Refusal(code) if legal else Wrong((f"rejected_{code:04x}",)))


@pytest.mark.parametrize(("code", "by_stop"), [(0x0206, True), (0x0401, False), (0x0503, False), (0x0602, False)])
def test_aborted_by_whom(code: int, by_stop: bool) -> None:
    verdict = judged(order(), R.ABORTED, code=code)
    assert verdict == Aborted(code)
    assert isinstance(verdict, Aborted)
    assert verdict.by_stop is by_stop
