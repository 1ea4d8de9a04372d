"""Things are found by the name people use; a device need not be named where there is one."""

from __future__ import annotations

import pytest

from edge_agent.safety.cell_spec import CellSpec
from tests.safety.given import SPEC, TWO_ARMS


@pytest.mark.parametrize(
    ("spec", "name", "device_id"),
    [(SPEC, None, 7), (SPEC, "arm", 7), (SPEC, "other", None), (TWO_ARMS, None, None), (TWO_ARMS, "second", 8)],
)
def test_device(spec: CellSpec, name: str | None, device_id: int | None) -> None:
    found = spec.device(name)
    assert (found.device_id if found else None) == device_id


def test_items_bins_and_stations() -> None:
    item, bin_, station = SPEC.item("metal"), SPEC.bin("3"), SPEC.station("A")
    assert item is not None
    assert bin_ is not None
    assert station is not None
    assert (item.item_class, bin_.number, station.index) == (2, 3, 1)
    assert (SPEC.item("Metal"), SPEC.bin("03"), SPEC.station("a")) == (None, None, None)


def test_a_device_can_be_hashed_whatever_its_drivers_settings_are() -> None:
    """A proposal holds one, and prompts are compared."""
    assert len({SPEC.devices[0], *TWO_ARMS.devices}) == 2
