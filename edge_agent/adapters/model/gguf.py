"""Is this file a GGUF at all? Looked at before a process is started for it; the rest the library says.

Source: the GGUF format, versions 2 and 3: magic `GGUF`, u32 version, u64 tensor count, u64 key count, little-endian.
"""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path

from edge_agent.adapters.model.errors import ModelRefused

MAGIC = b"GGUF"
VERSIONS = frozenset({2, 3})
HEADER = struct.Struct("<4sIQQ")
CHUNK_BYTES = 1 << 20
CARRY_ON = "It is not used; rules, feedback, status, stop and the explicit form work without it."


def check(path: Path) -> None:
    """Raises `ModelRefused` for what cannot be a model file."""
    try:
        with path.open("rb") as file:
            head = file.read(HEADER.size)
    except OSError as error:
        raise refused(path, f"it cannot be read ({error.strerror})") from error
    if len(head) < HEADER.size or head[:4] != MAGIC:
        raise refused(path, "it is not a GGUF file")
    _, version, tensors, _ = HEADER.unpack(head)
    if version not in VERSIONS:
        raise refused(path, f"its GGUF version is {version}, known are 2 and 3")
    if tensors == 0:
        raise refused(path, "it holds no weights")


def refused(path: Path, why: str) -> ModelRefused:
    return ModelRefused(f"Model file {path.name} refused: {why}. {CARRY_ON}")


def digest(path: Path) -> str:
    """SHA-256 of the whole file, in hex; 0.2 s for 250 MB."""
    total = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                total.update(chunk)
    except OSError as error:
        raise refused(path, f"it cannot be read ({error.strerror})") from error
    return total.hexdigest()
