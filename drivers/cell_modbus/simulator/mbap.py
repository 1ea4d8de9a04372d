"""Modbus/TCP frames as bytes: header of 7 (transaction, protocol 0, length, unit), then the PDU. Pure but for `read`.

Written without the vendor library on purpose: simulator and proxy must not share the driver's mistakes, and must be
able to say wrong things.
"""

from __future__ import annotations

import asyncio
import struct
from dataclasses import dataclass

HEADER = struct.Struct(">HHHB")
MAX_PDU = 253
READ_HOLDING, WRITE_MULTIPLE = 3, 16
ILLEGAL_FUNCTION, ILLEGAL_ADDRESS, ILLEGAL_VALUE, DEVICE_FAILURE = 1, 2, 3, 4
MAX_READ, MAX_WRITE = 125, 123


class BadFrame(Exception):
    """Bytes that are no Modbus/TCP frame; the stream can not be followed any further."""


@dataclass(frozen=True, slots=True)
class Frame:
    transaction: int
    unit: int
    pdu: bytes

    def encode(self) -> bytes:
        return HEADER.pack(self.transaction, 0, len(self.pdu) + 1, self.unit) + self.pdu

    def reply(self, pdu: bytes) -> Frame:
        return Frame(self.transaction, self.unit, pdu)


@dataclass(frozen=True, slots=True)
class ReadRequest:
    address: int
    count: int


@dataclass(frozen=True, slots=True)
class WriteRequest:
    address: int
    words: tuple[int, ...]


async def read(reader: asyncio.StreamReader) -> Frame | None:
    """The next frame; None at the end of the stream. Raises `BadFrame`, also for half a frame."""
    try:
        header = await reader.readexactly(HEADER.size)
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise BadFrame("the stream ended inside a header") from None
        return None
    transaction, protocol, length, unit = HEADER.unpack(header)
    if protocol != 0 or not 2 <= length <= MAX_PDU + 1:
        raise BadFrame(f"protocol {protocol}, length {length}")
    try:
        return Frame(transaction, unit, await reader.readexactly(length - 1))
    except asyncio.IncompleteReadError:
        raise BadFrame("the stream ended inside a frame") from None


def parse_request(pdu: bytes) -> ReadRequest | WriteRequest | int:
    """A request of FC03 or FC16, or the exception code that answers it."""
    function = pdu[0]
    if function == READ_HOLDING:
        return _read_request(pdu)
    if function == WRITE_MULTIPLE:
        return _write_request(pdu)
    return ILLEGAL_FUNCTION


def exception_pdu(function: int, code: int) -> bytes:
    return bytes((function | 0x80, code))


def read_reply(words: tuple[int, ...]) -> bytes:
    return struct.pack(f">BB{len(words)}H", READ_HOLDING, 2 * len(words), *words)


def write_reply(address: int, count: int) -> bytes:
    return struct.pack(">BHH", WRITE_MULTIPLE, address, count)


def _read_request(pdu: bytes) -> ReadRequest | int:
    if len(pdu) != 5:
        return ILLEGAL_VALUE
    address, count = struct.unpack(">HH", pdu[1:])
    return ReadRequest(address, count) if 1 <= count <= MAX_READ else ILLEGAL_VALUE


def _write_request(pdu: bytes) -> WriteRequest | int:
    if len(pdu) < 6:
        return ILLEGAL_VALUE
    address, count, size = struct.unpack(">HHB", pdu[1:6])
    if not 1 <= count <= MAX_WRITE or size != 2 * count or len(pdu) != 6 + size:
        return ILLEGAL_VALUE
    return WriteRequest(address, struct.unpack(f">{count}H", pdu[6:]))
