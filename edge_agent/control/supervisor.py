"""One arm, one owner: beats, looks, judges, sends once, stops at once. The face of this room."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from drivers.contract import Driver
from edge_agent.control.core import Core, Ears, Tempo
from edge_agent.control.dispatching import Dispatching
from edge_agent.control.ends import FreeOutcome, MotionOutcome, NotDispatched, StopEnd
from edge_agent.control.freeing import Freeing
from edge_agent.control.ports import Clock, Steps, no_steps
from edge_agent.control.prompts import PromptBook
from edge_agent.control.stored import Stored
from edge_agent.control.view import CellView
from edge_agent.control.watching import Watching
from edge_agent.run.journal import Journal, Kind
from edge_agent.safety.cell import CellEvent, CellState
from edge_agent.safety.cell_spec import CellSpec
from edge_agent.safety.command import OPEN
from edge_agent.safety.confirm import Prompt
from edge_agent.safety.contract import Proposal, interlocks
from edge_agent.safety.machine import Machine, propose, step

CLOSE_S = 2.0
"""How long the arm's own tasks may still take when the agent ends."""


class Supervisor:
    def __init__(
        self,
        spec: CellSpec,
        driver: Driver,
        journal: Journal,
        clock: Clock,
        *,
        new_session: Callable[[], int],
        tempo: Tempo,
        steps: Steps = no_steps,
        ears: Ears | None = None,
    ) -> None:
        self._core = Core(spec, driver, journal, clock, tempo=tempo, steps=steps, ears=ears or Ears())
        self._watching = Watching(self._core, new_session)
        self._wake = asyncio.Event()
        self._dispatching = Dispatching(self._core, self._watching, self._wake.set)
        self._freeing = Freeing(self._core, self._watching)
        self._closing = False
        self._met_command = False
        """The last stop was asked for while a command was open; one that had ended before is none of the stop's."""
        self.ticks = 0
        """Rises with every completed round of the control loop; the watchdog reads it."""

    # -- life -------------------------------------------------------------------------------------------------

    def recover(self, stored: Stored) -> None:
        """Journal first: what was open when the last life ended is UNKNOWN now, and the cell is locked out."""
        core = self._core
        core.last_id, core.unknown_outcomes = stored.last_command_id, stored.unknown_outcomes
        core.intended = stored.intended
        core.machine = Machine(CellState.OFFLINE, stored.unfinished_id, stored.unfinished_state)
        if stored.unfinished_id is not None:
            core.feed(CellEvent.FOUND_UNFINISHED, "unfinished_command", (str(stored.unfinished_id),))
        elif stored.lockout is not None:
            core.lockout = stored.lockout
            core.feed(CellEvent.FOUND_UNFINISHED, stored.lockout)

    async def run(self) -> None:
        """The control loop; ends when `close` was called."""
        writer = asyncio.create_task(self._core.rows.run())
        try:
            while not self._closing:
                await self._watching.round()
                self.ticks += 1
                await self._pause()
        except Exception as error:
            self._core.feed(CellEvent.INTEGRITY_LOST, "internal_fault", (type(error).__name__,))
            raise  # nobody watches the arm any more: the process is to be started anew
        finally:
            await self._core.rows.drained()
            writer.cancel()

    async def close(self) -> None:
        """Ends the loop and the link. Asks for no stop: the controller's own dead-man bounds what is under way."""
        self._closing = True
        self._wake.set()
        await self._core.tasks_ended(CLOSE_S)
        await self._core.driver.close()

    async def _pause(self) -> None:
        """Until the next round is due, or something was sent."""
        self._wake.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._pause_s()):
                await self._wake.wait()

    def _pause_s(self) -> float:
        tempo = self._core.tempo
        if not self._core.linked:
            return tempo.relink_s
        return tempo.busy_s if self._core.underway is not None else tempo.idle_s

    # -- what stands ------------------------------------------------------------------------------------------

    @property
    def view(self) -> CellView:
        return self._core.view

    @property
    def active_run(self) -> str | None:
        """The run whose command is out."""
        return self._core.underway.run if self._core.underway is not None else None

    @property
    def prompts(self) -> PromptBook:
        return self._core.prompts

    @property
    def boot_id(self) -> int:
        return self._core.observed.boot_id if self._core.observed else 0

    # -- a motion ---------------------------------------------------------------------------------------------

    def may_propose(self, proposal: Proposal) -> NotDispatched | None:
        """The state of the moment, before anyone is asked: None when the proposal could go out now."""
        observed = self._core.observed
        if self._core.machine.cell is not CellState.READY or observed is None:
            return self._core.not_now()
        refused = interlocks(proposal, observed.snapshot)
        return NotDispatched(refused.reason, refused.code, refused.facts) if refused else None

    def open_prompt(self, prompt: Prompt) -> NotDispatched | None:
        """Shows a motion's confirmation; from here the cell waits for it and for nothing else."""
        core = self._core
        proposed = propose(core.machine)
        if step(proposed, CellEvent.PROMPT_OPENED).refused:
            return core.not_now()
        core.machine = proposed
        core.prompts.put(prompt)
        core.feed(CellEvent.PROMPT_OPENED, "prompt_opened")
        return None

    def close_prompt(self, prompt_id: str, user: str, why: str) -> bool:
        """The operator's no. True when it was this user's open prompt."""
        if not self._core.prompts.withdraw(prompt_id, user):
            return False
        self.give_up(why)
        return True

    def give_up(self, why: str) -> None:
        """A prompt that was answered and may not be acted upon after all."""
        self._core.feed(CellEvent.PROMPT_CLOSED, why)

    async def execute(
        self, proposal: Proposal, *, run: str, user: str, recheck: Callable[[], str | None]
    ) -> MotionOutcome:
        """Sends a confirmed proposal once and follows it to its end. `recheck` is asked at the last moment before
        anything is stored and names what no longer holds. Whoever waits may give up: the command does not."""
        task = self._core.keep(self._dispatching.execute(proposal, run, user, recheck))
        outcome: MotionOutcome = await asyncio.shield(task)
        return outcome

    # -- stop, release, lockout, reset ------------------------------------------------------------------------

    def request_stop(self, by: str) -> None:
        """A controlled stop request, ahead of everything: the stop word is under way when this returns."""
        machine = self._core.machine
        still_stopping = self._met_command and machine.cell is CellState.STOPPING
        self._met_command = machine.command in OPEN or still_stopping
        self._core.feed(CellEvent.STOP_ASKED, "stop_requested", (by,))
        self._core.steps("stop_asked")
        self._core.store(Kind.STOP, {"by": by, "state": self._core.machine.cell.value})

    async def stop_ended(self) -> StopEnd:
        """How the stop that was asked for last ended: shown by the controller, or not."""
        assert self._core.stopping is not None, "only after a stop was asked for"
        result = await asyncio.shield(self._core.stopping)
        machine = self._core.machine
        met = (machine.command_id, machine.command) if self._met_command else (None, None)
        return StopEnd(result.proved, result.writes, result.read_back, *met)

    def journal_fault(self, why: str) -> None:
        """Seen by somebody else's row: what cannot be recorded is not done, whoever's row it was."""
        if self._core.machine.cell is not CellState.LOCKED_OUT:
            self._core.feed(CellEvent.JOURNAL_FAULT, "journal_fault", (why,))

    def lock_out(self, why: str) -> None:
        """Somebody who must not go on says so: latched as any other lockout."""
        self._core.feed(CellEvent.INTEGRITY_LOST, why)

    async def release_stop(self, by: str) -> FreeOutcome:
        return await self._freeing.release_stop(by)

    async def reset(self, by: str, why: str) -> FreeOutcome:
        return await self._freeing.reset(by, why)
