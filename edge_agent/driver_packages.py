"""Which arms this installation can drive: one module each, found by the entry point group `edge_agent.drivers`.

A vendor's arm is a package of its own with such an entry point; nothing here names one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final, cast

from drivers.package import DriverPackage
from edge_agent.checked_file import BadFile, Fault, checked, fault
from edge_agent.safety.cell_spec import CellSpec, Device

GROUP: Final = "edge_agent.drivers"


def driver_kinds() -> tuple[str, ...]:
    return tuple(sorted(each.name for each in entry_points(group=GROUP)))


@cache
def driver_package(kind: str) -> DriverPackage | None:
    """None where no installed package drives this kind. What is installed does not change under a running process,
    and asking takes ten milliseconds."""
    found = next(iter(entry_points(group=GROUP, name=kind)), None)
    return None if found is None else cast(DriverPackage, found.load())


def check_devices(file: Path | str, cell: CellSpec) -> None:
    """Whether each driver is there and takes its table. Raises `BadFile`; opens no link."""
    faults = tuple(each for n, device in enumerate(cell.devices, start=1) for each in _faults(n, device))
    if faults:
        raise BadFile(file, faults)


def _faults(number: int, device: Device) -> Iterator[Fault]:
    key = f"device[{number}].driver"
    package = driver_package(device.driver)
    if package is None:
        names = ", ".join(driver_kinds()) or "no driver is installed"
        yield fault(f"{key}.kind", device.driver, f"one of: {names}", f"以下之一：{names}")
        return
    try:
        checked(key, package.SETTINGS, device.driver_settings)
    except BadFile as error:
        yield from (Fault(f"{key}.{each.key}", each.english, each.chinese) for each in error.faults)
