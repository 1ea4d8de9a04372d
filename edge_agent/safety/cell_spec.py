"""The cell as its file describes it: what is there, where it stands, and how fast it may move.

Pure data; `edge_agent.cell_file` reads and checks the file. Poses are tenths of a millimetre and of a degree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from drivers.contract import PoseTenths


@dataclass(frozen=True, slots=True)
class Item:
    """A sort of thing the cell handles. `item_class` counts from 1 in the order of the cell file."""

    name: str
    item_class: int
    pick_pose: PoseTenths
    grip_force_n: int
    synonyms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Station:
    """A named place of the arm. `index` counts from 1 (station A)."""

    name: str
    index: int
    pose: PoseTenths
    synonyms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bin:
    """A numbered bin. The controller knows where it stands; `shown_at` (x, y in mm) is for the picture alone."""

    name: str
    number: int
    synonyms: tuple[str, ...] = ()
    shown_at: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Device:
    """An arm or gripper: the name people use, the id on the wire, and its driver's own settings."""

    name: str
    device_id: int
    driver: str
    driver_settings: Mapping[str, object] = field(hash=False)
    synonyms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of every command. The speed of a command is `speed_pct` unless a site sets another per action."""

    speed_pct: int = 40
    speed_max_pct: int = 100
    grip_force_max_n: int = 60
    ttl_ms: int = 500
    max_duration_ms: int = 6_000
    still_tolerance_tenths: int = 2
    pose_tolerance_tenths: int = 10
    accept_timeout_ms: int = 150
    complete_margin_ms: int = 250


@dataclass(frozen=True, slots=True)
class CellSpec:
    name: str
    simulated: bool
    lab: bool
    devices: tuple[Device, ...]
    items: tuple[Item, ...]
    bins: tuple[Bin, ...]
    stations: tuple[Station, ...]
    limits: Limits = Limits()

    def item(self, name: str) -> Item | None:
        return next((i for i in self.items if i.name == name), None)

    def bin(self, name: str) -> Bin | None:
        return next((b for b in self.bins if b.name == name), None)

    def station(self, name: str) -> Station | None:
        return next((s for s in self.stations if s.name == name), None)

    def device(self, name: str | None) -> Device | None:
        """The named device; without a name the only one there is, and none where there are several."""
        if name is None:
            return self.devices[0] if len(self.devices) == 1 else None
        return next((d for d in self.devices if d.name == name), None)
