"""The agent's end of the model: a `ModelPort` that outlives its process.

Rules
  * One owner task talks to the process, one request at a time; at most `queue` more wait, each with its own deadline.
  * At 90 % of a deadline the library is told to give up, at 100 % the process is killed: nothing waits for it longer.
  * A caller that goes away (cancelled run) leaves the exchange to the owner; its late answer is dropped.
  * Deaths go to the breaker; restarts back off; a refused file is not tried again until the agent is restarted.
  * After `recycle_after` calls the process is replaced when nobody waits.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from edge_agent.adapters.model import gguf, profile, schema_limits, wire
from edge_agent.adapters.model.breaker import Breaker, BreakerPolicy, BreakerState
from edge_agent.adapters.model.calls import Job, among, at_most, failure_of, give, kind_of, unavailable, unknown
from edge_agent.adapters.model.errors import ModelRefused, ProfileBroken
from edge_agent.adapters.model.prompt import LABELS, Prompt, default_prompt
from edge_agent.adapters.model.worker_process import WorkerDied, WorkerProcess, default_command
from edge_agent.understand.port import FailureKind, ModelFailure, ModelPurpose, Probabilities, Usage, Written
from edge_agent.understand.scores import ModelCause, NoUsableModel
from edge_agent.understand.thresholds import Thresholds

ABORT_SHARE = 0.9
MIB = 1 << 20


class ModelState(StrEnum):
    STARTING = "STARTING"
    READY = "READY"
    BUSY = "BUSY"
    DOWN = "DOWN"
    REFUSED = "REFUSED"
    CLOSED = "CLOSED"


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """`command` is what is started; tests put other processes in its place."""

    model: Path
    state_dir: Path
    threads: int = 1
    """Two threads on two cores meet at a barrier some hundred times a pass: under load 5 x slower than one."""
    start_deadline_s: float = 120.0
    """A first start evaluates the whole prompt: 2 s on an idle core, a minute for a wordy vocabulary on a busy one."""
    queue: int = 8
    recycle_after: int = 5_000
    extra_memory_bytes: int = 800 * MIB
    """Above the file's own size; measured peak 793 MB in all for the default model."""
    breaker: BreakerPolicy = field(default_factory=BreakerPolicy)
    command: tuple[str, ...] = field(default_factory=default_command)


