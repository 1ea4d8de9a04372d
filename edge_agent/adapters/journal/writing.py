"""All that the one writing thread does: append, command ids, epochs, segments, and what a failure leaves behind."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from edge_agent.adapters.journal import folder as state
from edge_agent.adapters.journal import making
from edge_agent.adapters.journal.making import Retention
from edge_agent.adapters.journal.opening import open_segment
from edge_agent.adapters.journal.segment import Moment
from edge_agent.run.journal import Duplicate, Entry, JournalFault, Kind

U32_MAX: Final = 2**32 - 1
DISK_FULL: Final = "store.disk_full"


def no_faults(_name: str) -> bool:
    return False


class Writer:
    """Blocking. Holds the folder from construction to `close`; the epoch is raised and a commit measured at once."""

    def __init__(
        self, folder: Path, wall_ms: Callable[[], int], fires: Callable[[str], bool], retention: Retention
    ) -> None:
        self._folder, self._wall_ms, self._fires, self._retention = folder, wall_ms, fires, retention
        self._lock = state.hold(folder)
        self._broken: str | None = None
        with ExitStack() as undo:
            undo.callback(self._lock.close)
            self._segment = open_segment(state.segments(folder)[-1])
            self._begin()
            undo.pop_all()

    def _begin(self) -> None:
        state.lay_ballast(self._folder, self._retention.ballast_bytes)
        (last,) = self._segment.find("1", (), order="seq DESC")
        (first,) = self._segment.find("1", ())
        self._own_from = first.seq + int(first.body.get("carried", 0))
        ids = self._segment.find("kind=?", (str(Kind.COMMAND_ID),), order="seq DESC")
        self._command_id = int(ids[0].body["command_id"]) if ids else 0
        self.epoch = max(first.epoch, last.epoch) + 1  # the last row may be one carried over from an older life
        begun = time.perf_counter()
        self.append((Entry(Kind.EPOCH, {"epoch": self.epoch}),))
        self.commit_ms = (time.perf_counter() - begun) * 1000

    @property
    def file(self) -> Path:
        return self._segment.file

    @property
    def due(self) -> bool:
        """A new segment is. What was carried over does not count: a busy day's rows alone may be a whole segment's."""
        return self._segment.head.seq - self._own_from >= self._retention.segment_rows

    def append(self, entries: Sequence[Entry]) -> tuple[int, ...] | Duplicate:
        if self._broken is not None:
            raise JournalFault(f"the journal failed before and takes nothing more until a restart: {self._broken}")
        now = Moment(self._wall_ms(), self.epoch)
        try:
            return self._segment.append(entries, [now] * len(entries), self._fail_if_told)
        except sqlite3.Error as failed:
            if is_disk_full(failed):
                self._write_down(str(failed), now)
            else:
                self._broken = str(failed)
            raise JournalFault(f"not written: {failed}") from failed

    def next_command_id(self, above: int) -> int:
        command_id = max(self._command_id, above) + 1
        if command_id > U32_MAX:
            raise JournalFault("command ids are used up (u32)")
        self.append((Entry(Kind.COMMAND_ID, {"command_id": command_id}, key=str(command_id)),))
        self._command_id = command_id
        return command_id

    def roll(self) -> Path:
        """Begins the next segment and deletes what is old. The caller sees that nothing is open."""
        old, now = self._segment, Moment(self._wall_ms(), self.epoch)
        self._segment = open_segment(making.next_segment(old, now, self._retention))
        self._own_from = self._segment.head.seq
        old.connection.close()
        making.prune(self._folder, now.at_ms - self._retention.keep_days * making.DAY_MS)
        return self.file

    def close(self) -> None:
        self._segment.connection.close()
        self._lock.close()

    def _fail_if_told(self) -> None:
        if self._fires(DISK_FULL):
            raise sqlite3.OperationalError("database or disk is full")

    def _write_down(self, what: str, now: Moment) -> None:
        """The fault itself, in the room that the ballast held. A second failure is left to the fault just raised."""
        state.give_up_ballast(self._folder)
        entry = Entry(Kind.JOURNAL_FAULT, {"what": what})
        try:
            self._segment.append((entry,), (now,), lambda: None)
        except sqlite3.Error as again:
            self._broken = str(again)


def is_disk_full(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorname", "") == "SQLITE_FULL" or "disk is full" in str(error)
