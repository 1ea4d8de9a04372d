"""The state folder: who holds it, which segment is the newest, and the ballast that is given up on a full disk."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import IO, Final

from edge_agent.adapters.journal.errors import JournalBusy

LOCK: Final = "journal.lock"
BALLAST: Final = "journal.ballast"
PATTERN: Final = "journal-*.db"


def hold(folder: Path) -> IO[bytes]:
    """Takes the folder for this process until the file is closed; raises JournalBusy where another has it."""
    lock = (folder / LOCK).open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as held:
        lock.close()
        raise JournalBusy(folder) from held
    return lock


def segments(folder: Path) -> list[Path]:
    """Oldest first."""
    return sorted(folder.glob(PATTERN))


def segment_name(number: int) -> str:
    return f"journal-{number:06d}.db"


def number_of(file: Path) -> int:
    return int(file.stem.removeprefix("journal-"))


def sync_folder(folder: Path) -> None:
    """Makes a new, renamed or deleted name durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def lay_ballast(folder: Path, size_bytes: int) -> bool:
    """Real blocks, not a hole: room for the one row that says the disk is full. False where there is no room for it."""
    file = folder / BALLAST
    if file.exists():
        return True
    try:
        with file.open("wb") as ballast:
            ballast.write(os.urandom(size_bytes))
            os.fsync(ballast.fileno())
    except OSError:
        file.unlink(missing_ok=True)
        return False
    return True


def give_up_ballast(folder: Path) -> None:
    (folder / BALLAST).unlink(missing_ok=True)
