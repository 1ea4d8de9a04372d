"""The arm tool's edge in a case cell: a scripted failure in place of the one write, and the end of an agent's life."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from drivers.contract import Driver, Job, NotSent, Receipt
from edge_agent.cases.spoken import ScriptedResult


class AgentKilled(BaseException):
    """This life of the agent is over, as if its power were cut; nothing of it may catch this."""


class ScriptedDispatch:
    """The driver, with the arm tool's scripted failure in place of the one write: provably nothing is sent. With
    `believing`, any receipt is taken for that of the job that was sent (a check switched off). Once `dead`, nothing
    of that agent's life reaches the arm any more."""

    def __init__(self, driver: Driver, *, believing: bool = False) -> None:
        self._driver, self._believing = driver, believing
        self._sent: Job | None = None
        self.refusals: list[ScriptedResult] = []
        self.dead = False

    def __getattr__(self, name: str) -> Any:
        if self.dead and name != "close":
            raise AgentKilled(name)
        return getattr(self._driver, name)

    async def send(self, job: Job, wanted: Callable[[], bool] = lambda: True) -> None:
        if self.dead:
            raise AgentKilled("send")
        scripted = self.refusals.pop(0) if self.refusals else None
        if scripted is not None and scripted.error is not None:
            error = NotSent(scripted.error.message)
            error.code = scripted.error.code.value
            raise error
        self._sent = job
        await self._driver.send(job, wanted)

    async def receipt(self, command_id: int) -> Receipt | None:
        if self.dead:
            raise AgentKilled("receipt")
        seen = await self._driver.receipt(command_id)
        if seen is None or self._sent is None or not self._believing:
            return seen
        return replace(seen, echo=self._sent.order, fingerprint=self._driver.fingerprint(self._sent))