class WorkerModel:
    """`start()` once, then `choose` and `write`, then `close()`. Everything expected comes back as a value."""

    def __init__(
        self,
        settings: WorkerSettings,
        *,
        prompt: Prompt | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._prompt = prompt if prompt is not None else default_prompt()
        self._clock = clock
        self._breaker = Breaker(settings.breaker)
        self._state = ModelState.DOWN
        self._process: WorkerProcess | None = None
        self._jobs: asyncio.Queue[Job] = asyncio.Queue(maxsize=settings.queue)
        self._owner: asyncio.Task[None] | None = None
        self._calls = 0
        self._settled = asyncio.Event()
        self.model_sha256 = ""
        self.problem: str | None = None
        """Why it is refused or was last down: one sentence for the operator and the journal."""
        self.profile_problem: str | None = None
        """Why a stored calibration or qualification could not be read."""
        self.calibration: profile.Calibration | None = None
        self.qualification: profile.Qualification | None = None

    # -- life

    async def start(self, *, wait_s: float = 0.0) -> None:
        """Looks at the file, then keeps a process up. `wait_s` > 0 waits that long for the first ready or refused."""
        self._state = ModelState.STARTING
        try:
            gguf.check(self._settings.model)
            self.model_sha256 = await asyncio.to_thread(gguf.digest, self._settings.model)
        except ModelRefused as refused:
            self._refuse(str(refused))
            return
        self._load_profile()
        self._owner = asyncio.create_task(self._own())
        if wait_s > 0:
            await asyncio.wait({asyncio.ensure_future(self._settled.wait())}, timeout=wait_s)

    async def close(self) -> None:
        self._state = ModelState.CLOSED
        if self._owner is not None:
            self._owner.cancel()
            await asyncio.wait({self._owner}, timeout=10)
        self._drop_waiting("the model is being closed")

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None and not self._process.ended else None

    @property
    def state(self) -> ModelState:
        return self._state

    @property
    def breaker(self) -> BreakerState:
        self._breaker = self._breaker.tick(self._clock())
        return self._breaker.state

    @property
    def thresholds(self) -> Thresholds:
        return self.calibration.as_thresholds() if self.calibration is not None else Thresholds()

    def usable(self) -> NoUsableModel | None:
        if self.breaker is BreakerState.OPEN:
            return NoUsableModel(ModelCause.BREAKER_OPEN)
        if self._state not in (ModelState.READY, ModelState.BUSY):
            return NoUsableModel(ModelCause.DOWN)
        if self.calibration is None or self.qualification is None or not self.qualification.passed:
            return NoUsableModel(ModelCause.NOT_QUALIFIED)
        return None

    # -- the two verbs

    async def choose(
        self, context: str, options: Sequence[str], *, deadline_s: float, purpose: ModelPurpose = ModelPurpose.INTENT
    ) -> Probabilities | ModelFailure:
        if purpose is ModelPurpose.INTENT:
            request: dict[str, object] = {"op": "score", "text": self._prompt.ask(context)}
            names: Sequence[str] = [label.value for label in LABELS]
        else:
            request, names = {"op": "options", "text": context, "options": list(options)}, options
        if not 0 < len(options) <= wire.MAX_OPTIONS or len(set(options)) != len(options):
            return ModelFailure(FailureKind.ILLEGAL, "options must be 1 to 32 different words", unknown(0))
        got = await self._call(request, wire.Scored, deadline_s)
        if isinstance(got, ModelFailure):
            return got
        if len(got.values) != len(names):
            return ModelFailure(FailureKind.ILLEGAL, "as many probabilities as options expected", unknown(0))
        return among(options, dict(zip(names, got.values, strict=True)), got)

    async def write(
        self,
        context: str,
        schema: Mapping[str, object],
        *,
        deadline_s: float,
        max_tokens: int,
        purpose: ModelPurpose = ModelPurpose.DRAFT,
    ) -> Written | ModelFailure:
        del purpose
        wrong = schema_limits.objection(schema)
        if wrong is not None:
            return ModelFailure(FailureKind.ILLEGAL, wrong, unknown(0))
        request = {"op": "write", "text": context, "schema": dict(schema), "max_tokens": max_tokens}
        got = await self._call(request, wire.Text, deadline_s, max_tokens)
        if isinstance(got, ModelFailure):
            return got
        return Written(got.text, Usage(got.input_tokens, got.output_tokens, got.ms), got.cut)

    async def operate(self, request: dict[str, object], kind: type[wire.R], *, deadline_s: float) -> wire.R:
        """For calibration and bench: any operation of the worker. Raises `ModelRefused` for a failure."""
        got = await self._call(request, kind, deadline_s)
        if isinstance(got, ModelFailure):
            raise ModelRefused(f"{self._settings.model.name}: {got.detail}")
        if not isinstance(got, kind):
            raise ModelRefused(f"{self._settings.model.name}: answered with something else")
        return got

    # -- between caller and owner

    async def _call(
        self, request: dict[str, object], kind: type[wire.R], deadline_s: float, max_tokens: int = 0
    ) -> wire.R | ModelFailure:
        """A reply of `kind`, or a `ModelFailure`; never later than the deadline and the moment a kill takes."""
        if self._state in (ModelState.REFUSED, ModelState.CLOSED) or self.breaker is BreakerState.OPEN:
            return unavailable(self.problem or "no model process")
        answer: asyncio.Future[wire.Reply | ModelFailure] = asyncio.get_running_loop().create_future()
        job = Job(request, kind, self._clock() + deadline_s, answer)
        try:
            self._jobs.put_nowait(job)
        except asyncio.QueueFull:
            return unavailable(f"{self._settings.queue} requests wait for the model already")
        await asyncio.wait({answer}, timeout=deadline_s)
        if not answer.done() and not job.started:
            answer.cancel()
            return unavailable("no model process was free within the deadline")
        got = await answer
        if isinstance(got, kind):
            return got
        return at_most(got, max_tokens) if isinstance(got, ModelFailure) else unavailable("no such reply")

    async def _own(self) -> None:
        """Keeps one process up until closed or refused; the only task that starts, asks and ends it."""
        try:
            while self._state is not ModelState.REFUSED:
                await asyncio.sleep(self._breaker.delay_s(self._clock()))
                self._breaker = self._breaker.tick(self._clock())
                await self._one_life()
        finally:
            if self._process is not None:
                await self._process.kill()

    async def _one_life(self) -> None:
        self._process = process = await WorkerProcess.start(self._settings.command)
        self._calls = 0
        try:
            if await self._load(process):
                self._state = ModelState.READY
                self._settled.set()
                await self._serve(process)
        except (WorkerDied, wire.IllegalReply, TimeoutError) as death:
            self._died(str(death) or "the model process did not answer in time and was ended")
        finally:
            await process.kill()
            if self._state not in (ModelState.REFUSED, ModelState.CLOSED):
                self._state = ModelState.DOWN

    async def _load(self, process: WorkerProcess) -> bool:
        """False where the file is refused. A trial sentence comes before the first real one."""
        ready = await process.ask(self._load_request(), wire.Ready, deadline_s=self._settings.start_deadline_s)
        if isinstance(ready, wire.Failed):
            self._refuse(str(gguf.refused(self._settings.model, ready.text)))
            return False
        trial = {"op": "score", "text": self._prompt.ask("ok"), "budget_s": self._settings.start_deadline_s}
        await process.ask(trial, wire.Scored, deadline_s=self._settings.start_deadline_s)
        self._breaker = self._breaker.answered()
        self.problem = None
        return True

    def _load_request(self) -> dict[str, object]:
        size = self._settings.model.stat().st_size
        return {
            "op": "load",
            "model": str(self._settings.model),
            "model_sha256": self.model_sha256,
            "prefix": self._prompt.prefix,
            "words": list(self._prompt.words),
            "map": self.calibration.as_map() if self.calibration is not None else None,
            "threads": self._settings.threads,
            "cache_dir": str(self._settings.state_dir),
            "memory_bytes": size + self._settings.extra_memory_bytes,
        }

    async def _serve(self, process: WorkerProcess) -> None:
        """Until it dies (raises) or is old and idle (returns)."""
        ended = asyncio.create_task(process.wait_ended())
        try:
            while self._calls < self._settings.recycle_after or not self._jobs.empty():
                await self._answer(process, await self._next_job(ended))
        finally:
            ended.cancel()

    async def _next_job(self, ended: asyncio.Task[None]) -> Job:
        coming = asyncio.create_task(self._jobs.get())
        try:
            await asyncio.wait({coming, ended}, return_when=asyncio.FIRST_COMPLETED)
            if not coming.done():
                raise WorkerDied("the model process ended while idle")
            return coming.result()
        finally:
            coming.cancel()

    async def _answer(self, process: WorkerProcess, job: Job) -> None:
        remaining_s = job.deadline_at_s - self._clock()
        if job.answer.done() or remaining_s <= 0:
            return
        job.started, self._calls, self._state = True, self._calls + 1, ModelState.BUSY
        request = {**job.request, "budget_s": remaining_s * ABORT_SHARE}
        try:
            got = await process.ask(request, job.kind, deadline_s=remaining_s)
        except (WorkerDied, wire.IllegalReply) as death:
            give(job, ModelFailure(kind_of(death), str(death), unknown(0)))
            raise
        except TimeoutError:
            # The caller hears at the deadline, not when the kill is through.
            give(job, ModelFailure(FailureKind.TIMEOUT, "ended at its deadline", unknown(0)))
            raise
        except asyncio.CancelledError:
            give(job, unavailable("the model is being closed"))
            raise
        self._state = ModelState.READY
        self._breaker = self._breaker.answered()
        give(job, failure_of(got) if isinstance(got, wire.Failed) else got)

    # -- what happened to it

    def _died(self, how: str) -> None:
        self.problem = how
        self._breaker = self._breaker.died(self._clock())
        if self._breaker.state is BreakerState.OPEN:
            self._settled.set()
            self._drop_waiting("the model process keeps ending; it is left alone for a while")

    def _refuse(self, sentence: str) -> None:
        self.problem = sentence
        self._state = ModelState.REFUSED
        self._settled.set()
        self._drop_waiting(sentence)

    def _drop_waiting(self, why: str) -> None:
        while not self._jobs.empty():
            give(self._jobs.get_nowait(), unavailable(why))

    def _load_profile(self) -> None:
        """A broken profile is no reason not to start: the model then counts as not qualified."""
        try:
            folder, digest = self._settings.state_dir, self._prompt.digest
            self.calibration = profile.load(profile.Calibration, folder, self.model_sha256, digest)
            if self.calibration is not None:
                self.qualification = profile.load_qualification(self.calibration, folder)
        except ProfileBroken as broken:
            self.profile_problem = str(broken)
