"""Settings of one cell-modbus arm, as the site writes them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class CellModbusSettings(BaseModel):
    """Where the controller is, and who must answer there."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["cell_modbus"] = "cell_modbus"
    host: str = Field(min_length=1, max_length=253)
    port: int = Field(default=502, ge=1, le=65535)
    unit: int = Field(default=1, ge=1, le=247)
    device_id: int = Field(ge=1, le=0xFFFF)
    config_crc: int = Field(ge=0, le=0xFFFF)
    simulated: bool = False
    """True only for the simulator of this package; anything else counts as real hardware."""
    reply_timeout_ms: int = Field(default=250, ge=20, le=2_000)
    """One transaction. A controller answers in a few ms; two lost ones still fit into its 500 ms dead-man."""
    connect_timeout_ms: int = Field(default=500, ge=20, le=5_000)
    """Opening the link, for identify and for a stop request on a closed link."""
