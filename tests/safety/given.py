"""A cell, looks and receipts as tests are given them: all in order, unless told otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from drivers.contract import (
    Action,
    ControllerState,
    EndState,
    Interlocks,
    Mode,
    Order,
    Receipt,
    ReceiptState,
    Snapshot,
)
from edge_agent.safety.cell_spec import Bin, CellSpec, Device, Item, Limits, Station
from edge_agent.safety.contract import Proposal, check

CLOSED = Interlocks(
    estop_ok=True,
    guard_closed=True,
    protective_ok=True,
    drives_on=True,
    reduced_speed=False,
    enabling_device=False,
    reset_required=False,
)
LOOK = Snapshot(
    boot_id=3,
    controller_heartbeat=10,
    agent_heartbeat_echo=10,
    mode=Mode.AUTO_REMOTE,
    state=ControllerState.IDLE,
    interlocks=CLOSED,
    fault_code=0,
    fault_detail=0,
    fault_counter=0,
    uptime_ms=1000,
    pose=(1000, 2000, 300, 0, 0, 900),
    gripper_state=0,
    gripper_position=0,
    part_bits=0,
    bin_bits=0,
    duplicates=0,
    accepted=7,
    executed=7,
    rejected=0,
    last_command_id=41,
)
ARM = Device("arm", 7, "cell_modbus", {})
SPEC = CellSpec(
    name="cell",
    simulated=True,
    lab=False,
    devices=(ARM,),
    items=(Item("glass", 1, (100, 200, 300, 0, 0, 0), 25), Item("metal", 2, (400, 500, 300, 0, 0, 0), 40)),
    bins=(Bin("1", 1), Bin("3", 3)),
    stations=(Station("A", 1, (1000, 2000, 300, 0, 0, 900)),),
    limits=Limits(speed_pct=40, grip_force_max_n=60),
)
TWO_ARMS = replace(SPEC, devices=(ARM, Device("second", 8, "cell_modbus", {})))


def look(**changed: Any) -> Snapshot:
    return replace(LOOK, **changed)


def open_input(**changed: bool) -> Snapshot:
    return look(interlocks=replace(CLOSED, **changed))


def proposal(action: Action, said: Mapping[str, str] | None = None) -> Proposal:
    made = check(SPEC, action, said or {})
    assert isinstance(made, Proposal), made
    return made


def order(action: Action = Action.HOME, **changed: Any) -> Order:
    return replace(Order(42, 7, 99, action, order_hash=5), **changed)


def receipt(state: ReceiptState, of: Order, **changed: Any) -> Receipt:
    whole = Receipt(state, 0, of, 0xBEEF, 100, 900, EndState(at_target=True, holding=False, released=True))
    return replace(whole, **changed)
