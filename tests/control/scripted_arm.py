"""A supervision whose arm, journal and clock do as the test says: nothing here takes time, every order can be told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from drivers.contract import (
    Action,
    ControllerState,
    Identity,
    Job,
    LinkLost,
    NotSent,
    Receipt,
    ReceiptLevel,
    Snapshot,
)
from edge_agent.control.core import Ears, Tempo
from edge_agent.control.ends import MotionOutcome
from edge_agent.control.supervisor import Supervisor
from edge_agent.run.journal import COMMIT_DEADLINE_S, Duplicate, Entry
from edge_agent.safety.cell import CellState
from edge_agent.safety.confirm import Answer, Confirmed, Prompt, digest
from tests.safety.given import LOOK, SPEC, proposal
from tests.tools.desk import MemoryJournal

FINGERPRINT = 0xBEEF
TURNS = 50
"""Of the loop: more than anything here needs to come to where it waits."""


@dataclass
class ScriptedArm:
    """`written`: what was written on the wire, in order. `free`: whether a command finds the wire free. `obeys`:
    whether a stop word stops it."""

    look: Snapshot = LOOK
    shown: Receipt | None = None
    written: list[str] = field(default_factory=list)
    free: asyncio.Event = field(default_factory=asyncio.Event)
    reachable: bool = True
    obeys: bool = True
    _beats: int = 0

    def shows(self, **changed: Any) -> None:
        self.look = replace(self.look, **changed)

    async def identify(self, session: int) -> Identity:
        self._reach()
        self.written.append(f"open {session}")
        return Identity(7, 1, 0x0101, 0, self.look.boot_id, 60_000, 500, ReceiptLevel.L3_FULL_ECHO, is_real=False)

    async def snapshot(self) -> Snapshot:
        await asyncio.sleep(0)
        self._reach()
        self._beats += 1
        return replace(self.look, controller_heartbeat=self._beats)

    def fingerprint(self, job: Job) -> int:
        del job
        return FINGERPRINT

    async def send(self, job: Job, wanted: Callable[[], bool] = lambda: True) -> None:
        await self.free.wait()
        if not wanted():
            raise NotSent("called off")
        self.written.append(f"send {job.order.command_id}")

    async def receipt(self, command_id: int) -> Receipt | None:
        del command_id
        return self.shown

    async def request_stop(self) -> None:
        self._reach()
        self.written.append("stop")
        if self.obeys:
            self.shows(state=ControllerState.STOPPED)

    async def release_stop(self) -> None:
        self._reach()
        self.written.append("release")
        self.shows(state=ControllerState.IDLE)

    async def heartbeat(self, count: int) -> None:
        del count
        self._reach()

    async def close(self) -> None:
        """Nothing is open."""

    def _reach(self) -> None:
        if not self.reachable:
            raise LinkLost("pulled")


@dataclass
class SlowJournal(MemoryJournal):
    """A row of which `slow` says so waits until `let` is called, and so does every row behind it."""

    slow: Callable[[Entry], bool] = lambda _: False
    _let: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))

    async def append(self, *entries: Entry, deadline_s: float = COMMIT_DEADLINE_S) -> tuple[int, ...] | Duplicate:
        if any(map(self.slow, entries)):
            await self._let.acquire()
        return await super().append(*entries, deadline_s=deadline_s)

    def let(self) -> None:
        self._let.release()


class StepClock:
    """Goes on by what is slept, and by nothing else."""

    now_s = 100.0

    def monotonic_s(self) -> float:
        return self.now_s

    async def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        await asyncio.sleep(0)


@dataclass
class Scripted:
    supervisor: Supervisor
    arm: ScriptedArm
    journal: SlowJournal
    told: list[CellState]

    @property
    def state(self) -> CellState:
        return self.supervisor.view.state

    async def round(self) -> None:
        """One round of the control loop."""
        await self.supervisor._watching.round()

    def execute(self, user: str = "op1") -> asyncio.Task[MotionOutcome]:
        """A way home, asked for, confirmed and on its way."""
        wish = proposal(Action.HOME)
        made = digest(wish, epoch=1, boot_id=self.supervisor.boot_id)
        prompt = Prompt(f"prompt of {user}", user, made, 1, wish, StepClock.now_s + 1e6)
        assert self.supervisor.open_prompt(prompt) is None
        answer = Answer(prompt.prompt_id, prompt.digest, user, 1)
        assert isinstance(self.supervisor.prompts.answer(answer, StepClock.now_s), Confirmed)
        work = self.supervisor.execute(wish, run=f"run of {user}", user=user, recheck=lambda: None)
        return asyncio.create_task(work)


async def settled() -> None:
    """Everybody has come to where they wait."""
    for _ in range(TURNS):
        await asyncio.sleep(0)


@asynccontextmanager
async def scripted(slow: Callable[[Entry], bool] = lambda _: False) -> AsyncIterator[Scripted]:
    """READY, with the wire free."""
    arm, journal, sessions, told = ScriptedArm(), SlowJournal(), iter(range(1, 100)), list[CellState]()
    arm.free.set()
    supervisor = Supervisor(
        SPEC,
        arm,
        journal,
        StepClock(),
        new_session=lambda: next(sessions),
        tempo=Tempo(),
        ears=Ears(on_change=lambda view: told.append(view.state)),
    )
    writing = asyncio.create_task(supervisor._core.rows.run())
    cell = Scripted(supervisor, arm, journal, told)
    await cell.round()
    await cell.round()
    assert cell.state is CellState.READY
    journal.slow = slow
    try:
        yield cell
    finally:
        await supervisor._core.tasks_ended(0.0)
        writing.cancel()
