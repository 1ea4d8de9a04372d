"""The conversation and its one open question, folded from events as they come, twice or out of order."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from edge_agent.hmi.talk import MAX_EXCHANGES, Talk
from edge_agent.messages.encode import encode
from edge_agent.messages.event import Event, parse_event
from edge_agent.messages.examples import EVENT_EXAMPLES
from edge_agent.messages.prompt import Clarification, Confirmation
from edge_agent.messages.strict_json import loads

AT = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


def event(name: str, **changes: Any) -> Event:
    return parse_event(json.dumps(EVENT_EXAMPLES[name] | changes, ensure_ascii=False).encode())


def prompt(**changes: Any) -> Confirmation:
    body = event("content.confirmation", **changes).body
    assert isinstance(body, Confirmation)
    return body


def test_one_run_is_one_exchange() -> None:
    talk = Talk()
    for name, seq in (("metadata", 0), ("status", 1), ("content.answer", 2), ("done", 3)):
        talk.hear(event(name, seq=seq), 0.0)
    (exchange,) = talk.exchanges()
    assert exchange.read_as == "QUERY_RULE"
    assert [s.phase for s in exchange.phases] == ["RETRYING"]
    assert exchange.content is not None
    assert exchange.content.kind == "answer"
    assert exchange.ended


def test_an_event_that_comes_twice_is_folded_once() -> None:
    talk = Talk()
    for _ in range(3):
        talk.hear(event("status", seq=1), 0.0)
    talk.hear(event("content.answer", seq=2), 0.0)
    assert [(len(e.phases), e.changes) for e in talk.exchanges()] == [(1, 2)]


@pytest.mark.parametrize("name", ["content.session", "content.history", "content.timeline", "content.done_ack"])
def test_what_a_page_asks_on_its_own_account_is_no_conversation(name: str) -> None:
    talk = Talk()
    talk.hear(event(name, seq=2), 0.0)
    assert talk.exchanges() == []


def test_what_was_pressed_here_is_shown_whatever_comes_of_it() -> None:
    talk = Talk()
    talk.begin(EVENT_EXAMPLES["done"]["run"], "cancel", "", AT)
    talk.hear(event("content.done_ack", seq=2), 0.0)
    assert len(talk.exchanges()) == 1


def test_a_run_put_aside_stays_aside() -> None:
    talk = Talk()
    talk.hear(event("failure", seq=2), 0.0)
    talk.put_aside(EVENT_EXAMPLES["failure"]["run"])
    talk.hear(event("done", seq=3), 0.0)
    assert talk.exchanges() == []


def test_only_so_much_is_kept() -> None:
    talk = Talk()
    for number in range(MAX_EXCHANGES + 5):
        talk.begin(f"run-{number}", "ask", "x", AT)
    assert talk.exchanges()[0].run == "run-5"
    assert len(talk.exchanges()) == MAX_EXCHANGES


def test_what_is_heard_after_all_is_heard() -> None:
    talk = Talk()
    run = EVENT_EXAMPLES["done"]["run"]
    talk.begin(run, "ask", "x", AT)
    talk.lose(run, "agent_gone")
    assert talk.exchanges()[0].ended
    talk.hear(event("content.answer", seq=2), 0.0)
    assert not talk.exchanges()[0].ended


def test_a_question_is_open_until_its_time_is_over() -> None:
    talk = Talk()
    talk.hear(event("content.confirmation"), 100.0)
    assert talk.open_prompt(129.9) is not None
    assert talk.open_prompt(130.0) is None
    assert talk.asked is not None
    assert talk.asked.end == "expired"


@pytest.mark.parametrize("waiting_first", [True, False], ids=["state before question", "question before state"])
def test_a_question_is_void_when_the_cell_no_longer_waits(waiting_first: bool) -> None:
    talk = Talk()
    talk.cell_is("AWAITING_CONFIRMATION" if waiting_first else "READY", 1.0)
    talk.hear(event("content.confirmation"), 0.0)
    talk.cell_is("AWAITING_CONFIRMATION", 1.0)
    assert talk.open_prompt(1.0) is not None
    talk.cell_is("STOPPING", 1.0)
    assert talk.open_prompt(1.0) is None
    assert talk.asked is not None
    assert talk.asked.end == "void"


def test_a_question_that_came_before_the_cell_was_seen_waiting_stays_open() -> None:
    talk = Talk()
    talk.hear(event("content.confirmation"), 0.0)
    talk.cell_is("READY", 1.0)
    assert talk.open_prompt(1.0) is not None


def test_a_clarification_does_not_rest_on_the_cell() -> None:
    talk = Talk()
    talk.hear(event("content.clarification"), 0.0)
    talk.cell_is("AWAITING_CONFIRMATION", 1.0)
    talk.cell_is("EXECUTING", 1.0)
    assert talk.open_prompt(1.0) is not None


def test_the_agents_own_word_brings_a_question_back_with_the_seconds_left() -> None:
    talk = Talk()
    talk.open_are([prompt(expires_in_s=7.0)], 50.0)
    asked = talk.open_prompt(56.9)
    assert asked is not None
    assert asked.until_s == 57.0


def test_an_older_word_lengthens_nothing() -> None:
    talk = Talk()
    talk.open_are([prompt(expires_in_s=7.0)], 50.0)
    talk.open_are([prompt(expires_in_s=30.0)], 50.0)
    assert talk.open_prompt(57.0) is None


@pytest.mark.parametrize(("at_s", "end"), [(10.0, "void"), (29.0, "expired"), (31.0, "expired")])
def test_what_the_agent_does_not_name_is_over(at_s: float, end: str) -> None:
    talk = Talk()
    talk.hear(event("content.confirmation"), 0.0)
    talk.open_are([], at_s)
    assert talk.asked is not None
    assert talk.asked.end == end


def test_a_question_that_is_over_is_brought_back_by_nothing() -> None:
    talk = Talk()
    talk.hear(event("content.confirmation"), 0.0)
    assert talk.take(prompt().prompt_id)
    talk.open_are([prompt()], 1.0)
    assert talk.open_prompt(1.0) is None


def test_a_new_question_closes_the_one_before() -> None:
    talk = Talk()
    talk.hear(event("content.confirmation"), 0.0)
    talk.hear(event("content.clarification", run="another-run", prompt_id="another-prompt"), 1.0)
    asked = talk.open_prompt(2.0)
    assert asked is not None
    assert isinstance(asked.prompt, Clarification)
    talk.open_are([prompt()], 2.0)
    assert talk.open_prompt(2.0) is None


def test_a_new_life_of_the_agent_answers_no_old_question() -> None:
    talk = Talk()
    talk.hear(event("content.confirmation"), 0.0)
    talk.agent_began_anew()
    assert talk.open_prompt(1.0) is None


@pytest.mark.parametrize(("act", "still_told"), [("stop", True), ("ask", False), ("release", False)])
def test_what_became_of_a_question_is_told_until_something_new_is_asked(act: Any, still_told: bool) -> None:
    talk = Talk()
    talk.hear(event("content.confirmation"), 0.0)
    assert talk.open_prompt(40.0) is None
    talk.begin("next", act, "", AT)
    assert (talk.asked is not None) is still_told


def test_the_examples_are_events() -> None:
    """What these tests stand on."""
    told = event("content.answer")
    assert isinstance(loads(encode(told.envelope)), dict)


def test_a_question_is_taken_once_and_is_open_again_where_the_answer_did_not_leave() -> None:
    talk = Talk()
    talk.open_are([prompt()], 0.0)
    name = prompt().prompt_id
    assert not talk.take("0" * len(name)), "another question"
    assert talk.take(name)
    assert not talk.take(name), "a second press"
    talk.open_are([prompt()], 1.0)
    assert talk.open_prompt(1.0) is None, "an older message opens nothing that was answered"
    talk.give_back(name)
    assert talk.open_prompt(1.0) is not None
    assert talk.take(name)
