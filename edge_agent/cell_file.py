"""Reads the cell file: TOML, millimetres and degrees, into the `CellSpec` that safety decides by. Raises `BadFile`.

    name = "cell01"              the topic level of this cell
    simulated = true             false: real hardware
    [limits]                     bounds of every command; every key has a default
    [[device]] [device.driver]   an arm; `kind` names the driver package's entry point, the rest is the driver's own
    [[item]] [[station]] [[bin]] what it handles, and where; poses as [x, y, z, rx, ry, rz]; a bin's `shown_at`
                                 [x, y] is for the picture alone: where a bin stands, its controller knows

An item's class on the wire is its place in the file, and a station's index too: do not reorder a file in use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Final, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from drivers.contract import PoseTenths
from edge_agent.checked_file import BadFile, Fault, checked, fault, read_toml
from edge_agent.places import Place, packaged
from edge_agent.safety.cell_spec import Bin, CellSpec, Device, Item, Limits, Station

REACH: Final = 3_276.7
"""mm and degrees: the wire carries tenths in a signed 16-bit word."""

Word: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40)]
Synonyms: TypeAlias = Annotated[tuple[Word, ...], Field(max_length=40)]
Name: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
Coordinate: TypeAlias = Annotated[float, Field(ge=-REACH, le=REACH, allow_inf_nan=False)]
Pose: TypeAlias = tuple[Coordinate, Coordinate, Coordinate, Coordinate, Coordinate, Coordinate]
Percent: TypeAlias = Annotated[int, Field(ge=1, le=100)]
Word16: TypeAlias = Annotated[int, Field(ge=1, le=65_535)]
Force: TypeAlias = Annotated[int, Field(ge=0, le=1_000)]
SAID_ABOVE: Final = frozenset({"device_id", "simulated"})
DriverValue: TypeAlias = str | int | float | bool


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Limits(_Table):
    speed_pct: Percent = Limits().speed_pct
    speed_max_pct: Percent = Limits().speed_max_pct
    grip_force_max_n: Force = Limits().grip_force_max_n
    ttl_ms: Annotated[int, Field(ge=50, le=10_000)] = Limits().ttl_ms
    max_duration_ms: Annotated[int, Field(ge=50, le=60_000)] = Limits().max_duration_ms
    still_tolerance_tenths: Annotated[int, Field(ge=0, le=100)] = Limits().still_tolerance_tenths
    pose_tolerance_tenths: Annotated[int, Field(ge=0, le=1_000)] = Limits().pose_tolerance_tenths
    accept_timeout_ms: Annotated[int, Field(ge=10, le=5_000)] = Limits().accept_timeout_ms
    complete_margin_ms: Annotated[int, Field(ge=0, le=10_000)] = Limits().complete_margin_ms


class _Device(_Table):
    name: Name
    device_id: Word16
    driver: Annotated[dict[Name, DriverValue], Field(max_length=64)]
    synonyms: Synonyms = ()


class _Item(_Table):
    name: Name
    pick_pose: Pose
    grip_force_n: Force
    synonyms: Synonyms = ()


class _Station(_Table):
    name: Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9]{0,7}$")]
    pose: Pose
    synonyms: Synonyms = ()


class _Bin(_Table):
    number: Annotated[int, Field(ge=1, le=999)]
    synonyms: Synonyms = ()
    shown_at: tuple[Coordinate, Coordinate] | None = None


class _Cell(_Table):
    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]
    simulated: bool
    lab: bool = False
    limits: _Limits = _Limits()
    device: Annotated[tuple[_Device, ...], Field(min_length=1, max_length=16)]
    item: Annotated[tuple[_Item, ...], Field(min_length=1, max_length=200)]
    station: Annotated[tuple[_Station, ...], Field(max_length=64)] = ()
    bin: Annotated[tuple[_Bin, ...], Field(min_length=1, max_length=200)]


def load_cell(file: Path | None = None) -> CellSpec:
    """The named file, or the default cell that comes with the product. Raises `BadFile`."""
    chosen = file or packaged(Place.DATA, "default_cell.toml")
    return parse_cell(chosen, read_toml(chosen))


def parse_cell(file: Path | str, data: Mapping[str, object]) -> CellSpec:
    cell = checked(file, _Cell, data)
    faults = tuple(_contradictions(cell))
    if faults:
        raise BadFile(file, faults)
    return CellSpec(
        name=cell.name,
        simulated=cell.simulated,
        lab=cell.lab,
        devices=tuple(_device(each, cell.simulated) for each in cell.device),
        items=tuple(
            Item(i.name, number, _tenths(i.pick_pose), i.grip_force_n, i.synonyms)
            for number, i in enumerate(cell.item, start=1)
        ),
        bins=tuple(Bin(str(b.number), b.number, b.synonyms, b.shown_at) for b in cell.bin),
        stations=tuple(
            Station(s.name, number, _tenths(s.pose), s.synonyms) for number, s in enumerate(cell.station, start=1)
        ),
        limits=Limits(**cell.limits.model_dump()),
    )


def _device(table: _Device, simulated: bool) -> Device:
    kind = str(table.driver["kind"])
    return Device(table.name, table.device_id, kind, _driver_settings(table, simulated), table.synonyms)


def _driver_settings(table: _Device, simulated: bool) -> dict[str, object]:
    """The driver's own keys, and the two that the cell file says once for all."""
    return {**table.driver, "device_id": table.device_id, "simulated": simulated}


