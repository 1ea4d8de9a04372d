"""Where a Modbus device is, and how its wire is timed. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

BITS_PER_CHARACTER = 11
"""Start, 8 data, parity or second stop, stop."""
SILENT_CHARACTERS = 3.5
FIXED_GAP_S = 0.00175
"""The gap between frames above 19200 baud (Modbus over serial line, 2.5.1.1)."""
FIXED_GAP_ABOVE_BAUD = 19_200


@dataclass(frozen=True, slots=True)
class TcpEndpoint:
    host: str
    port: int
    gap_s: float = 0.0
    drain_s: float = 0.0
    """A transaction number tells replies apart; nothing has to be waited out."""

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class SerialEndpoint:
    """8N1 Modbus RTU. `drain_s` must be longer than the device's longest answer: RTU replies carry no number."""

    path: str
    baudrate: int
    drain_s: float

    @property
    def gap_s(self) -> float:
        """Silence before every request."""
        if self.baudrate > FIXED_GAP_ABOVE_BAUD:
            return FIXED_GAP_S
        return SILENT_CHARACTERS * self.bytes_s(1)

    def bytes_s(self, count: int) -> float:
        """Time that `count` bytes take on the wire."""
        return count * BITS_PER_CHARACTER / self.baudrate

    def __str__(self) -> str:
        return f"{self.path} at {self.baudrate} baud"


Endpoint: TypeAlias = TcpEndpoint | SerialEndpoint
