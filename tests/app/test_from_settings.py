"""What a wire is like decides how long a receipt is waited for and how often it is looked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from drivers.contract import Pace
from edge_agent.app.from_settings import knobs_of, paced, tempo_of
from edge_agent.cell_file import load_cell
from edge_agent.control.core import Tempo
from edge_agent.settings import Settings
from edge_agent.understand.thresholds import Thresholds
from edge_agent.world import pace_of

HEARTBEAT_MISSED_S = 0.5


def on(wire: dict[str, object]) -> Pace:
    device = load_cell().devices[0]
    return pace_of(replace(device, driver_settings={"kind": device.driver, **wire, "config_crc": 1}), simulated=True)


@pytest.mark.parametrize(
    ("wire", "accept_ms", "pause_s"),
    [
        ({"host": "127.0.0.1"}, 150, Tempo().busy_s),
        ({"serial_port": "/dev/ttyS0", "baudrate": 115_200}, 300, 0.05),
        ({"serial_port": "/dev/ttyS0", "baudrate": 19_200}, 600, 0.1),
    ],
)
def test_a_serial_arm_gets_the_time_its_wire_takes(wire: dict[str, object], accept_ms: int, pause_s: float) -> None:
    pace = on(wire)
    assert paced(load_cell(), pace).limits.accept_timeout_ms == accept_ms
    assert knobs_of(Settings(), Thresholds(), pace).tempo.busy_s == pytest.approx(pause_s)


def test_a_longer_wait_of_the_sites_own_stands() -> None:
    cell = load_cell()
    patient = replace(cell, limits=replace(cell.limits, accept_timeout_ms=2_000))
    assert paced(patient, on({"serial_port": "/dev/ttyS0", "baudrate": 115_200})).limits.accept_timeout_ms == 2_000


def test_no_wire_is_so_slow_that_a_heartbeat_is_missed() -> None:
    assert tempo_of(Pace(5_000, 4, 250, 600)).busy_s < HEARTBEAT_MISSED_S / 2
