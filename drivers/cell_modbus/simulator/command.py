"""A mailbox as the controller reads it, and what it finds wrong with it, in order. Pure.

Order of judgement: integrity (01xx), readiness (02xx, 05xx; the controller's own), request (03xx, 06xx).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from drivers.cell_modbus.registers import ACTION_OF_CODE, COMMIT_MASK, MAILBOX_FORMAT, Code
from drivers.cell_modbus.simulator import profile as cell
from drivers.cell_modbus.simulator.profile import Profile
from drivers.cell_modbus.simulator.words import crc16_words, join_u32, words_pose
from drivers.contract import NO_POSE, Action, PoseTenths

# Offsets from register 100.
FORMAT, DEVICE, ACTION, FLAGS, SESSION, TTL, MAX_DURATION, TARGET = 0, 1, 2, 3, 4, 6, 7, 8
SPEED, FORCE, ITEM, STATION, BIN, ORDER_HASH, ZERO, COMMAND_ID, CRC, COMMIT = 14, 15, 16, 17, 20, 21, 23, 24, 26, 27
PARAMETERS = frozenset({*range(TARGET, 20), BIN})

_POSE = frozenset(range(TARGET, TARGET + 6))
USED: Mapping[Action, frozenset[int]] = {
    Action.HOME: frozenset({SPEED}),
    Action.PARK: frozenset({SPEED}),
    Action.MOVE: _POSE | {SPEED, STATION},
    Action.PICK: _POSE | {SPEED, FORCE, ITEM, BIN},
    Action.PLACE: _POSE | {SPEED, BIN},
    Action.PICK_PLACE: _POSE | {SPEED, FORCE, ITEM, BIN},
    Action.OPEN_GRIPPER: frozenset({FORCE}),
    Action.CLOSE_GRIPPER: frozenset({FORCE}),
}
"""Words an action may use; any other parameter that is not 0 is refused (0301)."""

RANGES: Mapping[int, tuple[int, int]] = {
    SPEED: (1, 100),
    FORCE: (0, cell.MAX_FORCE_N),
    ITEM: (0, cell.ITEM_CLASSES),
    STATION: (0, cell.STATIONS),
    BIN: (0, max(cell.BINS)),
}


@dataclass(frozen=True, slots=True)
class Command:
    """The 28 words of one write."""

    words: tuple[int, ...]

    @property
    def command_id(self) -> int:
        return join_u32(self.words[COMMAND_ID], self.words[COMMAND_ID + 1])

    @property
    def session(self) -> int:
        return join_u32(self.words[SESSION], self.words[SESSION + 1])

    @property
    def action(self) -> Action | None:
        return ACTION_OF_CODE.get(self.words[ACTION])

    @property
    def validate_only(self) -> bool:
        return self.words[FLAGS] == 1

    @property
    def ttl_ms(self) -> int:
        return self.words[TTL]

    @property
    def max_duration_ms(self) -> int:
        return self.words[MAX_DURATION]

    @property
    def speed_pct(self) -> int:
        return self.words[SPEED]

    @property
    def bin(self) -> int:
        return self.words[BIN]

    @property
    def target(self) -> PoseTenths:
        return words_pose(self.words[TARGET : TARGET + 6])

    @property
    def drop_pose(self) -> PoseTenths:
        """Where a part is let go: the target of `place` when it has one, else the controller's own pose of the bin."""
        if self.action is Action.PLACE and self.target != NO_POSE:
            return self.target
        return cell.BINS[self.bin]


def integrity_fault(command: Command, *, device_id: int, session: int) -> Code | None:
    """01xx without the id, which only the controller can judge."""
    words = command.words
    if crc16_words(words[:CRC]) != words[CRC]:
        return Code.CRC
    if words[FORMAT] != MAILBOX_FORMAT or words[ZERO] != 0 or words[FLAGS] not in (0, 1):
        return Code.FORMAT
    if words[DEVICE] != device_id:
        return Code.DEVICE
    if words[COMMIT] != words[COMMAND_ID + 1] ^ COMMIT_MASK:
        return Code.COMMIT
    if session == 0 or command.session != session:
        return Code.SESSION
    if command.ttl_ms == 0:
        return Code.TTL
    return None


def request_fault(command: Command, profile: Profile, *, holding: bool) -> Code | None:
    """03xx, and 06xx as far as the gripper's own state decides it."""
    action = command.action
    if action is None:
        return Code.ACTION
    if not _in_range(command, action, profile):
        return Code.RANGE
    return _pose_fault(command, action) or _grip_fault(action, holding)


def _in_range(command: Command, action: Action, profile: Profile) -> bool:
    words, used = command.words, USED[action]
    return (
        all(words[offset] == 0 for offset in PARAMETERS - used)
        and all(low <= words[offset] <= high for offset, (low, high) in RANGES.items() if offset in used)
        and 1 <= command.max_duration_ms <= profile.longest_command_ms
        and _names_a_place(command, action)
    )


def _names_a_place(command: Command, action: Action) -> bool:
    match action:
        case Action.PICK_PLACE:
            return command.bin in cell.BINS
        case Action.PLACE:
            return command.bin in cell.BINS or command.target != NO_POSE
        case _:
            return True


def _pose_fault(command: Command, action: Action) -> Code | None:
    if action not in (Action.MOVE, Action.PICK, Action.PICK_PLACE, Action.PLACE):
        return None
    pose = command.drop_pose if action is Action.PLACE else command.target
    x, y, z = pose[:3]
    if x * x + y * y > cell.REACH * cell.REACH or not cell.LOWEST <= z <= cell.REACH:
        return Code.UNREACHABLE
    if all(low <= value <= high for value, (low, high) in zip((x, y, z), cell.KEEP_OUT, strict=True)):
        return Code.ZONE
    return None


def _grip_fault(action: Action, holding: bool) -> Code | None:
    if action in (Action.PICK, Action.PICK_PLACE) and holding:
        return Code.UNEXPECTED_PART
    if action is Action.PLACE and not holding:
        return Code.NO_PART
    return None
