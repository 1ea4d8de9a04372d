"""Case files found and read: every `*.jsonl` under the paths, each line with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from edge_agent.cases.line import BadLine, Line, parse_line, stable_id

MAX_FILE_BYTES: Final = 16 * 1024 * 1024
"""Some tens of thousands of lines; a larger file is not one that a person labelled."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A line and where it stands. `id` is unique over the files read together."""

    id: str
    file: str
    number: int
    line: Line


def read_paths(paths: Iterable[Path]) -> tuple[Placed, ...]:
    """All lines, in the order of paths and files. Raises `BadLine`, also for a path with no case file and for an id
    that stands twice."""
    found = tuple(placed for path in paths for file in _files(path) for placed in read_file(file))
    seen: dict[str, Placed] = {}
    for placed in found:
        if placed.id in seen:
            first = seen[placed.id]
            why = f"{placed.id!r} stands already in {first.file}:{first.number}"
            raise BadLine(placed.file, placed.number, "id", why)
        seen[placed.id] = placed
    return found


def read_file(file: Path) -> tuple[Placed, ...]:
    """The lines of one file; empty lines are passed over. Raises `BadLine`."""
    return tuple(_lines(file))


def _lines(file: Path) -> Iterator[Placed]:
    for number, text in enumerate(_text(file).splitlines(), start=1):
        if text.strip():
            line = parse_line(str(file), number, text)
            yield Placed(stable_id(line, file.stem), str(file), number, line)


def _text(file: Path) -> str:
    try:
        with file.open("rb") as source:
            raw = source.read(MAX_FILE_BYTES + 1)
        if len(raw) > MAX_FILE_BYTES:
            raise BadLine(str(file), 0, "file", f"larger than {MAX_FILE_BYTES} bytes")
        return raw.decode()
    except OSError as error:
        raise BadLine(str(file), 0, "file", f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadLine(str(file), 0, "file", f"byte {error.start} is no UTF-8") from error


def _files(path: Path) -> tuple[Path, ...]:
    if not path.is_dir():
        return (path,)
    found = tuple(sorted(path.rglob("*.jsonl")))
    if not found:
        raise BadLine(str(path), 0, "path", "no *.jsonl file is there")
    return found
