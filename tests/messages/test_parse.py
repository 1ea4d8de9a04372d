"""Bytes from a request topic: what is taken, what is refused, by which name. Row H18 and H29 of the hazards."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_agent.messages.examples import REQUEST_EXAMPLES, STOP_EXAMPLE
from edge_agent.messages.parse import parse_request, parse_stop, payload_key, spoken_text
from edge_agent.messages.rejection import ERROR_CODE, Rejection, RejectionName
from edge_agent.messages.request import Ask, StopRequest
from edge_agent.messages.wire import MAX_REQUEST_BYTES

ASK: dict[str, Any] = REQUEST_EXAMPLES["ask"]


def said(**changes: Any) -> bytes:
    return json.dumps(ASK | changes).encode()


def raw(tail: str) -> bytes:
    """The example with more JSON text before its closing brace."""
    return json.dumps(ASK).encode()[:-1] + tail.encode("utf-8", "surrogatepass") + b"}"


HOSTILE: dict[str, bytes] = {
    "empty": b"",
    "cut_off": b'{"id":',
    "not_utf8": b"\xff" * 64,
    "nul_bytes": b"\x00" * 64,
    "nul_in_text": said(text="go\x00"),
    "nul_escaped_in_key": raw(',"a\\u0000":1'),
    "nan": raw(',"epoch":NaN'),
    "infinity": raw(',"epoch":-Infinity'),
    "overflowing_float": raw(',"epoch":1e999'),
    "long_float": raw(',"epoch":1.' + "1" * 400),
    "digits_400": raw(',"epoch":' + "9" * 400),
    "duplicate_key": raw(',"text":"stop"'),
    "duplicate_key_escaped": raw(',"te\\u0078t":"stop"'),
    "depth_3000": b"[" * 3000,
    "depth_3000_closed": b"[" * 3000 + b"]" * 3000,
    "lone_surrogate": said(text="\ud800"),
    "surrogate_bytes": raw(',"x":"\ud800"'),
    "trailing_data": said() + b"{}",
    "byte_order_mark": b"\xef\xbb\xbf" + said(),
    "array": b"[]",
    "number": b"1",
    "unknown_field": said(user="root"),
    "role_in_payload": said(role="technician"),
    "unknown_type": said(type="reset_lockout"),
    "type_is_a_list": said(type=[]),
    "version_2": said(v=2),
    "version_true": said(v=True),
    "version_float": said(v=1.0),
    "ttl_text": said(ttl_ms="5000"),
    "ttl_zero": said(ttl_ms=0),
    "ttl_a_day": said(ttl_ms=86_400_000),
    "epoch_negative": said(epoch=-1),
    "epoch_text": said(epoch="1742"),
    "id_lower_case": said(id=ASK["id"].lower()),
    "id_with_topic_level": said(id="a/b"),
    "id_with_line_end": said(id=ASK["id"] + "\n"),
    "date_impossible": said(issued_at="2026-02-30T08:00:00Z"),
    "date_local": said(issued_at="2026-03-01T08:00:00+01:00"),
    "date_number": said(issued_at=0),
    "client_wildcard": said(attached="+"),
    "confirm_without_epoch": json.dumps(
        {k: v for k, v in REQUEST_EXAMPLES["confirm"].items() if k != "epoch"}
    ).encode(),
    "confirm_as_text": json.dumps(REQUEST_EXAMPLES["confirm"] | {"confirm": "yes"}).encode(),
    "probability_2": json.dumps(REQUEST_EXAMPLES["lab"] | {"probability": 2.0}).encode(),
}


@pytest.mark.parametrize("payload", HOSTILE.values(), ids=HOSTILE.keys())
def test_h18_hostile_payload_is_malformed(payload: bytes) -> None:
    answer = parse_request(payload, "op1")
    assert isinstance(answer, Rejection)
    assert answer.name is RejectionName.MALFORMED
    assert answer.detail
    (answer.detail + (answer.spoken or "")).encode()  # fits into a journal row
    assert "\x00" not in answer.detail + (answer.spoken or "")


@pytest.mark.parametrize("name", REQUEST_EXAMPLES)
def test_every_example_is_taken(name: str) -> None:
    request = parse_request(json.dumps(REQUEST_EXAMPLES[name]).encode(), "op1")
    assert not isinstance(request, Rejection)
    assert request.type == name


def test_size_is_judged_before_anything_is_read() -> None:
    at_limit = said(text="").replace(
        b'"text": ""', b'"text": "' + b"x" * (MAX_REQUEST_BYTES - len(said(text=""))) + b'"'
    )
    assert len(at_limit) == MAX_REQUEST_BYTES
    assert isinstance(parse_request(at_limit, "op1"), Ask)
    above = parse_request(b"\xff" * (MAX_REQUEST_BYTES + 1), "op1")
    assert isinstance(above, Rejection)
    assert above.name is RejectionName.TOO_LARGE


@pytest.mark.parametrize("user", [None, "", "Root", "a", "op/1", "op+", "o" * 33, "op1\n"])
def test_identity_is_the_topics(user: str | None) -> None:
    answer = parse_request(said(), user)
    assert isinstance(answer, Rejection)
    assert answer.name is RejectionName.IDENTITY


def test_epoch_ttl_and_language_may_be_left_out_of_a_query() -> None:
    typed = {k: ASK[k] for k in ("v", "id", "type", "issued_at", "text")}
    request = parse_request(json.dumps(typed).encode(), "op1")
    assert isinstance(request, Ask)
    assert (request.ttl_ms, request.epoch, request.lang) == (5000, None, None)


def test_answer_goes_to_the_id_or_to_the_hash() -> None:
    readable = parse_request(said(extra=1), "op1")
    unreadable = parse_request(b"{", "op1")
    assert isinstance(readable, Rejection)
    assert isinstance(unreadable, Rejection)
    assert (readable.key, readable.answer_level) == (ASK["id"], ASK["id"])
    assert (unreadable.key, unreadable.answer_level) == (payload_key(b"{"), "-")


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        (said(text="停"), "停"),
        (said(text="停", unknown=1), "停"),
        (said(text="停", issued_at="yesterday"), "停"),
        (said(text="stop\x00"), "stop?"),
        (json.dumps(REQUEST_EXAMPLES["reply"] | {"text": "停"}).encode(), "停"),
        (json.dumps(REQUEST_EXAMPLES["resync"] | {"text": "停"}).encode(), None),
        (said(text=["停"]), None),
        (b'{"type":"ask","text":"\xe5\x81\x9c"', None),
    ],
)
def test_a_stop_can_be_found_in_what_is_refused(payload: bytes, text: str | None) -> None:
    assert spoken_text(parse_request(payload, "op1")) == text


def test_detail_never_repeats_the_senders_type() -> None:
    answer = parse_request(said(type="x" * 4000), "op1")
    assert isinstance(answer, Rejection)
    assert "xx" not in answer.detail


def test_stop_is_read_leniently() -> None:
    assert isinstance(parse_stop(json.dumps(STOP_EXAMPLE).encode()), StopRequest)
    assert isinstance(parse_stop(b'{"v":1}'), StopRequest)
    for payload in (b"", b"STOP", b"\xff", b"[" * 3000, b"x" * 9000):
        assert isinstance(parse_stop(payload), Rejection)


def test_every_rejection_carries_a_code() -> None:
    assert set(ERROR_CODE) == set(RejectionName)


@settings(max_examples=400, deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_raise(payload: bytes) -> None:
    assert isinstance(parse_request(payload, "op1"), Rejection)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(sorted(REQUEST_EXAMPLES)), st.sampled_from(["v", "id", "type", "epoch", "text", "zz"]), _JSON)
def test_no_value_in_any_field_raises(name: str, key: str, value: Any) -> None:
    parse_request(json.dumps(REQUEST_EXAMPLES[name] | {key: value}).encode(), "op1")
