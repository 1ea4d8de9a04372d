"""Settings of one cell-modbus arm, as the site writes them."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from drivers.contract import Pace
from drivers.wire.endpoints import Endpoint, SerialEndpoint, TcpEndpoint

RECEIPT_FRAMES_BYTES = 8 + 69
"""Request and reply of one receipt read on a serial line."""
FAST_BAUD = 115_200
SHORTEST_SERIAL_POLL_MS = 50


class CellModbusSettings(BaseModel):
    """Where the controller is (`host` and `port`, or `serial_port`), and who must answer there."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["cell_modbus"] = "cell_modbus"
    host: str = Field(default="", max_length=253)
    port: int = Field(default=502, ge=1, le=65535)
    serial_port: str = Field(default="", max_length=255)
    baudrate: int = Field(default=FAST_BAUD, ge=9_600, le=230_400)
    unit: int = Field(default=1, ge=1, le=247)
    device_id: int = Field(ge=1, le=0xFFFF)
    config_crc: int = Field(ge=0, le=0xFFFF)
    simulated: bool = False
    """True only for the simulator of this package; anything else counts as real hardware."""
    reply_timeout_ms: int = Field(default=250, ge=20, le=2_000)
    """One transaction. A controller answers in a few ms; a lost reply still leaves half of its 500 ms dead-man."""
    connect_timeout_ms: int = Field(default=500, ge=20, le=5_000)
    """Opening the link, for identify and for a stop request on a closed link."""
    drain_ms: int = Field(default=300, ge=10, le=5_000)
    """Serial only: silence before a reopened line is used; longer than the controller's longest answer."""

    @model_validator(mode="after")
    def _one_wire(self) -> Self:
        if bool(self.host) == bool(self.serial_port):
            raise ValueError("give either host (with port) or serial_port (with baudrate)")
        return self

    @property
    def endpoint(self) -> Endpoint:
        if self.host:
            return TcpEndpoint(self.host, self.port)
        return SerialEndpoint(self.serial_port, self.baudrate, self.drain_ms / 1000)

    @property
    def pace(self) -> Pace:
        """TCP: every 20 ms, acceptance within 150 ms. Serial: five bus times, at least 50 ms; 300 or 600 ms."""
        endpoint = self.endpoint
        if isinstance(endpoint, TcpEndpoint):
            return Pace(receipt_ms=20, receipts_per_status=1, idle_status_ms=250, accept_ms=150)
        bus_ms = endpoint.bytes_s(RECEIPT_FRAMES_BYTES) * 1000
        return Pace(
            receipt_ms=max(SHORTEST_SERIAL_POLL_MS, round(5 * bus_ms)),
            receipts_per_status=4,
            idle_status_ms=250,
            accept_ms=300 if endpoint.baudrate >= FAST_BAUD else 600,
        )
