"""One thread that does what blocks, for one loop. A job that is not back in time is an error, never a frozen loop."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar

MAX_WAITING: Final = 1000
"""Jobs in the queue; a healthy disk takes these in half a second, so a longer queue means that it is not."""

T = TypeVar("T")


class NoAnswer(Exception):
    """The thread did not answer in time, still owes an earlier answer, or is closed."""


class Late(NoAnswer):
    """It was begun or waits to be, and is not back in time: whether it was done is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    work: Callable[[], Any]
    future: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop


class OneThread:
    """`passed_on` is what a job may raise. Anything else is a mistake of ours: it ends the thread with a traceback,
    and every later job times out.

    A daemon thread: a sync that hangs in the kernel must not keep the process from leaving.
    """

    def __init__(self, name: str, passed_on: tuple[type[Exception], ...]) -> None:
        self._passed_on = passed_on
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._overdue: _Job | None = None
        self.closed = False
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    async def call(self, work: Callable[[], T], deadline_s: float) -> T:
        """The job's value or its error. Late when it is not back after `deadline_s`; it may still finish, and until
        it does, every further call fails at once."""
        if self.closed:
            raise NoAnswer("closed")
        if self._overdue is not None:
            raise NoAnswer("still owes an earlier answer")
        if self._jobs.qsize() >= MAX_WAITING:
            raise NoAnswer(f"{MAX_WAITING} jobs are waiting already")
        loop = asyncio.get_running_loop()
        job = _Job(work, loop.create_future(), loop)
        self._jobs.put(job)
        timer = loop.call_later(deadline_s, self._late, job, deadline_s)
        try:
            value: T = await job.future
        finally:
            timer.cancel()
        return value

    def close(self) -> None:
        """Lets the thread end after what is queued; does not wait for it. A second call does nothing."""
        self.closed = True
        self._jobs.put(None)

    def _late(self, job: _Job, deadline_s: float) -> None:
        if not job.future.done():
            self._overdue = job
            job.future.set_exception(Late(f"did not answer within {deadline_s:g} s"))

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                value, error = job.work(), None
            except self._passed_on as raised:
                value, error = None, raised
            with suppress(RuntimeError):  # the loop was closed meanwhile; nobody waits for this any more
                job.loop.call_soon_threadsafe(self._answer, job, value, error)

    def _answer(self, job: _Job, value: object, error: BaseException | None) -> None:
        if job is self._overdue:
            self._overdue = None
        if job.future.done():  # whoever waited has gone, or was told that it is late
            return
        if error is None:
            job.future.set_result(value)
        else:
            job.future.set_exception(error)
