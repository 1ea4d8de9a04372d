"""Words and check sums as the simulated controller counts them; written apart from the driver's on purpose. Pure."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from drivers.contract import PoseTenths


def _table_entry(index: int) -> int:
    for _ in range(8):
        index = index >> 1 ^ (0xA001 * (index & 1))
    return index


CRC_TABLE = tuple(_table_entry(index) for index in range(256))


def crc16_bytes(data: bytes) -> int:
    """Modbus CRC16."""
    crc = 0xFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 0xFF]
    return crc


def crc16_words(words: Sequence[int]) -> int:
    return crc16_bytes(pack_words(words))


def pack_words(words: Sequence[int]) -> bytes:
    return struct.pack(f">{len(words)}H", *words)


def unpack_words(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f">{len(data) // 2}H", data)


def split_u32(value: int) -> tuple[int, int]:
    return divmod(value & 0xFFFF_FFFF, 0x10000)


def join_u32(high: int, low: int) -> int:
    return high * 0x10000 + low


def pose_words(pose: PoseTenths) -> tuple[int, ...]:
    return unpack_words(struct.pack(">6h", *pose))


def words_pose(words: Sequence[int]) -> PoseTenths:
    x, y, z, rx, ry, rz = struct.unpack(">6h", pack_words(words))
    return x, y, z, rx, ry, rz
