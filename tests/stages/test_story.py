"""Each kind of row as a sentence, in both languages; whose words it quotes stay data."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from edge_agent.messages.codes import Lang
from edge_agent.release.texts import texts
from edge_agent.run.journal import Kind, Row
from edge_agent.stages.explaining import CHAPTERS, PAGE_BYTES, cut_short, paged, printed, story

LANGS: tuple[Lang, ...] = get_args(Lang)
REQUEST = {"user": "ann", "channel": "mqtt", "request": {"type": "ask", "text": "why did t014 fail?"}}
DONE: dict[str, Any] = {
    "outcome": "FALLBACK",
    "fallback_type": "INSUFFICIENT_EVIDENCE",
    "run_state": "BUDGET_EXHAUSTED",
    "stop_reason": "BUDGET_LIMIT_REACHED",
    "termination": {"state": "FAILED", "reason": "agent_restarted", "late": ["CANCELLED"]},
    "usage": {
        "model_calls": 2,
        "tool_calls": 1,
        "tool_calls_by_name": {"task_status": 1},
        "input_tokens": 24,
        "output_tokens": 2,
        "total_tokens": 26,
        "run_bytes": 900,
    },
}
RECORD: dict[str, Any] = {
    "record": "r1",
    "tool_name": "task_status",
    "scope": "task_id=t014",
    "invocation_status": "READY",
    "evidence_status": "EVIDENCE_FOUND",
    "hits": 1,
    "attempt": 1,
    "max_attempts": 3,
    "facts": [["task_status", "t014", "code", "0601"]],
}
ROWS: list[tuple[Kind, dict[str, Any], str]] = [
    (Kind.EVENT, {"event": {"type": "status", "phase": "COLLECTING"}, "sent": True}, "phase: collecting facts"),
    (
        Kind.EVENT,
        {"event": {"type": "failure", "code": "RUN_CANCELLED", "text": "called off"}, "sent": False},
        "failure RUN_CANCELLED: called off (written down and not sent: whoever asked was gone)",
    ),
    (Kind.EVENT, {"late": "content"}, "refused, because it came after the end: content"),
    (
        Kind.TERMINAL,
        DONE,
        "FALLBACK / INSUFFICIENT_EVIDENCE: verified facts were shown, no cause. Gathering stopped by "
        "BUDGET_LIMIT_REACHED.",
    ),
    (
        Kind.TERMINATION,
        {"state": "TIMED_OUT", "reason": "deadline", "first_error": None, "late": [{"state": "CANCELLED"}]},
        "TIMED_OUT: its time was up; too late: CANCELLED",
    ),
    (Kind.REQUEST, REQUEST, 'ann over mqtt: "why did t014 fail?"'),
    (
        Kind.REQUEST,
        {"user": "ann", "channel": "console", "request": {"type": "confirm", "confirm": False}},
        "ann over console, in answer to a confirmation: no",
    ),
    (Kind.REQUEST, {"user": "ann", "channel": "mqtt", "request": {"type": "resync"}}, "ann over mqtt: resync"),
    (Kind.REJECTION, {"name": "expired", "detail": "9 s old", "user": "ann"}, "not accepted: expired (9 s old)"),
    (
        Kind.READING,
        {"intent": "DIAGNOSE", "disposition": "DIAGNOSE", "source": "rules", "reason": "k", "no_model": "none"},
        "look for the cause of a failure, so the cause is looked for; by the rules (k); model not used: none is set up",
    ),
    (
        Kind.GUARD,
        {"guard": "evidence", "draft": "repaired", "passed": False, "wrong": ["clause 1: r9", "clause 2: r8"]},
        "evidence guard, repaired draft refused: clause 1: r9; clause 2: r8",
    ),
    (
        Kind.GUARD,
        {"guard": "semantic", "by": "table", "verdict": "UNSUPPORTED", "why": "no evidence"},
        "semantic guard, judged by the cause table: UNSUPPORTED (no evidence)",
    ),
    (Kind.DRAFT, {"cause": None}, "a draft that names no cause"),
    (Kind.DRAFT, {"invalid": "SCHEMA", "sha256": "ab"}, "no legal draft (SCHEMA); its text was dropped, sha256 ab"),
    (
        Kind.PROGRESS,
        {"ending": "STOPPED", "basis": "EMPTY_SCOPES", "missing": "window", "stop_reason": None},
        "gathering ended with STOPPED, verified: EMPTY_SCOPES; the question lacked: the time window",
    ),
    (
        Kind.ATTEMPT,
        {"tool": "sorting_rules", "attempt": 1, "error.code": "TIMEOUT", "retry_decision": "retry", "detail": ""},
        "sorting rules, attempt 1 failed: TIMEOUT; tried again",
    ),
    (
        Kind.RECORD,
        RECORD | {"error": {"code": "TIMEOUT", "message": "no answer within 2 s"}, "hits": None},
        "TIMEOUT: no answer within 2 s",
    ),
    (Kind.RECORD, RECORD, "r1: task status, task_id=t014: READY / EVIDENCE_FOUND, 1 found, attempt 1 of 3, "),
    (
        Kind.MODEL_CALL,
        {
            "call": 2,
            "attempt": 1,
            "purpose": "verdict",
            "end": "MODEL_TIMEOUT",
            "ms": 6.5,
            "input_tokens": 9,
            "output_tokens": 0,
        },
        "call 2, attempt 1, to judge the cause: MODEL_TIMEOUT, 6.5 ms, 9 tokens in, 0 out",
    ),
    (Kind.FEEDBACK, {"task_id": "t001", "text": "broken"}, 'task t001: "broken"'),
    (Kind.PROMPT, {"kind": "confirmation", "prompt_id": "p1"}, "a confirmation was put (p1)"),
    (Kind.PROMPT_CLOSED, {"prompt_id": "p1", "why": "declined"}, "p1 was closed: declined"),
    (Kind.COMMAND, {"command_id": 7, "state": "JOURNALLED"}, "command 7: recorded, about to be sent"),
    (
        Kind.COMMAND,
        {"command_id": 7, "state": "UNKNOWN", "reason": "receipt_missing", "code": "RECEIPT_MISSING", "frames": 1},
        "command 7: outcome unknown, may have moved; no receipt came, RECEIPT_MISSING; motion frames: 1",
    ),
]


def row(kind: Kind, body: dict[str, Any], seq: int = 1) -> Row:
    return Row(seq, 1_772_352_000_000 + seq, 1, kind, "r1", None, body, "", "")


@pytest.mark.parametrize(("kind", "body", "told"), ROWS)
def test_a_row_is_a_sentence(kind: Kind, body: dict[str, Any], told: str) -> None:
    english, chinese = (
        next(e for e in story([row(kind, body)], texts(lang)) if e.what not in ("used", "ended")).text
        if kind is not Kind.TERMINATION
        else story([row(kind, body)], texts(lang))[0].text
        for lang in ("en", "zh")
    )
    assert told in english
    assert chinese != english


def test_every_chapter_has_its_sentence() -> None:
    assert {kind for kind, _, _ in ROWS} == {chapter.kind for chapter in CHAPTERS}


@pytest.mark.parametrize("lang", LANGS)
def test_the_order_is_that_in_which_causes_are_found(lang: Lang) -> None:
    rows = [row(kind, body, seq) for seq, (kind, body, _) in enumerate(reversed(ROWS), start=1)]
    seen = list(dict.fromkeys(entry.what for entry in story(rows, texts(lang))))
    assert seen[:3] == ["sent", "released", "ended"]
    assert seen.index("guard") < seen.index("tool") < seen.index("record") < seen.index("used")
    assert not cut_short(rows)
    told = "\n".join(printed("r1", rows, texts(lang)))
    assert "!!" not in told
    assert "900" in told


@pytest.mark.parametrize("lang", LANGS)
def test_a_run_without_an_end_says_so_before_everything_else(lang: Lang) -> None:
    rows = [row(Kind.REQUEST, REQUEST, 1), row(Kind.RECORD, RECORD, 2)]
    assert cut_short(rows)
    lines = list(printed("r1", rows, texts(lang)))
    assert [line.startswith("!!") for line in lines[:4]] == [False, True, True, False]
    (ended,) = (entry for entry in story(rows, texts(lang)) if entry.what == "ended")
    assert lines[1] == f"!! {ended.text}"


@pytest.mark.parametrize("lang", LANGS)
def test_a_run_that_is_still_going_on_is_not_called_cut_short(lang: Lang) -> None:
    rows = [row(Kind.REQUEST, REQUEST, 1)]
    (ended,) = (entry for entry in story(rows, texts(lang), going_on=True) if entry.what == "ended")
    lines = list(printed("r1", rows, texts(lang), going_on=True))
    assert ended.text == texts(lang).say("story.going_on")
    assert not any(line.startswith("!!") for line in lines)
    assert any(ended.text in line for line in lines)


def test_a_row_of_another_shape_is_told_as_it_is() -> None:
    (entry, *_) = story([row(Kind.FEEDBACK, {"task": "t1"})], texts("en"))
    assert entry.text == "task=t1"


@pytest.mark.parametrize(
    ("state", "told"), [("JOURNALLED", "may have moved"), ("SENT", "may have moved"), ("ABORTED", "had its end")]
)
def test_what_the_arm_may_have_done_is_told_first(state: str, told: str) -> None:
    rows = [row(Kind.REQUEST, REQUEST, 1), row(Kind.COMMAND, {"command_id": 7, "state": state}, 2)]
    assert told in list(printed("r1", rows, texts("en")))[1]


def test_a_page_fits_its_event_and_no_entry_is_lost() -> None:
    long = {"user": "ann", "channel": "mqtt", "request": {"type": "ask", "text": "停" * 900}}
    entries = story([row(Kind.REQUEST, long, seq) for seq in range(1, 60)], texts("zh"))
    pages = paged(entries)
    assert [entry for page in pages for entry in page] == entries
    assert len(pages) > 3
    for page in pages:
        assert len(json.dumps([e.model_dump(mode="json") for e in page], ensure_ascii=False).encode()) <= PAGE_BYTES
    short = story([row(Kind.FEEDBACK, {"task_id": "t1", "text": "x"}, seq) for seq in range(1, 60)], texts("en"))
    assert [len(page) for page in paged(short)] == [20, 20, 20]
    assert paged([]) == [[]]


def test_what_it_quotes_is_data() -> None:
    hostile = {"user": "ann", "channel": "mqtt", "request": {"type": "ask", "text": "{user}\x1b[2J\u202e" + "停" * 900}}
    (entry,) = (e for e in story([row(Kind.REQUEST, hostile)], texts("zh")) if e.what == "request")
    assert "{user}" in entry.text
    assert "\x1b" not in entry.text
    assert "\u202e" not in entry.text
    assert len(entry.text) <= 500
