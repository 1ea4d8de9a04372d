"""A site's agent that is up: what it does again and again, until it is to stop."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from drivers.contract import DriverError
from edge_agent.adapters import systemd
from edge_agent.adapters.clock import SystemClock
from edge_agent.adapters.journal.store import SqliteJournal
from edge_agent.adapters.log import log
from edge_agent.adapters.mqtt.link import MqttLink
from edge_agent.agent import Agent
from edge_agent.app.broker_ears import BrokerEars
from edge_agent.capabilities import Capabilities
from edge_agent.console.console import Console
from edge_agent.health import LOOK_EVERY_S, Health
from edge_agent.lab_faults import LabFaults
from edge_agent.run.journal import JournalFault, Kind

ROLL_EVERY_S: Final = 10.0
"""How often it is asked whether a new journal segment is due; asking costs nothing."""
CAPABILITIES_EVERY_S: Final = 1.0
FAULTS_EVERY_S: Final = 1.0
WATCHDOG_EVERY_S: Final = 1.0
"""Where systemd asks for nothing: what is stale is still logged."""
MAX_AGE_S: Final[Mapping[str, float]] = {"arm": 5.0, "broker": 10.0, "journal": 5.0}
"""How old each sign of life may be; the unit's own limit is 10 s."""

_log = log("app")


@dataclass(slots=True)
class Running:
    """A site's agent that is up."""

    agent: Agent
    link: MqttLink
    clock: SystemClock
    journal: SqliteJournal
    faults: LabFaults
    capabilities: Capabilities
    ears: BrokerEars
    health: Health
    console: Console | None = None

    async def until(self, stopping: asyncio.Event) -> None:
        """Takes what the broker brings, and feeds the watchdog, until it is to stop."""
        tasks = [
            asyncio.create_task(self._take_requests(), name="requests"),
            asyncio.create_task(self._watchdog(), name="watchdog"),
            asyncio.create_task(self._refresh_faults(), name="lab"),
            asyncio.create_task(self._refresh_capabilities(), name="capabilities"),
            asyncio.create_task(self._roll_journal(), name="segments"),
            asyncio.create_task(self._look_after(), name="health"),
        ]
        if self.console is not None:
            tasks.append(asyncio.create_task(self.console.run(), name="console"))
        ended = asyncio.create_task(stopping.wait())
        watched = [*tasks, self.agent.control_loop]
        await asyncio.wait({ended, *watched}, return_when=asyncio.FIRST_COMPLETED)
        for task in (ended, *tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for task in (each for each in watched if each.done()):
            if not task.cancelled() and task.exception() is not None:
                raise RuntimeError(f"{task.get_name()} ended") from task.exception()

    async def _take_requests(self) -> None:
        while True:
            await self.ears.take(await self.link.inbound.get())

    async def _watchdog(self) -> None:
        period_s = systemd.watchdog_period_s(os.environ) or WATCHDOG_EVERY_S
        ticks: dict[str, float] = {}
        seen = -1
        while True:
            now_s = self.clock.monotonic_s()
            if self.agent.supervisor.ticks != seen:
                seen, ticks["arm"] = self.agent.supervisor.ticks, now_s
            if self.link.alive(now_s):
                ticks["broker"] = now_s
            with contextlib.suppress(JournalFault):
                await self.journal.last(Kind.EPOCH)
                ticks["journal"] = self.clock.monotonic_s()
            stale = systemd.feed(ticks, MAX_AGE_S, now_s, lambda m: systemd.notify(os.environ.get("NOTIFY_SOCKET"), m))
            if stale:
                _log.warning("watchdog_withheld", stale=list(stale))
            await self.clock.sleep(period_s)

    async def _roll_journal(self) -> None:
        """A new segment begins only while nothing is open: what spans two files is nowhere whole."""
        while True:
            await self.clock.sleep(ROLL_EVERY_S)
            if self.agent.idle:
                with contextlib.suppress(JournalFault):
                    await self.journal.roll_if_due()

    async def _refresh_capabilities(self) -> None:
        while True:
            await self.clock.sleep(CAPABILITIES_EVERY_S)
            self.capabilities.refresh()

    async def _look_after(self) -> None:
        while True:
            await self.clock.sleep(LOOK_EVERY_S)
            await self.health.look()

    async def _refresh_faults(self) -> None:
        while True:
            await self.clock.sleep(FAULTS_EVERY_S)
            with contextlib.suppress(DriverError):  # a simulated cell that is away shows what was known of it
                await self.faults.refresh()
