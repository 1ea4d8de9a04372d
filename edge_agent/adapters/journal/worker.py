"""One thread that does what blocks, for one loop. A job that is not back in time is a fault, never a frozen loop."""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from edge_agent.adapters.journal.errors import JournalRefused
from edge_agent.run.journal import JournalFault

MAX_WAITING: Final = 1000
"""Jobs in the queue; a healthy disk takes these in half a second, so a longer queue means that it is not."""

PASSED_ON: Final = (sqlite3.Error, OSError, ValueError, JournalFault, JournalRefused)
"""What a job may raise. Anything else is a mistake of ours: it ends the thread, and every later job times out."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Job:
    work: Callable[[], Any]
    future: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop


class Worker:
    """Daemon thread: a sync that hangs in the kernel must not keep the process from leaving."""

    def __init__(self, name: str) -> None:
        self._jobs: queue.Queue[_Job | None] = queue.Queue(MAX_WAITING)
        self._overdue: asyncio.Future[Any] | None = None
        self.closed = False
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    async def call(self, work: Callable[[], T], deadline_s: float) -> T:
        """The job's value or its error. JournalFault when it is not back after `deadline_s`; it may still finish,
        and until it does, every further call fails at once."""
        if self.closed:
            raise JournalFault("the journal is closed")
        if self._overdue is not None and not self._overdue.done():
            raise JournalFault("the journal still owes an earlier answer")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        try:
            self._jobs.put_nowait(_Job(work, future, loop))
        except queue.Full:
            raise JournalFault(f"{MAX_WAITING} jobs wait for the journal already") from None
        done, _ = await asyncio.wait({future}, timeout=deadline_s)
        if not done:
            self._overdue = future
            raise JournalFault(f"the journal did not answer within {deadline_s} s")
        return future.result()

    def close(self) -> None:
        """Lets the thread end after what is queued; does not wait for it."""
        self.closed = True
        with suppress(queue.Full):
            self._jobs.put_nowait(None)

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                value, error = job.work(), None
            except PASSED_ON as raised:
                value, error = None, raised
            with suppress(RuntimeError):  # the loop was closed meanwhile; nobody waits for this any more
                job.loop.call_soon_threadsafe(_answer, job.future, value, error)


def _answer(future: asyncio.Future[Any], value: object, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(value)
        return
    future.set_exception(error)
    future.exception()  # marks it as seen: whoever waited may have gone at its deadline
