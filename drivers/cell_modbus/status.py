"""Words 0..41 as identity and snapshot. Pure; raises `WrongReply` for a word outside its table."""

from __future__ import annotations

from enum import IntEnum
from typing import TypeVar

from drivers.cell_modbus.registers import MAGIC_WORD, MAP_VERSION, Info, Reg
from drivers.contract import (
    ControllerState,
    Identity,
    Interlocks,
    Mode,
    PoseTenths,
    ReceiptLevel,
    Snapshot,
    WrongDevice,
    WrongReply,
)

TableWord = TypeVar("TableWord", bound=IntEnum)
Words = tuple[int, ...]
LONGEST_COMMAND_UNIT_MS = 100


def decode_identity(words: Words, *, is_real: bool) -> Identity:
    """`words` are 0..41. Says who answered; whether it is the expected device is `check_device`'s."""
    return Identity(
        device_id=words[Reg.DEVICE_ID],
        serial=u32(words, Reg.SERIAL),
        map_version=words[Reg.VERSION],
        config_crc=words[Reg.CONFIG_CRC],
        boot_id=words[Reg.BOOT_ID],
        longest_command_ms=words[Reg.LONGEST_COMMAND] * LONGEST_COMMAND_UNIT_MS,
        heartbeat_timeout_ms=words[Reg.HEARTBEAT_TIMEOUT],
        level=ReceiptLevel.L3_FULL_ECHO,
        is_real=is_real,
    )


def check_device(words: Words, *, device_id: int, config_crc: int) -> None:
    """Raises `WrongDevice` with the first word of 0..41 that is not the configured device's."""
    expected = (
        ("magic", Reg.MAGIC, MAGIC_WORD),
        ("map_version", Reg.VERSION, MAP_VERSION),
        ("device_id", Reg.DEVICE_ID, device_id),
        ("config_crc", Reg.CONFIG_CRC, config_crc),
    )
    for name, register, value in expected:
        if words[register] != value:
            raise WrongDevice(name, value, words[register])


def decode_snapshot(words: Words, *, last_command_id: int) -> Snapshot:
    """`words` are 0..41; the last command id stands in the receipt block and comes from there."""
    return Snapshot(
        boot_id=words[Reg.BOOT_ID],
        controller_heartbeat=words[Reg.CONTROLLER_HEARTBEAT],
        agent_heartbeat_echo=words[Reg.AGENT_HEARTBEAT_ECHO],
        mode=in_table(Mode, "mode", words[Reg.MODE]),
        state=in_table(ControllerState, "state", words[Reg.STATE]),
        interlocks=_interlocks(words[Reg.INFO_BITS]),
        fault_code=words[Reg.FAULT_CODE],
        fault_detail=words[Reg.FAULT_DETAIL],
        fault_counter=words[Reg.FAULT_COUNTER],
        uptime_ms=u32(words, Reg.UPTIME),
        pose=pose_at(words, Reg.POSE),
        gripper_state=words[Reg.GRIPPER_STATE],
        gripper_position=words[Reg.GRIPPER_POSITION],
        part_bits=words[Reg.PART_BITS],
        bin_bits=words[Reg.BIN_BITS],
        duplicates=words[Reg.DUPLICATES],
        accepted=words[Reg.ACCEPTED],
        executed=words[Reg.EXECUTED],
        rejected=words[Reg.REJECTED],
        last_command_id=last_command_id,
    )


def u32(words: Words, high: int) -> int:
    return words[high] << 16 | words[high + 1]


def i16(word: int) -> int:
    return word - 0x10000 if word >= 0x8000 else word


def pose_at(words: Words, first: int) -> PoseTenths:
    x, y, z, rx, ry, rz = (i16(word) for word in words[first : first + 6])
    return x, y, z, rx, ry, rz


def in_table(table: type[TableWord], name: str, word: int) -> TableWord:
    """`word` as a member of `table`, or `WrongReply`: a value the map does not know is never guessed at."""
    try:
        return table(word)
    except ValueError:
        raise WrongReply(f"{name} reads {word}, which the register map does not know") from None


def _interlocks(word: int) -> Interlocks:
    bits = Info(word & 0x7F)
    return Interlocks(
        estop_ok=Info.ESTOP_OK in bits,
        guard_closed=Info.GUARD_CLOSED in bits,
        protective_ok=Info.PROTECTIVE_OK in bits,
        drives_on=Info.DRIVES_ON in bits,
        reduced_speed=Info.REDUCED_SPEED in bits,
        enabling_device=Info.ENABLING_DEVICE in bits,
        reset_required=Info.RESET_REQUIRED in bits,
    )
