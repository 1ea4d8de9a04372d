"""A disk as a power cut leaves it, built from a recorded trace.

What was synced is there. Of what was written since, anything may be: all, nothing, some writes and not others, and
of one write some sectors. Names that appear or go are kept in order: the folder is a journal of its own on the file
systems in use, so that what stands there is some moment between its last sync and the cut.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.disk import Op
from tests.chaos.trace import Acked, FolderSynced, Renamed, Step

SECTOR = 512
VOLATILE = ("-shm", ".lock", ".ballast")
"""The index of the log is rebuilt, lock and ballast are made anew: none of them is read after a cut."""


@dataclass(slots=True)
class _File:
    """Content as the disk surely has it, and the writes since that it may have."""

    synced: bytearray = field(default_factory=bytearray)
    pending: list[Op] = field(default_factory=list)

    def sync(self) -> None:
        for op in self.pending:
            apply(self.synced, op)
        self.pending.clear()

    def left(self, dice: random.Random, share: float, *, torn: bool) -> bytes:
        content = bytearray(self.synced)
        for op in self.pending:
            if dice.random() < share:
                apply(content, op)
            elif torn and op.name == "write":
                _some_sectors(content, op, dice)
        return bytes(content)


def apply(content: bytearray, op: Op) -> None:
    if op.name == "truncate":
        del content[op.at :]
        content.extend(bytes(op.at - len(content)))
    elif op.name == "write":
        content.extend(bytes(max(0, op.at - len(content))))
        content[op.at : op.at + len(op.data)] = op.data


def _some_sectors(content: bytearray, op: Op, dice: random.Random) -> None:
    end = op.at + len(op.data)
    for begin in range(op.at - op.at % SECTOR, end, SECTOR):
        first, last = max(begin, op.at), min(begin + SECTOR, end)
        if dice.random() < 0.5:
            apply(content, Op("write", op.path, first, op.data[first - op.at : last - op.at]))


@dataclass(slots=True)
class Disc:
    """All files, by an identity that outlives a rename, and their names: those on the disk, and those to come."""

    files: list[_File] = field(default_factory=list)
    durable: dict[str, int] = field(default_factory=dict)
    now: dict[str, int] = field(default_factory=dict)
    moves: list[dict[str, int]] = field(default_factory=list)
    """The names after each change since the folder was last synced."""
    acked: dict[int, Acked] = field(default_factory=dict)

    def take(self, step: Step) -> None:
        match step:
            case Acked(seq=seq):
                self.acked[seq] = step
            case Renamed(path=path, to=to):
                self._names({**{n: f for n, f in self.now.items() if n != path}, to: self.now[path]})
            case FolderSynced():
                self._all_names_stand()
            case Op(name="open", path=path):
                if path not in self.now:
                    self.files.append(_File())
                    self._names({**self.now, path: len(self.files) - 1})
            case Op(name="delete", path=path):
                self._names({n: f for n, f in self.now.items() if n != path})
            case Op(name="sync", path=path):
                self._file(path).sync()
                if path.endswith("-wal"):
                    self._all_names_stand()  # SQLite syncs the folder with a new log's first sync
            case Op(path=path):
                self._file(path).pending.append(step)

    def _file(self, path: str) -> _File:
        return self.files[self.now[path]]

    def _names(self, names: dict[str, int]) -> None:
        self.now = names
        self.moves.append(names)

    def _all_names_stand(self) -> None:
        self.durable = self.now
        self.moves.clear()

    def write(self, folder: Path, dice: random.Random, share: float, *, torn: bool) -> None:
        """The disk after the cut, into `folder`. `share` of the pending writes made it."""
        names = dice.choice([self.durable, *self.moves]) if 0 < share < 1 else (self.now if share else self.durable)
        for path, number in names.items():
            (folder / Path(path).name).write_bytes(self.files[number].left(dice, share, torn=torn))


WAYS: tuple[tuple[float, bool], ...] = ((0.0, False), (1.0, False), (0.5, False), (0.5, True), (0.9, True))
"""How much of what was pending survives, and whether the rest is torn."""


@dataclass(frozen=True, slots=True)
class Cut:
    """After how many steps, and how; `acked` are the rows that must be there."""

    after: int
    share: float
    torn: bool
    acked: tuple[Acked, ...]


def cuts(steps: Sequence[Step], made: int, count: int, seed: int, into: Path) -> Iterator[tuple[Cut, Path]]:
    """`count` images, each in a folder of its own below `into`, none before the journal was made."""
    dice = random.Random(seed)
    at = sorted(dice.randrange(made, len(steps) + 1) for _ in range(count))
    disc, done = Disc(), 0
    for number, after in enumerate(at):
        for step in steps[done:after]:
            if not isinstance(step, Op) or not step.path.endswith(VOLATILE):
                disc.take(step)
        done = after
        share, torn = WAYS[number % len(WAYS)]
        folder = into / f"{number:05d}"
        folder.mkdir()
        disc.write(folder, dice, share, torn=torn)
        yield Cut(after, share, torn, tuple(disc.acked.values())), folder
