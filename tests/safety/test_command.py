"""A command ends once; what belongs nowhere changes nothing."""

from __future__ import annotations

import pytest

from edge_agent.safety.command import (
    FINAL,
    MAY_HAVE_MOVED_WITHOUT_END,
    OPEN,
    TABLE,
    CommandEvent,
    CommandState,
    after,
)

S, E = CommandState, CommandEvent


@pytest.mark.parametrize("event", CommandEvent)
@pytest.mark.parametrize("state", sorted(FINAL))
def test_an_end_is_final(state: CommandState, event: CommandEvent) -> None:
    assert after(state, event) is None


def test_open_and_final_are_all() -> None:
    assert set(CommandState) == OPEN | FINAL
    assert not OPEN & FINAL
    assert OPEN - {S.PROPOSED, S.AWAITING_CONFIRMATION} == MAY_HAVE_MOVED_WITHOUT_END


def test_what_may_have_moved_can_always_end_unknown() -> None:
    assert {state for state in CommandState if after(state, E.LOSE) is S.UNKNOWN} == MAY_HAVE_MOVED_WITHOUT_END


def test_what_may_have_been_written_is_not_cancelled() -> None:
    cancellable = {state for state in CommandState if after(state, E.CANCEL) is S.CANCELLED}
    assert cancellable == {S.PROPOSED, S.AWAITING_CONFIRMATION, S.JOURNALLED}, "only what no byte was sent of"
    assert {state for state in CommandState if after(state, E.VOID)} == {S.PROPOSED, S.AWAITING_CONFIRMATION}


@pytest.mark.parametrize(
    ("events", "end"),
    [
        ((E.PROMPT, E.STORE, E.SEND, E.ACCEPT, E.ACCEPT, E.VERIFY), S.VERIFIED),
        ((E.STORE, E.SEND, E.VERIFY), S.VERIFIED),
        ((E.PROMPT, E.EXPIRE), S.EXPIRED),
        ((E.PROMPT, E.STORE, E.REJECT), S.REJECTED),
        ((E.PROMPT, E.STORE, E.SEND, E.ACCEPT, E.REJECT), S.REJECTED),
        ((E.PROMPT, E.STORE, E.SEND, E.ACCEPT, E.ABORT), S.ABORTED),
    ],
)
def test_ways(events: tuple[CommandEvent, ...], end: CommandState) -> None:
    state = S.PROPOSED
    for event in events:
        following = after(state, event)
        assert following is not None, (state, event)
        state = following
    assert state is end


def test_what_executes_was_not_refused() -> None:
    assert (S.EXECUTING, E.REJECT) not in TABLE
    assert (S.JOURNALLED, E.VERIFY) not in TABLE, "nothing is verified that was not sent"
