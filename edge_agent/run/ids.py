"""Names of runs and traces. Pure: time and chance are arguments.

A run carries its request's id (a ULID: 48 bits of milliseconds, 80 of chance, Crockford base 32, sorts by time).
A trace id is 16 hex digits of chance; each attempt of a call has `{trace}-{attempt}`, attempts counted from 1.
"""

from __future__ import annotations

from typing import Final, NewType

RunId = NewType("RunId", str)
TraceId = NewType("TraceId", str)
ParseTraceId = NewType("ParseTraceId", str)

CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
ULID_CHARS: Final = 26
ULID_ENTROPY_BYTES: Final = 10
TRACE_ENTROPY_BYTES: Final = 8


def ulid(unix_ms: int, entropy: bytes) -> RunId:
    """26 characters; `entropy` is exactly 10 bytes. Raises ValueError on another length or a time out of range."""
    if len(entropy) != ULID_ENTROPY_BYTES or not 0 <= unix_ms < 1 << 48:
        raise ValueError(f"a ULID takes 48 bits of ms and {ULID_ENTROPY_BYTES} bytes of chance")
    number = unix_ms << 80 | int.from_bytes(entropy, "big")
    return RunId("".join(CROCKFORD[number >> 5 * place & 31] for place in reversed(range(ULID_CHARS))))


def trace_id(entropy: bytes) -> TraceId:
    """16 hex digits of exactly 8 bytes. Raises ValueError on another length."""
    if len(entropy) != TRACE_ENTROPY_BYTES:
        raise ValueError(f"a trace id takes {TRACE_ENTROPY_BYTES} bytes of chance")
    return TraceId(entropy.hex())


def parse_trace_id(entropy: bytes) -> ParseTraceId:
    """The trace of one understanding of one sentence: `p-` and 16 hex digits."""
    return ParseTraceId(f"p-{trace_id(entropy)}")


def attempt_trace(trace: str, attempt: int) -> TraceId:
    """`{trace}-{attempt}`, attempts from 1."""
    return TraceId(f"{trace}-{attempt}")
