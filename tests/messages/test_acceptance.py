"""The order in which a request is judged: every check, and every pair of checks in the right order."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from itertools import combinations
from typing import Any

import pytest

from edge_agent.messages.acceptance import Accepted, Facts, accept, accept_again
from edge_agent.messages.examples import REQUEST_EXAMPLES
from edge_agent.messages.parse import parse_request
from edge_agent.messages.rejection import Rejection, RejectionName
from edge_agent.messages.request import Request
from edge_agent.messages.wire import utc_from_text

N = RejectionName
NOW = utc_from_text(REQUEST_EXAMPLES["ask"]["issued_at"])
GOOD = Facts(
    retained=False,
    first_state=None,
    within_rate=True,
    epoch=1742,
    now=NOW,
    role="operator",
    permitted=True,
    channel="mqtt",
    attached_here=True,
    cell_state="AWAITING_CONFIRMATION",
)


def request(name: str, **changes: Any) -> Request:
    parsed = parse_request(json.dumps(REQUEST_EXAMPLES[name] | changes).encode(), "op1")
    assert not isinstance(parsed, Rejection)
    return parsed


CONFIRM = request("confirm")

WRONG: tuple[tuple[RejectionName, dict[str, Any]], ...] = (
    (N.RETAINED, {"retained": True}),
    (N.DUPLICATE, {"first_state": "SUCCESS"}),
    (N.RATE_LIMITED, {"within_rate": False}),
    (N.BUSY, {"full": True}),
    (N.STALE_EPOCH, {"epoch": 1743}),
    (N.EXPIRED, {"now": NOW + timedelta(milliseconds=5001)}),
    (N.FORBIDDEN, {"role": None}),
    (N.LOCKED_OUT, {"cell_state": "LOCKED_OUT"}),
)
"""In the order of judgement, one way to be wrong each."""


@pytest.mark.parametrize(("name", "facts"), WRONG, ids=[n.value for n, _ in WRONG])
def test_one_thing_wrong_is_named(name: RejectionName, facts: dict[str, Any]) -> None:
    answer = accept(CONFIRM, replace(GOOD, **facts))
    assert isinstance(answer, Rejection)
    assert answer.name is name
    assert answer.key == CONFIRM.id


@pytest.mark.parametrize(("first", "second"), list(combinations(WRONG, 2)), ids=lambda row: row[0].value)
def test_of_two_wrong_things_the_earlier_is_named(first: Any, second: Any) -> None:
    answer = accept(CONFIRM, replace(GOOD, **second[1], **first[1]))
    assert isinstance(answer, Rejection)
    assert answer.name is first[0]


@pytest.mark.parametrize(
    ("name", "changes", "facts", "expected"),
    [
        ("confirm", {}, {}, None),
        ("confirm", {}, {"permitted": False}, N.FORBIDDEN),
        ("confirm", {"attached": None}, {}, N.NOT_LIVE),
        ("confirm", {}, {"attached_here": False}, N.NOT_LIVE),
        ("confirm", {"attached": None}, {"channel": "console", "attached_here": False}, None),
        ("confirm", {}, {"cell_state": "READY"}, None),
        ("confirm", {}, {"cell_state": "STOPPED"}, None),
        ("confirm", {}, {"cell_state": "OFFLINE"}, N.MODE),
        ("confirm", {}, {"cell_state": "MANUAL"}, N.MODE),
        ("confirm", {}, {"cell_state": "EXECUTING"}, N.BUSY),
        ("confirm", {}, {"cell_state": "STOPPING"}, N.BUSY),
        ("confirm", {"confirm": False}, {"cell_state": "LOCKED_OUT"}, None),
        ("release_stop", {}, {"cell_state": "STOPPED"}, None),
        ("release_stop", {}, {"cell_state": "READY"}, N.NOT_STOPPED),
        ("release_stop", {}, {"cell_state": "LOCKED_OUT"}, N.LOCKED_OUT),
        ("ask", {}, {"cell_state": "LOCKED_OUT"}, None),
        ("ask", {}, {"epoch": 1}, None),
        ("ask", {"epoch": 1741}, {}, N.STALE_EPOCH),
        ("ask", {"ttl_ms": 1}, {"now": NOW + timedelta(milliseconds=1)}, None),
        ("ask", {"ttl_ms": 1}, {"now": NOW + timedelta(milliseconds=2)}, N.EXPIRED),
        ("ask", {}, {"now": NOW - timedelta(seconds=5)}, None),
        ("ask", {}, {"now": NOW - timedelta(seconds=6)}, N.CLOCK),
        ("ask", {"issued_at": "0001-01-01T00:00:00Z"}, {}, N.EXPIRED),
        ("ask", {"issued_at": "9999-12-31T23:59:59Z"}, {}, N.CLOCK),
    ],
)
def test_table(name: str, changes: dict[str, Any], facts: dict[str, Any], expected: RejectionName | None) -> None:
    answer = accept(request(name, **changes), replace(GOOD, **facts))
    if expected is None:
        assert isinstance(answer, Accepted)
    else:
        assert isinstance(answer, Rejection)
        assert answer.name is expected


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, None),
        ({"now": NOW + timedelta(seconds=6)}, N.EXPIRED),
        ({"role": None}, N.FORBIDDEN),
        ({"attached_here": False}, N.NOT_LIVE),
        ({"epoch": 1743}, N.STALE_EPOCH),
        ({"retained": True, "first_state": "RUNNING", "within_rate": False}, None),
    ],
)
def test_again_before_dispatch(facts: dict[str, Any], expected: RejectionName | None) -> None:
    answer = accept_again(CONFIRM, replace(GOOD, **facts))
    assert (answer.name if isinstance(answer, Rejection) else None) is expected


def test_a_request_without_an_epoch_never_reaches_a_dispatch() -> None:
    answer = accept_again(request("ask"), GOOD)
    assert isinstance(answer, Rejection)
    assert answer.name is N.STALE_EPOCH
