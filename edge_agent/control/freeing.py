"""Leaving STOPPED and LOCKED_OUT: both only after the controller showed itself idle, neither moves anything."""

from __future__ import annotations

from dataclasses import asdict

from drivers.contract import DriverError, Snapshot
from edge_agent.control.core import Core
from edge_agent.control.ends import Freed, FreeOutcome, StillHeld
from edge_agent.control.watching import Watching
from edge_agent.run.journal import JournalFault, Kind
from edge_agent.safety.cell import CellEvent, CellState
from edge_agent.safety.watch import interlock_open, posture, still


class Freeing:
    def __init__(self, core: Core, watching: Watching) -> None:
        self._core, self._watching = core, watching

    async def release_stop(self, by: str) -> FreeOutcome:
        """Takes a proved stop back; READY only when that was read back and written down."""
        core = self._core
        if core.feed(CellEvent.RELEASE_ASKED, "release_asked", (by,)).refused:
            return StillHeld("not_stopped", "INTERLOCK_OPEN")
        stops = core.stops_asked
        try:
            freed = await self._let_go(stops)
            if isinstance(freed, StillHeld):
                return freed
            await core.store(Kind.RELEASE_STOP, {"by": by, "read_back": asdict(freed.read_back)})
        except DriverError as error:
            return StillHeld("link_lost", error.code)
        except JournalFault:
            return StillHeld("journal_fault", "STORE_FAILED")
        if core.stops_asked != stops or core.machine.cell is not CellState.STOPPED:
            return self._stopped_again(freed)
        self._settle(freed.read_back)
        core.feed(CellEvent.RELEASED, "")
        return freed

    async def reset(self, by: str, why: str) -> FreeOutcome:
        """A technician's deliberate act at the cell, with a reason, after a read-back. No old command is sent."""
        core = self._core
        if core.machine.cell is not CellState.LOCKED_OUT:
            return StillHeld("not_locked_out", "INTERLOCK_OPEN")
        stops = core.stops_asked
        try:
            freed = await self._free_after_read_back(stops)
            if isinstance(freed, StillHeld):
                return freed
            await core.store(Kind.RESET, {"by": by, "why": why, "read_back": asdict(freed.read_back)})
        except DriverError as error:
            return StillHeld("link_lost", error.code)
        except JournalFault:
            return StillHeld("journal_fault", "STORE_FAILED")
        core.feed(CellEvent.RESET, "reset_by_technician")
        if core.stops_asked != stops:
            return self._stopped_again(freed)
        await self._watching.round()
        return freed

    def _stopped_again(self, freed: Freed) -> StillHeld:
        """Somebody asked for a stop while an older one was taken back: the newer one holds, and is asked anew, for its
        word may have been written over."""
        self._core.feed(CellEvent.STOP_ASKED, "stop_requested")
        return StillHeld("stopped_again", "INTERLOCK_OPEN", freed.read_back)

    async def _free_after_read_back(self, stops: int) -> FreeOutcome:
        core = self._core
        if not core.linked and not await self._watching.link():
            return StillHeld("stopped_again", "INTERLOCK_OPEN")
        first = await core.driver.snapshot()
        await core.clock.sleep(core.tempo.stop.still_gap_s)
        second = await core.driver.snapshot()
        if not still(first, second, core.spec.limits.still_tolerance_tenths):
            return StillHeld("arm_moving", "INTERLOCK_OPEN", second)
        freed = await self._let_go(stops)
        if isinstance(freed, StillHeld):
            await core.driver.request_stop()
        return freed

    async def _let_go(self, stops: int) -> FreeOutcome:
        """A session of its own first, so that nothing written in the old one is taken any more; then the stop level
        off, and read back until idle or out of time."""
        core = self._core
        if not await self._watching.link() or core.stops_asked != stops:
            return StillHeld("stopped_again", "INTERLOCK_OPEN")
        await core.driver.release_stop()
        until_s = core.clock.monotonic_s() + core.tempo.free_s
        while True:
            snapshot = await core.driver.snapshot()
            if posture(snapshot) is CellEvent.IDENTIFIED and not interlock_open(snapshot):
                return Freed(snapshot)
            if core.clock.monotonic_s() >= until_s:
                return StillHeld(held_by(snapshot), "INTERLOCK_OPEN", snapshot)
            await core.clock.sleep(core.tempo.stop.still_gap_s)

    def _settle(self, snapshot: Snapshot) -> None:
        if self._core.observed is not None:
            self._core.observed.snapshot = snapshot
            self._core.observed.settle()


def held_by(snapshot: Snapshot) -> str:
    """What the controller still shows, as a stable word."""
    if snapshot.interlocks.reset_required:
        return "controller_key_needed"
    if posture(snapshot) is CellEvent.MODE_LEFT:
        return "not_remote_automatic"
    return "interlock_open" if interlock_open(snapshot) else "controller_not_idle"
