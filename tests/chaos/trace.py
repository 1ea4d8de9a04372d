"""What happened to a folder, in order: writes and syncs, names, and which rows were promised when. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from tests.chaos.disk import Op


@dataclass(frozen=True, slots=True)
class Renamed:
    path: str
    to: str


@dataclass(frozen=True, slots=True)
class FolderSynced:
    path: str


@dataclass(frozen=True, slots=True)
class Acked:
    """From here on this row must outlive a power cut."""

    seq: int
    kind: str
    key: str | None


Step: TypeAlias = Op | Renamed | FolderSynced | Acked
