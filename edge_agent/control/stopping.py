"""A stop request, repeated until the controller shows it: its state, and a pose that no longer changes.

At most `writes_max` writes; between two of them the arm gets time to come to rest. Ends as a value either way.
"""

from __future__ import annotations

from dataclasses import dataclass

from drivers.contract import Driver, DriverError, Snapshot
from edge_agent.control.ports import Clock, Steps
from edge_agent.safety.watch import stop_proved


@dataclass(frozen=True, slots=True)
class StopTempo:
    """`still_gap_s` is just above the 50 ms that two reads of a pose must lie apart to prove a still arm."""

    writes_max: int = 5
    still_gap_s: float = 0.06
    looks_per_write: int = 8
    retry_gap_s: float = 0.1


@dataclass(frozen=True, slots=True)
class StopResult:
    proved: bool
    writes: int
    read_back: Snapshot | None


async def _looks(driver: Driver, clock: Clock, tempo: StopTempo, tolerance_tenths: int) -> tuple[bool, Snapshot | None]:
    before: Snapshot | None = None
    for _ in range(tempo.looks_per_write):
        now = await driver.snapshot()
        if before is not None and stop_proved(before, now, tolerance_tenths):
            return True, now
        before = now
        await clock.sleep(tempo.still_gap_s)
    return False, before


async def stop_until_proved(
    driver: Driver, clock: Clock, tempo: StopTempo, tolerance_tenths: int, steps: Steps
) -> StopResult:
    """Never raises a `DriverError`: a stop that cannot be written or read back is a stop not proved."""
    writes, read_back = 0, None
    for _ in range(tempo.writes_max):
        try:
            await driver.request_stop()
            writes += 1
            steps("stop_sent")
            proved, seen = await _looks(driver, clock, tempo, tolerance_tenths)
            read_back = seen or read_back
            if proved:
                return StopResult(True, writes, read_back)
        except DriverError:
            await clock.sleep(tempo.retry_gap_s)
    return StopResult(False, writes, read_back)
