"""What the entry point group `edge_agent.drivers` finds under `cell_modbus`."""

from __future__ import annotations

from collections.abc import Mapping

from drivers.cell_modbus.driver import CellModbusDriver
from drivers.cell_modbus.faults import CATALOGUE
from drivers.cell_modbus.rig import attach_simulated, start_simulated
from drivers.cell_modbus.settings import CellModbusSettings
from drivers.contract import Driver, Pace
from drivers.wire.modbus import ModbusLink

KIND = "cell_modbus"
SETTINGS = CellModbusSettings
FAULTS = CATALOGUE

__all__ = ["FAULTS", "KIND", "SETTINGS", "attach_simulated", "open_driver", "pace_of", "start_simulated"]


def open_driver(settings: Mapping[str, object]) -> Driver:
    """A driver for one arm; opens nothing yet. Raises pydantic's `ValidationError` for bad settings."""
    site = CellModbusSettings.model_validate(settings)
    link = ModbusLink(
        site.endpoint,
        unit=site.unit,
        reply_timeout_s=site.reply_timeout_ms / 1000,
        connect_timeout_s=site.connect_timeout_ms / 1000,
    )
    return CellModbusDriver(link, device_id=site.device_id, config_crc=site.config_crc, is_real=not site.simulated)


def pace_of(settings: Mapping[str, object]) -> Pace:
    """How often this wire wants to be asked. Raises as `open_driver`."""
    return CellModbusSettings.model_validate(settings).pace
