"""The cell file: what is read out of it, and every way in which one is refused."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from edge_agent import driver_packages
from edge_agent.cell_file import load_cell, parse_cell
from edge_agent.checked_file import BadFile, read_toml
from edge_agent.driver_packages import check_devices
from edge_agent.places import Place, packaged
from edge_agent.safety.cell_spec import CellSpec

DEFAULT = read_toml(packaged(Place.DATA, "default_cell.toml"))


def test_the_default_cell() -> None:
    cell = load_cell()
    assert cell.simulated
    assert [d.name for d in cell.devices] == ["arm_01"]
    assert [b.name for b in cell.bins] == ["1", "2", "3", "4", "5", "6"]
    assert [(s.name, s.index) for s in cell.stations] == [("A", 1), ("B", 2), ("C", 3)]
    assert [(i.name, i.item_class) for i in cell.items] == [("glass", 1), ("metal", 2), ("plastic", 3), ("paper", 4)]
    assert cell.limits == type(cell.limits)(), "the file says the defaults of the dataclass, so both can be read"


def test_millimetres_become_tenths() -> None:
    plastic = load_cell().item("plastic")
    assert plastic is not None
    assert plastic.pick_pose == (2500, -100, 1200, 0, 0, 0)


def test_device_id_and_simulated_reach_the_driver() -> None:
    settings = load_cell().devices[0].driver_settings
    assert (settings["device_id"], settings["simulated"]) == (7, True)


Change = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (lambda c: c.pop("name"), "name"),
        (lambda c: c.update(name="cell/1"), "name"),
        (lambda c: c.update(colour="red"), "colour"),
        (lambda c: c.update(device=[]), "device"),
        (lambda c: c["limits"].update(speed_pct=101), "limits.speed_pct"),
        (lambda c: c["limits"].update(speed_max_pct=30), "limits.speed_pct"),
        (lambda c: c["item"][1].update(pick_pose=[float("nan"), 0, 0, 0, 0, 0]), "item[2].pick_pose[1]"),
        (lambda c: c["item"][1].update(pick_pose=[3276.8, 0, 0, 0, 0, 0]), "item[2].pick_pose[1]"),
        (lambda c: c["item"][1].update(pick_pose=[0, 0, 0]), "item[2].pick_pose[4]"),
        (lambda c: c["item"][1].update(grip_force_n=61), "item[2].grip_force_n"),
        (lambda c: c["item"][1].update(synonyms=["Glass"]), "item.name or synonym"),
        (lambda c: c["item"].append(deepcopy(c["item"][0])), "item.name or synonym"),
        (lambda c: c["bin"].append({"number": 6}), "bin.number"),
        (lambda c: c["station"][0].update(name="a"), "station[1].name"),
        (lambda c: c["device"].append({**c["device"][0], "name": "arm_02", "synonyms": []}), "device.device_id"),
        (lambda c: c["device"][0].update(device_id=70_000), "device[1].device_id"),
        (lambda c: c["device"][0]["driver"].pop("kind"), "device[1].driver.kind"),
        (lambda c: c["device"][0]["driver"].update(device_id=7), "device[1].driver.device_id"),
        (lambda c: c["device"][0]["driver"].update(simulated=False), "device[1].driver.simulated"),
    ],
)
def test_a_broken_cell_file_names_the_key(change: Change, key: str) -> None:
    cell = deepcopy(DEFAULT)
    change(cell)
    with pytest.raises(BadFile) as caught:
        parse_cell("cell.toml", cell)
    assert key in [each.key for each in caught.value.faults]
    assert str(caught.value).startswith("cell.toml: broken, nothing was started")


class _Knob(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: str
    device_id: int
    simulated: bool
    port: int


class _Package:
    KIND = "knob"
    SETTINGS = _Knob


def with_driver(kind: str, **own: object) -> CellSpec:
    cell = load_cell()
    device = replace(cell.devices[0], driver=kind, driver_settings={"kind": kind, "device_id": 7, **own})
    return replace(cell, devices=(device,))


@pytest.mark.parametrize(
    ("cell", "key"),
    [
        (with_driver("knob", simulated=True, port="x"), "device[1].driver.port"),
        (with_driver("knob", simulated=True, port=1, prot=2), "device[1].driver.prot"),
        (with_driver("nobody", simulated=True), "device[1].driver.kind"),
    ],
)
def test_the_driver_has_its_say(cell: CellSpec, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver_packages, "driver_package", {"knob": _Package}.get)
    with pytest.raises(BadFile) as caught:
        check_devices("cell.toml", cell)
    assert [each.key for each in caught.value.faults] == [key]


def test_a_driver_that_is_content(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver_packages, "driver_package", {"knob": _Package}.get)
    check_devices("cell.toml", with_driver("knob", simulated=True, port=1))
