"""`python -m tests.chaos.record_writes FILE COMMITS [VARIANT]`: the rows of many commands, with all that they write.

Records, in order: what SQLite did to the disk, what the journal did to the folder, and which row was acknowledged
when. Written to FILE (pickle) for `power_cut`. A process of its own, because the disk is put under SQLite for good.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

from edge_agent.adapters.journal import making, schema
from edge_agent.adapters.journal.making import Retention
from edge_agent.adapters.journal.store import SqliteJournal
from edge_agent.run.journal import Entry, Kind
from tests.chaos.disk import Disk, Op, install
from tests.chaos.trace import Acked, FolderSynced, Renamed, Step

RETENTION = Retention(segment_rows=1_000, ballast_bytes=4_096)
COMMIT_S = 30.0
"""Of a machine that does other things as well; a commit that is late is lost by nobody."""


def _watch_the_folder(seen: Callable[[Step], None]) -> None:
    """What the journal does to files without SQLite: through three calls of `os`."""
    rename, unlink, fsync = os.rename, os.unlink, os.fsync

    def on_rename(path: str, to: str) -> None:
        rename(path, to)
        seen(Renamed(str(path), str(to)))

    def on_unlink(path: str) -> None:
        unlink(path)
        seen(Op("delete", str(path)))

    def on_fsync(handle: int) -> None:
        path = str(Path(f"/proc/self/fd/{handle}").readlink())
        fsync(handle)
        seen(FolderSynced(path) if Path(path).is_dir() else Op("sync", path))

    os.__dict__.update(rename=on_rename, unlink=on_unlink, fsync=on_fsync)


def _normal() -> None:
    """Syncs at checkpoints alone: faster, and what was answered may be gone."""
    connect = schema.connect

    def connect_normal(file: Path, mode: str) -> object:
        connection = connect(file, mode)  # type: ignore[arg-type]
        if mode != "ro":
            connection.execute("PRAGMA synchronous=NORMAL")
        return connection

    schema.__dict__.update(connect=connect_normal, OF_THE_WRITER={"journal_mode": "wal", "synchronous": 1})


VARIANTS: dict[str, Callable[[], None]] = {
    "sound": lambda: None,
    "synchronous_normal": _normal,
}


async def _commands(folder: Path, count: int, acked: Callable[[Acked], None]) -> None:
    now_ms = iter(range(1_000, 10_000_000))
    journal = await SqliteJournal.open(
        folder, wall_ms=lambda: next(now_ms), retention=RETENTION, commit_deadline_s=COMMIT_S
    )
    for number in range(count):
        command_id = await journal.next_command_id()
        for entry in _rows_of(number, command_id):
            written = await journal.append(entry)
            assert isinstance(written, tuple), written
            acked(Acked(written[0], str(entry.kind), entry.key))
        await journal.roll_if_due()
    await journal.close()


def _rows_of(number: int, command_id: int) -> tuple[Entry, ...]:
    run = f"run-{number}"
    intent = {"command_id": command_id, "state": "JOURNALLED", "order": "x" * (37 * number % 900)}
    return (
        Entry(Kind.REQUEST, {"user": "op1"}, run, f"op1/{run}"),
        Entry(Kind.COMMAND, intent, run, str(command_id)),
        Entry(Kind.COMMAND, {"command_id": command_id, "state": "VERIFIED"}, run, f"{command_id}/end"),
        Entry(Kind.TERMINAL, {"outcome": "SUCCESS"}, run, run),
    )


def main(file: Path, count: int, variant: str) -> None:
    steps: list[Step] = []
    install(Disk(seen=steps.append))
    VARIANTS[variant]()
    _watch_the_folder(steps.append)
    folder = file.parent / f"recorded-{variant}"
    making.create(folder, 1, RETENTION)
    made = len(steps)
    asyncio.run(_commands(folder, count, steps.append))
    file.write_bytes(pickle.dumps((str(folder), made, steps)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "sound")
