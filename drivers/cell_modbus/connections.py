"""The open connections of one server: bounded, cut on demand, gone before the loop is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

LEAVE_TIMEOUT_S = 2.0


@dataclass(slots=True)
class Connections:
    """`maximum` at once; one more is cut at the door."""

    maximum: int
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _writers: set[asyncio.StreamWriter] = field(default_factory=set)

    @contextmanager
    def serving(self, writer: asyncio.StreamWriter) -> Iterator[bool]:
        """For the whole life of one connection; yields whether there is room for it. Cuts it at the end."""
        task: asyncio.Task[None] | None = asyncio.current_task()
        assert task is not None
        has_room = len(self._tasks) < self.maximum
        self._tasks.add(task)
        try:
            with self.holding(writer):
                yield has_room
        finally:
            self._tasks.discard(task)

    @contextmanager
    def holding(self, writer: asyncio.StreamWriter) -> Iterator[None]:
        """One more stream that `cut` reaches; closed at the end."""
        self._writers.add(writer)
        try:
            yield
        finally:
            self._writers.discard(writer)
            writer.close()

    def cut(self) -> None:
        """Drops every connection at once, unsent bytes with it."""
        for writer in self._writers:
            writer.transport.abort()

    async def leave(self) -> None:
        """Cuts all and waits until nobody serves any more."""
        self.cut()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=LEAVE_TIMEOUT_S)
