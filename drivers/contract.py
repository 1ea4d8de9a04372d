"""What the agent and an arm's driver say to each other. Pure. Beside it the agent imports `package.py` alone from here.

Rules for every driver
  * `send` puts one command on the wire once, or proves that no byte left (`NotSent`). It never tries again.
  * A driver reads and reports; it judges nothing. Whether a receipt fits its job is decided by the agent.
  * Every call has a deadline of the driver's own and raises `LinkLost` when it passes or the link breaks.
  * One owner: the agent calls a driver from one task, except `request_stop`, which may come at any time and
    must not wait behind a slow read longer than one bus transaction.

Units: poses in tenths of a millimetre and tenths of a degree (i16, as the cell-modbus map has them); times in ms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import IntEnum, StrEnum
from typing import Protocol, TypeAlias, runtime_checkable

PoseTenths: TypeAlias = tuple[int, int, int, int, int, int]
"""x, y, z in 0.1 mm; rx, ry, rz in 0.1 degree."""

NO_POSE: PoseTenths = (0, 0, 0, 0, 0, 0)


class Action(StrEnum):
    """The same word from MQTT to register (spec of the cell-modbus map: action codes 1 to 8)."""

    HOME = "home"
    PICK = "pick"
    PLACE = "place"
    PICK_PLACE = "pick_place"
    MOVE = "move"
    OPEN_GRIPPER = "open_gripper"
    CLOSE_GRIPPER = "close_gripper"
    PARK = "park"


class ReceiptLevel(IntEnum):
    """How much of a command the controller echoes. Automatic mode needs L2 or more, or L1 in two phases."""

    L0_MONITOR_ONLY = 0
    L1_TWO_PHASE = 1
    L2_ID_AND_READ_BACK = 2
    L3_FULL_ECHO = 3


class Mode(IntEnum):
    UNKNOWN = 0
    MANUAL = 1
    AUTO_LOCAL = 2
    AUTO_REMOTE = 3


class ControllerState(IntEnum):
    INIT = 0
    IDLE = 1
    EXECUTING = 2
    HOLDING = 3
    STOPPING = 4
    STOPPED = 5
    PROTECTIVE = 6
    CONTROLLER_ESTOP = 7
    FAULT = 8
    LOCKOUT = 9


class ReceiptState(IntEnum):
    NONE = 0
    RECEIVED = 1
    ACCEPTED = 2
    EXECUTING = 3
    DONE = 4
    REJECTED = 5
    ABORTED = 6
    UNKNOWN = 7


@dataclass(frozen=True, slots=True)
class Order:
    """What is to move and how: everything a full receipt echoes. Unused numbers are 0."""

    command_id: int
    device_id: int
    session: int
    action: Action
    target: PoseTenths = NO_POSE
    speed_pct: int = 0
    grip_force_n: int = 0
    item_class: int = 0
    station: int = 0
    bin: int = 0
    order_hash: int = 0
    validate_only: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """An order with its limits. The controller refuses it after `ttl_ms` and aborts it after `max_duration_ms`."""

    order: Order
    ttl_ms: int
    max_duration_ms: int


@dataclass(frozen=True, slots=True)
class Identity:
    """Who answers at the other end, read at `identify`. `level` and `is_real` are the driver's own statement."""

    device_id: int
    serial: int
    map_version: int
    config_crc: int
    boot_id: int
    longest_command_ms: int
    heartbeat_timeout_ms: int
    level: ReceiptLevel
    is_real: bool


@dataclass(frozen=True, slots=True)
class Interlocks:
    """The controller's own inputs, for display and permission; True is the closed (good) position."""

    estop_ok: bool
    guard_closed: bool
    protective_ok: bool
    drives_on: bool
    reduced_speed: bool
    enabling_device: bool
    reset_required: bool


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One consistent read of the controller's status."""

    boot_id: int
    controller_heartbeat: int
    agent_heartbeat_echo: int
    mode: Mode
    state: ControllerState
    interlocks: Interlocks
    fault_code: int
    fault_detail: int
    fault_counter: int
    uptime_ms: int
    pose: PoseTenths
    gripper_state: int
    gripper_position: int
    part_bits: int
    bin_bits: int
    duplicates: int
    accepted: int
    executed: int
    rejected: int
    last_command_id: int

    @property
    def holds_part(self) -> bool:
        """Bit 0 of the part bits is the gripper's own sensor."""
        return bool(self.part_bits & 1)


@dataclass(frozen=True, slots=True)
class EndState:
    at_target: bool
    holding: bool
    released: bool


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the controller says it received, used and did. `echo` is the order as the controller used it."""

    state: ReceiptState
    code: int
    echo: Order
    fingerprint: int
    progress: int
    duration_ms: int
    end: EndState

    def differs_from(self, order: Order, fingerprint: int) -> tuple[str, ...]:
        """Names of every word that is not what was sent; empty when the receipt is of this very order."""
        names = [f.name for f in fields(Order) if getattr(self.echo, f.name) != getattr(order, f.name)]
        if self.fingerprint != fingerprint:
            names.append("fingerprint")
        return tuple(names)


@dataclass(frozen=True, slots=True)
class Pace:
    """How often a wire can be asked, and how soon it shows that a command was accepted."""

    receipt_ms: int
    receipts_per_status: int
    """While a command is open: one status read with every so many receipts."""
    idle_status_ms: int
    """Without an open command: status only."""
    accept_ms: int


class DriverError(Exception):
    """The device or its link is to blame. `code` is stable and goes to the journal."""

    code = "DEVICE_FAULT"


class NotSent(DriverError):
    """No byte of the command left this machine: proved, not hoped. Ends the command REJECTED."""

    code = "SERVICE_UNAVAILABLE"


class LinkLost(DriverError):
    """The link broke or a reply did not come in time. For `send` it means: may have been received."""

    code = "CONNECTION_ERROR"


class WrongReply(DriverError):
    """A reply came and was not the answer to what was asked (address, count, function, device)."""

    code = "RECEIPT_MISMATCH"


class WrongDevice(DriverError):
    """The other end is not the device of the cell file; `field`, `expected` and `found` say why."""

    code = "RECEIPT_MISMATCH"

    def __init__(self, field: str, expected: object, found: object) -> None:
        super().__init__(f"{field}: expected {expected}, found {found}")
        self.field, self.expected, self.found = field, expected, found


@runtime_checkable
class Driver(Protocol):
    """One arm on one wire."""

    async def identify(self, session: int) -> Identity:
        """Open the link, check who is there, open the command session `session` (u32). Moves nothing."""

    async def snapshot(self) -> Snapshot: ...

    def fingerprint(self, job: Job) -> int:
        """The check word the controller echoes for exactly this job (cell-modbus: CRC16 of the mailbox)."""

    async def send(self, job: Job, wanted: Callable[[], bool] = lambda: True) -> None:
        """Put the job on the wire once. Raises `NotSent`, or any other `DriverError`: the outcome is unknown.

        `wanted` is asked when the wire is free for it, with nothing to wait for after it; False: `NotSent`.
        """

    async def receipt(self, command_id: int) -> Receipt | None:
        """The receipt that stands there now, whatever its id; None while none is readable (none yet, or torn)."""

    async def request_stop(self) -> None:
        """Ask for a controlled stop (a level, kept until `release_stop`). Reopens a closed link for this alone."""

    async def release_stop(self) -> None:
        """Take the stop level back. Moves nothing; the caller reads the state back."""

    async def heartbeat(self, count: int) -> None: ...

    async def close(self) -> None: ...
