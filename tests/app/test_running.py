"""The running site's own tasks: which trouble of the simulated cell they bear, and which ends the agent."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from drivers.contract import LinkLost
from edge_agent.app.running import Running


@dataclass
class NoSleep:
    async def sleep(self, _seconds: float) -> None:
        await asyncio.sleep(0)


@dataclass
class Faults:
    """Raises what it is given, one a call, and then tells that it was asked once more."""

    raises: list[Exception]
    asked_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def refresh(self) -> None:
        if self.raises:
            raise self.raises.pop(0)
        self.asked_on.set()


def running(faults: Faults) -> Running:
    nothing = cast(Any, None)
    return Running(nothing, nothing, cast(Any, NoSleep()), nothing, cast(Any, faults), nothing, nothing, nothing)


async def test_a_simulated_cell_that_is_away_is_asked_again() -> None:
    faults = Faults([LinkLost("gone"), LinkLost("gone")])
    asking = asyncio.create_task(running(faults)._refresh_faults())
    async with asyncio.timeout(5):
        await faults.asked_on.wait()
    assert faults.raises == []
    asking.cancel()


async def test_a_mistake_of_our_own_is_not_hidden() -> None:
    with pytest.raises(KeyError, match="mistake"):
        async with asyncio.timeout(5):
            await running(Faults([KeyError("mistake")]))._refresh_faults()
