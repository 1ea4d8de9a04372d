"""The controller's registers as a reader and a writer on the wire see them. Pure."""

from __future__ import annotations

from drivers.cell_modbus.registers import (
    BLOCKS,
    MAGIC_WORD,
    MAILBOX_WORDS,
    MAP_VERSION,
    STATUS_WORDS,
    Info,
    Reg,
    StopLevel,
)
from drivers.cell_modbus.simulator.controller import Controller
from drivers.cell_modbus.simulator.words import pose_words, split_u32

HEARTBEAT_MS = 20
"""50 beats a second; the map asks for 20 or more."""
DEVICE_CLASS_ARM_WITH_GRIPPER = 3
LONGEST_COMMAND_UNIT_MS = 100
WRITABLE = ((Reg.AGENT_HEARTBEAT, 5), (Reg.MAILBOX, MAILBOX_WORDS))


class IllegalAddress(Exception):
    """Not a whole part of one readable, or writable, block."""


def read(controller: Controller, address: int, count: int, now_ms: float) -> tuple[int, ...]:
    """`count` registers from `address`. Raises `IllegalAddress`."""
    first = _block(BLOCKS, address, count)
    controller.advance(now_ms)
    words = _words_of(controller, first, now_ms)
    return words[address - first : address - first + count]


def write(controller: Controller, address: int, words: tuple[int, ...], now_ms: float) -> None:
    """Raises `IllegalAddress`; a mailbox that does not come whole is kept to be read and is no command."""
    first = _block(WRITABLE, address, len(words))
    if first == Reg.MAILBOX:
        _write_mailbox(controller, address - first, words, now_ms)
    else:
        _write_agent(controller, address, words, now_ms)


def _block(blocks: tuple[tuple[int, int], ...], address: int, count: int) -> int:
    for first, length in blocks:
        if first <= address and address + count <= first + length:
            return first
    raise IllegalAddress(f"{count} registers at {address}")


def _words_of(controller: Controller, first: int, now_ms: float) -> tuple[int, ...]:
    match first:
        case Reg.MAGIC:
            return _status(controller, now_ms)
        case Reg.AGENT_HEARTBEAT:
            stop = controller.stop_level
            return (controller.agent_heartbeat, *controller.session_words, stop, stop)
        case Reg.MAILBOX:
            return controller.mailbox
        case _:
            return controller.slot.words(now_ms)


def _write_mailbox(controller: Controller, offset: int, words: tuple[int, ...], now_ms: float) -> None:
    before = controller.mailbox
    controller.mailbox = before[:offset] + words + before[offset + len(words) :]
    if len(words) == MAILBOX_WORDS:
        controller.take_mailbox(words, now_ms)


def _write_agent(controller: Controller, address: int, words: tuple[int, ...], now_ms: float) -> None:
    """Stop first: nothing in the same write may come before it."""
    written = {address + offset: word for offset, word in enumerate(words)}
    if (level := written.get(Reg.STOP)) is not None:
        controller.take_stop(min(level, StopLevel.CONTROLLED_STOP), now_ms)
    if (beat := written.get(Reg.AGENT_HEARTBEAT)) is not None:
        controller.take_heartbeat(beat, now_ms)
    session = range(Reg.SESSION, Reg.SESSION_OP + 1)
    if any(register in written for register in session):
        high, low, op = (
            written.get(register, before) for register, before in zip(session, controller.session_words, strict=True)
        )
        controller.take_session((high, low, op))


def _status(controller: Controller, now_ms: float) -> tuple[int, ...]:
    words = [0] * STATUS_WORDS
    for register, value in {**_identity(controller), **_state(controller, now_ms)}.items():
        words[register] = value & 0xFFFF
    words[Reg.SERIAL : Reg.SERIAL + 2] = split_u32(controller.profile.serial)
    words[Reg.UPTIME : Reg.UPTIME + 2] = split_u32(round(now_ms - controller.booted_ms))
    words[Reg.POSE : Reg.POSE + 6] = pose_words(controller.arm.pose)
    return tuple(words)


def _identity(controller: Controller) -> dict[int, int]:
    profile = controller.profile
    return {
        Reg.MAGIC: MAGIC_WORD,
        Reg.VERSION: MAP_VERSION,
        Reg.DEVICE_ID: profile.device_id,
        Reg.DEVICE_CLASS: DEVICE_CLASS_ARM_WITH_GRIPPER,
        Reg.ACTION_TABLE: 1,
        Reg.CONFIG_CRC: profile.config_crc,
        Reg.LONGEST_COMMAND: profile.longest_command_ms // LONGEST_COMMAND_UNIT_MS,
        Reg.HEARTBEAT_TIMEOUT: profile.heartbeat_timeout_ms,
    }


def _state(controller: Controller, now_ms: float) -> dict[int, int]:
    beating_ms = now_ms if controller.frozen_ms is None else controller.frozen_ms
    arm, counters = controller.arm, controller.counters
    return {
        Reg.BOOT_ID: controller.boot_id,
        Reg.CONTROLLER_HEARTBEAT: int(beating_ms) // HEARTBEAT_MS,
        Reg.AGENT_HEARTBEAT_ECHO: controller.agent_heartbeat,
        Reg.MODE: controller.mode,
        Reg.STATE: controller.state,
        Reg.INFO_BITS: _info(controller),
        Reg.FAULT_CODE: controller.fault_code,
        Reg.FAULT_COUNTER: controller.fault_counter,
        Reg.GRIPPER_STATE: arm.gripper_state,
        Reg.GRIPPER_POSITION: arm.gripper_position,
        Reg.PART_BITS: int(arm.holding),
        Reg.BIN_BITS: arm.bin_bits,
        Reg.DUPLICATES: counters.duplicates,
        Reg.ACCEPTED: counters.accepted,
        Reg.EXECUTED: counters.executed,
        Reg.REJECTED: counters.rejected,
    }


def _info(controller: Controller) -> int:
    bits = Info.RESET_REQUIRED if controller.reset_required else Info(0)
    closed = {
        "estop": Info.ESTOP_OK,
        "guard": Info.GUARD_CLOSED,
        "protective": Info.PROTECTIVE_OK,
        "drives": Info.DRIVES_ON,
    }
    for name, bit in closed.items():
        bits |= Info(0) if name in controller.open_inputs else bit
    return bits
