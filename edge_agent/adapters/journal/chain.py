"""The hash chain: each row's hash covers the row and the hash before it, so that a changed or missing row shows.

Hash = SHA-256 over the compact JSON array [seq, at_ms, epoch, kind, run, key, body text, previous hash].
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Final, TypeAlias

GENESIS: Final = "0" * 64
"""What the first row of the first segment names as its predecessor."""

_COMPACT: Final = json.JSONEncoder(separators=(",", ":")).encode

Fields: TypeAlias = tuple[int, int, int, str, str | None, str | None, str, str]
"""seq, at_ms, epoch, kind, run, key, body text, previous hash: the row as the table has it, but for its own hash."""


def row_hash(row: Fields) -> str:
    return hashlib.sha256(_COMPACT(row).encode()).hexdigest()


def first_break(rows: Iterable[tuple[int, int, int, str, str | None, str | None, str, str, str]]) -> str | None:
    """What is wrong with the first row that does not fit its predecessor; None for a whole chain. The first row's
    own predecessor lies in another segment and is not asked for."""
    before: tuple[int, str] | None = None
    for row in rows:
        seq, prev, found = row[0], row[7], row[8]
        if before is not None and (seq, prev) != (before[0] + 1, before[1]):
            return f"row {seq} does not follow row {before[0]}"
        if row_hash(row[:8]) != found:
            return f"row {seq} was changed"
        before = (seq, found)
    return None if before is not None else "no row at all"