def _tenths(pose: Pose) -> PoseTenths:
    x, y, z, rx, ry, rz = (round(each * 10) for each in pose)
    return x, y, z, rx, ry, rz


def _contradictions(cell: _Cell) -> Iterator[Fault]:
    """What each table alone can not show: doubles, forces and speeds over the limit, a driver without a kind."""
    yield from _doubles("device", "device_id", (str(d.device_id) for d in cell.device))
    yield from _doubles("bin", "number", (str(b.number) for b in cell.bin))
    for table, rows in (("device", cell.device), ("item", cell.item), ("station", cell.station), ("bin", cell.bin)):
        spoken = (word.casefold() for row in rows for word in {*row.synonyms, getattr(row, "name", "")} if word)
        yield from _doubles(table, "name or synonym", spoken)
    for number, device in enumerate(cell.device, start=1):
        yield from _driver_faults(f"device[{number}].driver", device.driver)
    limits = cell.limits
    for number, item in enumerate(cell.item, start=1):
        if item.grip_force_n > limits.grip_force_max_n:
            top = f"limits.grip_force_max_n ({limits.grip_force_max_n})"
            yield fault(f"item[{number}].grip_force_n", item.grip_force_n, f"at most {top}", f"不超过 {top}")
    if limits.speed_pct > limits.speed_max_pct:
        top = f"limits.speed_max_pct ({limits.speed_max_pct})"
        yield fault("limits.speed_pct", limits.speed_pct, f"at most {top}", f"不超过 {top}")


def _driver_faults(key: str, driver: Mapping[str, object]) -> Iterator[Fault]:
    """What can be said without the driver itself; `driver_packages.check_devices` asks that one."""
    if not isinstance(driver.get("kind"), str):
        yield fault(f"{key}.kind", driver.get("kind"), "the name of a driver", "驱动名称")
    for own in sorted(SAID_ABOVE & driver.keys()):
        yield fault(f"{key}.{own}", driver[own], "it not here: the tables above say it", "不在此处填写，由上级表给出")


def _doubles(table: str, key: str, values: Iterable[str]) -> Iterator[Fault]:
    for value, times in Counter(values).items():
        if times > 1:
            found = f"{value!r} {times} times"
            yield fault(f"{table}.{key}", found, "each only once", "各不相同")
