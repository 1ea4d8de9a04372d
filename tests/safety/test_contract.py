"""Slots to an order, or to the one thing that is wrong; the moment's interlocks, each by its name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from drivers.contract import NO_POSE, Action, ControllerState, Mode, Snapshot
from edge_agent.safety.contract import (
    NEEDS,
    TAKES,
    MissingSlot,
    Proposal,
    Refused,
    SlotName,
    check,
    interlocks,
    order_hash,
)
from tests.safety.given import LOOK, SPEC, TWO_ARMS, look, open_input, proposal

GLASS = (100, 200, 300, 0, 0, 0)


@pytest.mark.parametrize(
    ("action", "said", "words"),
    [
        (Action.HOME, {}, {"speed_pct": 40}),
        (Action.PARK, {"action": "park"}, {"speed_pct": 40}),
        (Action.MOVE, {"station": "A"}, {"speed_pct": 40, "station": 1, "target": (1000, 2000, 300, 0, 0, 900)}),
        (
            Action.PICK,
            {"item_type": "glass", "bin": "3"},
            {"speed_pct": 40, "grip_force_n": 25, "item_class": 1, "target": GLASS, "bin": 3},
        ),
        (Action.PLACE, {"bin": "3"}, {"speed_pct": 40, "bin": 3}),
        (Action.PLACE, {"bin": "1", "item_type": "metal"}, {"speed_pct": 40, "bin": 1}),
        (
            Action.PICK_PLACE,
            {"item_type": "metal", "bin": "1", "device": "arm"},
            {"speed_pct": 40, "grip_force_n": 40, "item_class": 2, "target": (400, 500, 300, 0, 0, 0), "bin": 1},
        ),
        (Action.OPEN_GRIPPER, {}, {"grip_force_n": 30}),
        (Action.CLOSE_GRIPPER, {}, {"grip_force_n": 30}),
    ],
)
def test_an_order_holds_what_was_said_and_zero_elsewhere(
    action: Action, said: dict[str, str], words: dict[str, object]
) -> None:
    made = proposal(action, said)
    expected = {
        "target": NO_POSE,
        "speed_pct": 0,
        "grip_force_n": 0,
        "item_class": 0,
        "station": 0,
        "bin": 0,
        "command_id": 0,
        "session": 0,
        "device_id": 7,
        **words,
    }
    assert {name: getattr(made.order, name) for name in expected} == expected
    assert made.slot_map == {k: v for k, v in said.items() if k not in ("action", "device")}


def test_the_hash_tells_wishes_apart() -> None:
    wishes = [
        order_hash(Action.HOME, "arm", {}),
        order_hash(Action.PARK, "arm", {}),
        order_hash(Action.HOME, "second", {}),
        order_hash(Action.PLACE, "arm", {"bin": "1"}),
        order_hash(Action.PLACE, "arm", {"bin": "3"}),
    ]
    assert len(set(wishes)) == len(wishes)
    assert all(0 <= wish < 2**32 for wish in wishes)
    assert order_hash(Action.PICK, "arm", {"a": "1", "b": "2"}) == order_hash(Action.PICK, "arm", {"b": "2", "a": "1"})


@pytest.mark.parametrize(
    ("action", "said", "missing"),
    [
        (Action.MOVE, {}, "station"),
        (Action.PICK, {"bin": "1"}, "item_type"),
        (Action.PLACE, {"item_type": "glass"}, "bin"),
        (Action.PICK_PLACE, {"bin": "1"}, "item_type"),
        (Action.PICK_PLACE, {"item_type": "glass"}, "bin"),
    ],
)
def test_a_missing_slot_is_named(action: Action, said: dict[str, str], missing: SlotName) -> None:
    assert check(SPEC, action, said) == MissingSlot(missing)


@pytest.mark.parametrize(
    ("said", "device_id"), [({}, None), ({"device": "arm"}, 7), ({"device": "second"}, 8)], ids=str
)
def test_where_there_are_two_devices_one_is_named(said: dict[str, str], device_id: int | None) -> None:
    made = check(TWO_ARMS, Action.HOME, said)
    assert (made.order.device_id if isinstance(made, Proposal) else made) == (device_id or MissingSlot("device"))


@pytest.mark.parametrize(
    ("slot", "value"),
    [("item_type", "gold"), ("bin", "9"), ("station", "Z"), ("device", "crane"), ("speed", "100")],
)
def test_what_the_cell_does_not_have_is_refused_by_name(slot: str, value: str) -> None:
    facts = (("slot", slot), ("value", value))
    assert check(SPEC, Action.HOME, {slot: value}) == Refused("not_in_cell", "INPUT_INVALID", facts)


@pytest.mark.parametrize(
    ("action", "said"),
    [(Action.HOME, {"station": "A"}), (Action.MOVE, {"station": "A", "bin": "1"}), (Action.OPEN_GRIPPER, {"bin": "1"})],
)
def test_a_slot_of_another_action_is_refused(action: Action, said: dict[str, str]) -> None:
    refused = check(SPEC, action, said)
    assert isinstance(refused, Refused)
    assert refused.reason == "slot_not_of_action"


@pytest.mark.parametrize("action", [Action.PICK, Action.PLACE, Action.PICK_PLACE])
def test_a_station_beside_a_pick_or_place_is_refused_with_where_things_lie(action: Action) -> None:
    """The arm would go to the item's own place, whatever station was said."""
    refused = check(SPEC, action, {"item_type": "metal", "bin": "3", "station": "A"})
    assert isinstance(refused, Refused)
    assert refused.reason == "place_is_fixed"


def test_every_action_has_its_slots() -> None:
    assert set(NEEDS) == set(TAKES) == set(Action)
    assert all(set(NEEDS[action]) <= TAKES[action] for action in Action)


@pytest.mark.parametrize(
    ("reason", "now"),
    [
        ("controller_estop", open_input(estop_ok=False)),
        ("guard_open", open_input(guard_closed=False)),
        ("protective_stop", open_input(protective_ok=False)),
        ("drives_off", open_input(drives_on=False)),
        ("controller_reset_required", open_input(reset_required=True)),
        ("not_remote_automatic", look(mode=Mode.MANUAL)),
        ("not_remote_automatic", look(mode=Mode.AUTO_LOCAL)),
        *(("controller_not_idle", look(state=state)) for state in ControllerState if state is not ControllerState.IDLE),
    ],
)
def test_an_open_interlock_is_named(reason: str, now: Snapshot) -> None:
    refused = interlocks(proposal(Action.HOME), now)
    assert refused == Refused(reason, "INTERLOCK_OPEN", (("action", "home"),))


SAID = {
    Action.MOVE: {"station": "A"},
    Action.PICK: {"item_type": "glass"},
    Action.PLACE: {"bin": "1"},
    Action.PICK_PLACE: {"item_type": "glass", "bin": "1"},
}


@pytest.mark.parametrize("holds", [False, True])
@pytest.mark.parametrize("action", Action)
def test_the_gripper_fits_the_action(action: Action, holds: bool) -> None:
    wrong = {
        (Action.PICK, True): "gripper_occupied",
        (Action.PICK_PLACE, True): "gripper_occupied",
        (Action.PLACE, False): "gripper_empty",
    }.get((action, holds))
    refused = interlocks(proposal(action, SAID.get(action)), replace(LOOK, part_bits=int(holds)))
    assert (None if refused is None else refused.reason) == wrong
