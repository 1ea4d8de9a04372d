"""The cell-modbus register map as a table: holding registers, 0-based, big-endian, u32 high word first.

Source: register map 0x0101 of the controller profile. FC03 and FC16 only, one command outstanding.
There is no reset register: reset is a key on the controller.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import Final

from drivers.contract import Action

MAGIC_WORD: Final = 0x5343
MAP_VERSION: Final = 0x0101
MAILBOX_FORMAT: Final = 0x0101
COMMIT_MASK: Final = 0xA55A
"""Word 127 is the low word of the command id xor this."""


class Reg(IntEnum):
    """First register of each value."""

    MAGIC = 0
    VERSION = 1
    DEVICE_ID = 2
    DEVICE_CLASS = 3
    SERIAL = 4
    CAPABILITIES = 6
    ACTION_TABLE = 7
    CONFIG_CRC = 8
    LONGEST_COMMAND = 9
    HEARTBEAT_TIMEOUT = 10

    BOOT_ID = 16
    CONTROLLER_HEARTBEAT = 17
    AGENT_HEARTBEAT_ECHO = 18
    MODE = 19
    STATE = 20
    INFO_BITS = 21
    FAULT_CODE = 22
    FAULT_DETAIL = 23
    FAULT_COUNTER = 24
    UPTIME = 25
    POSE = 27
    GRIPPER_STATE = 33
    GRIPPER_POSITION = 34
    PART_BITS = 35
    BIN_BITS = 36
    DUPLICATES = 37
    ACCEPTED = 38
    EXECUTED = 39
    REJECTED = 40

    AGENT_HEARTBEAT = 64
    SESSION = 65
    SESSION_OP = 67
    STOP = 68
    STOP_ECHO = 69

    MAILBOX = 100
    COMMIT = 127
    RECEIPT = 200
    RECEIPT_COMMAND_ID = 224


STATUS_WORDS: Final = 42
"""Identity and status, read whole: 0..41."""
AGENT_WORDS: Final = 6
"""64..69, readable whole; 69 is read-only."""
MAILBOX_WORDS: Final = 28
"""100..127: one FC16, or it is no command."""
MAILBOX_CHECKED_WORDS: Final = 26
"""100..125 are what word 126, the CRC, is counted over."""
RECEIPT_WORDS: Final = 32
"""200..231: one FC03."""

BLOCKS: Final[tuple[tuple[int, int], ...]] = (
    (Reg.MAGIC, STATUS_WORDS),
    (Reg.AGENT_HEARTBEAT, AGENT_WORDS),
    (Reg.MAILBOX, MAILBOX_WORDS),
    (Reg.RECEIPT, RECEIPT_WORDS),
)
"""First register and length of every readable block; words without a meaning read 0."""


class Info(IntFlag):
    """Bits of register 21."""

    ESTOP_OK = 1
    GUARD_CLOSED = 2
    PROTECTIVE_OK = 4
    DRIVES_ON = 8
    REDUCED_SPEED = 16
    ENABLING_DEVICE = 32
    RESET_REQUIRED = 64


class EndBit(IntFlag):
    """Bits of register 229. Released = the gripper is open and holds nothing."""

    AT_TARGET = 1
    HOLDING = 2
    RELEASED = 4


class SessionOp(IntEnum):
    OPEN = 1
    CLOSE = 2


class StopLevel(IntEnum):
    RELEASED = 0
    HOLD = 1
    CONTROLLED_STOP = 2


class Code(IntEnum):
    """Word 207 of the receipt and fault code 22. The high byte is the group that decides what it means."""

    NONE = 0
    CRC = 0x0101
    FORMAT = 0x0102
    DEVICE = 0x0103
    SESSION = 0x0104
    ID_NOT_NEWER = 0x0105
    TTL = 0x0106
    COMMIT = 0x0107
    BUSY = 0x0201
    MODE = 0x0202
    DRIVES = 0x0203
    LOCKOUT = 0x0204
    CONFIG_CRC = 0x0205
    STOPPED_BY_REQUEST = 0x0206
    RANGE = 0x0301
    UNREACHABLE = 0x0302
    ZONE = 0x0303
    ACTION = 0x0304
    AGENT_HEARTBEAT = 0x0401
    CONTROLLER_WATCHDOG = 0x0402
    DURATION = 0x0403
    COLLISION = 0x0501
    ESTOP = 0x0502
    GUARD = 0x0503
    TEMPERATURE = 0x0504
    SERVO_BUS = 0x0505
    NO_PART = 0x0601
    PART_LOST = 0x0602
    GRIPPER_FAULT = 0x0603
    UNEXPECTED_PART = 0x0604
    INTERNAL = 0x07FF


ACTION_CODES: Final[dict[Action, int]] = {
    Action.HOME: 1,
    Action.PICK: 2,
    Action.PLACE: 3,
    Action.PICK_PLACE: 4,
    Action.MOVE: 5,
    Action.OPEN_GRIPPER: 6,
    Action.CLOSE_GRIPPER: 7,
    Action.PARK: 8,
}
ACTION_OF_CODE: Final[dict[int, Action]] = {code: action for action, code in ACTION_CODES.items()}
