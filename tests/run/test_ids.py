"""Names are exact: a ULID sorts by time, a trace id is 16 hex digits."""

from __future__ import annotations

import pytest

from edge_agent.run.ids import attempt_trace, parse_trace_id, trace_id, ulid


def test_ulid_of_a_known_time() -> None:
    # Time part of the ULID specification's own example (01ARZ3NDEK is 1469922850259 ms).
    assert ulid(1469922850259, bytes(10)) == "01ARZ3NDEK0000000000000000"
    assert ulid(0, b"\xff" * 10) == "0000000000ZZZZZZZZZZZZZZZZ"


def test_ulids_sort_by_time() -> None:
    assert ulid(1, b"\xff" * 10) < ulid(2, bytes(10))


@pytest.mark.parametrize(("unix_ms", "entropy"), [(0, bytes(9)), (-1, bytes(10)), (1 << 48, bytes(10))])
def test_ulid_out_of_range(unix_ms: int, entropy: bytes) -> None:
    with pytest.raises(ValueError, match="48 bits"):
        ulid(unix_ms, entropy)


def test_traces() -> None:
    assert trace_id(bytes(range(8))) == "0001020304050607"
    assert parse_trace_id(bytes(8)) == "p-0000000000000000"
    assert attempt_trace("abc", 2) == "abc-2"
    with pytest.raises(ValueError, match="8 bytes"):
        trace_id(b"")
