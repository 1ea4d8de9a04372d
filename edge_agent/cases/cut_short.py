"""What ends before it is over: an agent that is killed at a step, a run that is called off or left at a phase."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from edge_agent.agent import Agent
from edge_agent.cases.cell import CLIENT, Setup
from edge_agent.cases.scripted_dispatch import AgentKilled, ScriptedDispatch
from edge_agent.messages.codes import Phase


class CutShort:
    """`killed` is set once the agent's life is over. With a slow model whoever calls a run off does it while the model
    is at work, not at the phase before it."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._leaves: Callable[[], None] | None = None
        self.dies_at: str | None = None
        self.killed = asyncio.Event()

    def reached(self, step: str, driver: ScriptedDispatch) -> None:
        """A step of the command path. Raises `AgentKilled` at the one that the line names, once."""
        if step == self.dies_at:
            self.dies_at, driver.dead = None, True
            self.killed.set()
            raise AgentKilled(step)

    def at_phase(self, agent: Agent, user: str, phase: Phase, *, model_is_slow: bool) -> None:
        if phase not in (self._setup.cancel_at, self._setup.client_gone_at):
            return
        end = _client_gone if phase is self._setup.client_gone_at else _called_off
        if model_is_slow:
            self._leaves = lambda: end(agent, user)
        else:
            end(agent, user)

    async def model_pause(self, seconds: float) -> None:
        if self._leaves is not None:
            self._leaves()
            self._leaves = None
        await asyncio.sleep(seconds)


def _called_off(agent: Agent, user: str) -> None:
    for each in agent.runs.of(user):
        each.run.cancel("operator_cancel")


def _client_gone(agent: Agent, user: str) -> None:
    agent.runs.client_gone(user, CLIENT)
