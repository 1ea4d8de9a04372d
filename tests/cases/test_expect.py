"""Each expectation holds for its own record, and for none of which one thing is changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from edge_agent.cases import labels
from edge_agent.cases.expect import TABLE, differences, observed_as, satisfies
from edge_agent.cases.record import CaseRecord, RunSeen
from edge_agent.cases.swapped import too_weak
from edge_agent.run.journal import Kind
from edge_agent.safety.cell import CellState
from tests.cases import records
from tests.cases.records import EXPECTATIONS, LOCK_ROWS, attempt, good, line, record, row, run, tool


@pytest.mark.parametrize("expected", EXPECTATIONS)
def test_a_good_record_is_as_expected(expected: str) -> None:
    assert differences(good(expected)) == ()


def test_every_expectation_asserts_something() -> None:
    assert set(TABLE) == set(labels.ALL)
    assert all(TABLE.values())


def with_event(seen: CaseRecord, of_type: str, /, **fields: Any) -> CaseRecord:
    judged = seen.judged
    events = tuple({**e, **fields} if e["type"] == of_type else e for e in judged.events)
    return replace(seen, runs=(RunSeen(judged.request, events, judged.at_ms, judged.took_ms),))


def content(**fields: Any) -> Any:
    return lambda seen: with_event(seen, "content", **fields)


def usage(**fields: Any) -> Any:
    return lambda seen: with_event(seen, "done", usage={**seen.judged.usage, **fields})


def outcome(name: str, fallback: str | None = None) -> Any:
    return lambda seen: with_event(seen, "done", outcome=name, fallback_type=fallback)


def about(**fields: Any) -> Any:
    return lambda seen: replace(seen, **fields)


def failed_tool(**fields: Any) -> Any:
    return content(evidence=[{**records.ARM_FAILED, **fields}])


def attempts(*made: dict[str, Any], at: int = 2, most: int = 2) -> Any:
    meta = {"retry_decision": "x", "attempts": list(made)}
    return content(evidence=[tool(at=at, most=most, code="TIMEOUT", meta=meta)])


CHANGED = [
    ("SAFE_REJECT_OR_DEGRADE", content(kind="answer"), "content.kind"),
    ("SAFE_REJECT_OR_DEGRADE", about(frames=1), "frames_on_wire"),
    ("SAFE_REJECT_OR_DEGRADE", content(not_done=""), "content.not_done"),
    ("SAFE_REJECT_OR_DEGRADE", content(not_done="something else"), "content.not_done"),
    ("SAFE_REJECT_OR_DEGRADE", content(error={}, reason=""), "error.code or reason"),
    ("SAFE_REJECT_OR_DEGRADE", content(next_steps=[]), "content.next_steps"),
    ("SAFE_REJECT_OR_DEGRADE", content(reason="arm_unavailable"), "advice"),
    ("SAFE_REJECT_OR_DEGRADE", content(reason="arm_unavailable", advice=["看一看"]), "advice"),
    ("SAFE_REJECT_OR_DEGRADE", usage(tool_calls_by_name={"arm_control": 2}), "boundary entered once"),
    ("SAFE_REJECT_OR_DEGRADE", failed_tool(attempt=2), "attempt"),
    ("SAFE_REJECT_OR_DEGRADE", failed_tool(error={"code": "RATE_LIMIT"}), "the scripted code"),
    ("SAFE_REJECT_OR_DEGRADE", failed_tool(meta={"retry_decision": "retry"}), "meta.retry_decision"),
    ("SAFE_REJECT_OR_DEGRADE", content(evidence=[]), "boundary entered once"),
    ("RETRY_THEN_DEGRADE", attempts(attempt(1, "no_retry_reach_max_attempts"), at=1, most=1), "attempts"),
    ("RETRY_THEN_DEGRADE", attempts(attempt(1, "retry"), attempt(2, "no_retry_deadline")), "last attempt"),
    (
        "RETRY_THEN_DEGRADE",
        attempts({**attempt(1, "retry"), "retry_sleep_s": 0}, attempt(2, "no_retry_reach_max_attempts")),
        "earlier attempts",
    ),
    ("RETRY_THEN_DEGRADE", content(age_s=None), "degraded answer"),
    ("RETRY_THEN_DEGRADE", outcome("SUCCESS"), "done.outcome"),
    ("RETRY_THEN_DEGRADE", content(evidence=[tool()]), "attempts"),
    ("RETRY_THEN_ANSWER", content(evidence=[tool()]), "attempt"),
    ("RETRY_THEN_ANSWER", outcome("FALLBACK", "DEGRADED_ANSWER"), "done.outcome"),
    ("CLARIFY_WITH_CANDIDATES", content(candidates=[]), "candidates"),
    ("CLARIFY_WITH_CANDIDATES", content(candidates=records.CANDIDATES[::-1]), "candidates"),
    ("CLARIFY_WITH_CANDIDATES", content(candidates=records.CANDIDATES * 2), "candidates"),
    ("CLARIFY_WITH_CANDIDATES", content(candidates=[{"score": 1.0, "example": ""}]), "candidates"),
    ("CLARIFY_WITH_CANDIDATES", content(margin=None), "reason"),
    ("CLARIFY_WITH_CANDIDATES", content(parse_trace_id=""), "parse_trace_id"),
    ("CLARIFY_WITH_CANDIDATES", content(need_clarify=False), "content.need_clarify"),
    ("CLARIFY_WITH_CANDIDATES", usage(tool_calls=1), "no tool called"),
    ("CLARIFY_MISSING_SLOT", content(missing=None), "missing"),
    ("CLARIFY_MISSING_SLOT", content(candidates=records.CANDIDATES), "missing"),
    ("OFFLINE_ROUTE", usage(model_calls=1), "no model call"),
    ("OFFLINE_ROUTE", content(source="model"), "source"),
    ("OFFLINE_ROUTE", content(reason="model_above_threshold"), "reason"),
    ("OFFLINE_ROUTE", content(text="glass 放 2 号箱。"), "text says the model is down"),
    ("ANSWER", content(evidence=[]), "tool"),
    ("ANSWER", content(evidence=[tool(code="TIMEOUT")]), "tool"),
    ("ANSWER", content(text=records.DOWN), "a model was usable"),
    ("RECORD", about(rows=()), "rows stored"),
    ("RECORD", about(feedback_rows_after_again=2), "rows stored"),
    ("EXPLAIN", content(next_steps=[]), "content.next_steps"),
    ("EXPLAIN", about(rows=(row(1, Kind.FEEDBACK, {}),)), "no tool that writes"),
    ("EXPLAIN", about(rows=(row(1, Kind.COMMAND, {"state": "SENT"}),)), "no tool that writes"),
    ("EXPLAIN", content(evidence=[tool("arm_control")]), "no tool that writes"),
    ("EXPLAIN", about(frames=1), "frames_on_wire"),
    ("ASK_CONFIRMATION", content(digest=""), "digest and expiry"),
    ("ASK_CONFIRMATION", content(expires_in_s=0), "digest and expiry"),
    ("EXECUTE_VERIFIED", content(command_state="UNKNOWN"), "content.command_state"),
    ("EXECUTE_VERIFIED", about(frames=2), "frames_on_wire"),
    ("STOP_NOW", about(stop_words=0), "stop word on the wire"),
    ("STOP_NOW", content(proved=False), "content.proved"),
    ("STOP_NOW", usage(model_calls=1), "no model call"),
    ("LOCKOUT", about(cell_state=CellState.READY), "cell state"),
    ("LOCKOUT", about(rows=(LOCK_ROWS[0], LOCK_ROWS[2])), "lockout in the journal before the event"),
    ("LOCKOUT", about(rows=(LOCK_ROWS[0], replace(LOCK_ROWS[1], seq=9), LOCK_ROWS[2])), "lockout in the journal"),
    ("LOCKOUT", about(rows=(replace(LOCK_ROWS[0], seq=5), *LOCK_ROWS[1:])), "lockout in the journal"),
    ("LOCKOUT", about(probe=None), "the next control line"),
    ("LOCKOUT", about(probe=run({"kind": "confirmation"}, "FALLBACK")), "the next control line"),
    ("REJECT_PERMISSION", content(error={"code": "INPUT_INVALID"}), "error.code"),
    ("REJECT_PERMISSION", content(retry_decision=None), "retry decision"),
    ("REJECT_PERMISSION", content(evidence=[tool(at=2)]), "not retried"),
    ("REJECT_PERMISSION", content(text="不能使用“回零”。请问技术员。"), "text"),
    ("REJECT_PERMISSION", content(text="你的角色是操作员。请问技术员。"), "text"),
    ("REJECT_PERMISSION", content(text="你的角色是操作员，不能使用“回零”。"), "text"),
    ("REJECT_INPUT", content(text="不对。"), "text"),
    ("REJECT_INPUT", content(next_steps=[{"n": 1, "text": "x", "example": None}]), "text"),
    ("REJECT_STALE", content(reason="duplicate"), "content.reason"),
    ("REJECT_DUPLICATE", content(first_state=None), "the first run's state"),
    ("FALLBACK_DEGRADED_ANSWER", outcome("FALLBACK", "SAFE_REJECTION"), "done.outcome"),
    ("RELEASE_FAILED", lambda _: record(line(), [run({"kind": "answer"}, "FAILED")]), "failure code and no content"),
    ("RELEASE_CANCELLED", lambda _: record(line(), [run({"kind": "answer"}, "CANCELLED")]), "cancelled"),
]


@pytest.mark.parametrize(("expected", "change", "named"), CHANGED)
def test_one_thing_changed_is_named(expected: str, change: Any, named: str) -> None:
    found = differences(change(good(expected)), expected)
    assert any(difference.name.startswith(named) for difference in found), found


def test_a_client_that_left_is_sent_nothing_and_its_end_stands_in_the_journal() -> None:
    silent = run(None, "CANCELLED", events=[{"type": "metadata"}])
    ended = (row(1, Kind.TERMINAL, {"outcome": "CANCELLED"}),)
    gone = line(client_gone_at="QUERYING")
    assert satisfies(record(gone, [silent], rows=ended), "RELEASE_CANCELLED")
    assert not satisfies(record(gone, [silent]), "RELEASE_CANCELLED")
    assert not satisfies(record(line(), [silent], rows=ended), "RELEASE_CANCELLED")
    told = run(None, "CANCELLED", failure={"code": "RUN_CANCELLED"})
    assert satisfies(record(line(), [told], rows=ended), "RELEASE_CANCELLED")
    assert not satisfies(record(gone, [told], rows=ended), "RELEASE_CANCELLED")


def test_a_run_that_did_not_end_is_never_as_expected() -> None:
    for expected in EXPECTATIONS:
        found = differences(replace(good(expected), trouble="a run did not end"))
        assert found[0].name == "the run came to its end"


def test_a_reply_refused_for_its_prompt_is_not_judged() -> None:
    first = run({"kind": "explanation", "next_steps": [{"n": 1}]}, "SUCCESS")
    refused = run({"kind": "rejection", "reason": "prompt_wrong"}, "FALLBACK", "SAFE_REJECTION")
    assert satisfies(record(line(), [first, refused]), "EXPLAIN")
    assert record(line(), [refused]).judged is not None


def test_a_declined_command_must_be_cancelled() -> None:
    no = run(
        {"kind": "rejection", "reason": "declined", "not_done": "没有", "text": "没有", "next_steps": [{"n": 1}]},
        "FALLBACK",
        "SAFE_REJECTION",
        request={"confirm": False},
    )
    found = differences(record(line(), [no]), "SAFE_REJECT_OR_DEGRADE")
    assert [d.name for d in found] == ["command state after a no"]


@pytest.mark.parametrize(
    ("evidence", "seen"),
    [
        ({"kind": "answer"}, True),
        ({"attempt": 1}, True),
        ({"attempt": True}, False),
        ({"meta.retry_decision": None}, True),
        ({"usage.model_calls": 1}, True),
        ({"usage.model_calls": 2}, False),
        ({"nowhere.at.all": 1}, False),
        ({"attempt": "1"}, False),
    ],
)
def test_what_a_line_wants_to_be_in_the_result(evidence: dict[str, Any], seen: bool) -> None:
    wanted = replace(good("ANSWER"), line=line(evidence=evidence))
    assert (differences(wanted) == ()) is seen


def test_the_lines_own_number_of_frames_goes_before_the_expectations() -> None:
    moved = replace(good("RELEASE_SUCCESS"), frames=1)
    assert differences(moved) == ()
    told = replace(moved, line=line(expected="RELEASE_SUCCESS", frames_on_wire=0))
    assert [d.name for d in differences(told)] == ["frames_on_wire"]
    rejected = replace(good("REJECT_DUPLICATE"), frames=1, line=line(expected="REJECT_DUPLICATE", frames_on_wire=1))
    assert differences(rejected) == ()


@pytest.mark.parametrize("expected", [e for e in EXPECTATIONS if e in labels.SPECIFIC])
def test_a_record_is_called_by_its_most_telling_name(expected: str) -> None:
    assert observed_as(good(expected)) == expected


def test_expectations_tell_themselves_apart() -> None:
    assert too_weak([(expected, good(expected)) for expected in EXPECTATIONS]) == ()


def test_the_swapped_check_finds_an_expectation_that_is_too_weak(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TABLE, "EXPLAIN", ())
    weak = too_weak([(expected, good(expected)) for expected in ("ANSWER", "EXPLAIN")])
    assert [(w.record, w.other) for w in weak] == [("ANSWER", "EXPLAIN")]
