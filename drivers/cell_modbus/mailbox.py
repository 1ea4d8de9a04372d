"""A job as the 28 words of the mailbox, and the two check words. Pure.

Words 100..127: format, device, action, flags, session (u32), TTL ms, max duration ms, 12 parameters, bin,
order hash (u32), zero, command id (u32), CRC16 over the bytes of 100..125, commit.
Parameters 108..119: x y z 0.1 mm, rx ry rz 0.1 degree (i16), speed %, grip force N, item class, station, 0, 0.
"""

from __future__ import annotations

from drivers.cell_modbus.registers import (
    ACTION_CODES,
    COMMIT_MASK,
    MAILBOX_CHECKED_WORDS,
    MAILBOX_FORMAT,
)
from drivers.contract import Job, Order

CRC16_POLYNOMIAL = 0xA001
"""Modbus CRC16, reflected; start value 0xFFFF."""
VALIDATE_ONLY = 1
U16_MAX, U32_MAX = 0xFFFF, 0xFFFF_FFFF
I16_MIN, I16_MAX = -0x8000, 0x7FFF


class OutOfRange(ValueError):
    """A number of the job does not fit its register; nothing was sent."""


def mailbox_words(job: Job) -> tuple[int, ...]:
    """The 28 words of `job`. Raises `OutOfRange` when a number does not fit."""
    checked = _checked_words(job)
    return (*checked, crc16(checked), commit_word(job.order.command_id))


def fingerprint(job: Job) -> int:
    """Word 126: the CRC16 the controller echoes for exactly this job."""
    return crc16(_checked_words(job))


def commit_word(command_id: int) -> int:
    return (command_id & 0xFFFF) ^ COMMIT_MASK


def crc16(words: tuple[int, ...]) -> int:
    """Modbus CRC16 over the big-endian bytes of `words`."""
    crc = 0xFFFF
    for byte in b"".join(word.to_bytes(2, "big") for word in words):
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (CRC16_POLYNOMIAL if crc & 1 else 0)
    return crc


def u32_words(value: int) -> tuple[int, int]:
    """High word first."""
    return value >> 16, value & 0xFFFF


def i16_word(value: int) -> int:
    return value & 0xFFFF


def _checked_words(job: Job) -> tuple[int, ...]:
    order = job.order
    words = (
        MAILBOX_FORMAT,
        _u16("device_id", order.device_id),
        ACTION_CODES[order.action],
        VALIDATE_ONLY if order.validate_only else 0,
        *u32_words(_u32("session", order.session)),
        _u16("ttl_ms", job.ttl_ms),
        _u16("max_duration_ms", job.max_duration_ms),
        *_parameters(order),
        _u16("bin", order.bin),
        *u32_words(_u32("order_hash", order.order_hash)),
        0,
        *u32_words(_u32("command_id", order.command_id)),
    )
    assert len(words) == MAILBOX_CHECKED_WORDS
    return words


def _parameters(order: Order) -> tuple[int, ...]:
    pose = tuple(i16_word(_i16(f"target[{i}]", tenths)) for i, tenths in enumerate(order.target))
    return (
        *pose,
        _u16("speed_pct", order.speed_pct),
        _u16("grip_force_n", order.grip_force_n),
        _u16("item_class", order.item_class),
        _u16("station", order.station),
        0,
        0,
    )


def _u16(name: str, value: int) -> int:
    return _within(name, value, 0, U16_MAX)


def _u32(name: str, value: int) -> int:
    return _within(name, value, 0, U32_MAX)


def _i16(name: str, value: int) -> int:
    return _within(name, value, I16_MIN, I16_MAX)


def _within(name: str, value: int, low: int, high: int) -> int:
    if not low <= value <= high:
        raise OutOfRange(f"{name} = {value} does not fit its register ({low} to {high})")
    return value
