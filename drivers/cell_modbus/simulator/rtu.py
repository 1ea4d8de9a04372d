"""Modbus RTU as bytes: unit, PDU, CRC16 low byte first; a frame ends with silence on the line. Pure."""

from __future__ import annotations

from drivers.cell_modbus.simulator.mbap import Frame
from drivers.cell_modbus.simulator.words import crc16_bytes

SHORTEST = 4
LONGEST = 256


def encode(frame: Frame) -> bytes:
    body = bytes((frame.unit,)) + frame.pdu
    return body + crc16_bytes(body).to_bytes(2, "little")


def decode(data: bytes, transaction: int) -> Frame | None:
    """The frame that `data` is, under a transaction number of the caller's; None for noise."""
    if not SHORTEST <= len(data) <= LONGEST or crc16_bytes(data) != 0:
        return None
    return Frame(transaction, data[0], data[1:-2])
