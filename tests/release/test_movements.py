"""How a motion or a stop ended; done is said for a verified command alone."""

from __future__ import annotations

import pytest

from edge_agent.messages.codes import ErrorCode
from edge_agent.messages.states import CommandStateWord
from tests.release.speaker import TRACES, words


@pytest.mark.parametrize(
    ("state", "code", "locked", "holds", "steps"),
    [
        ("VERIFIED", None, False, ["has done", "40 ms"], 0),
        ("ABORTED", ErrorCode.DEVICE_FAULT, True, ["broke off", "locked out", "Intended:", "Read back:"], 3),
        ("UNKNOWN", ErrorCode.RECEIPT_MISSING, True, ["not known", "no receipt", "not sent again"], 3),
        ("ABORTED", None, False, ["broke off", "release the stop"], 3),
    ],
)
def test_how_a_motion_ended(
    state: CommandStateWord, code: ErrorCode | None, locked: bool, holds: list[str], steps: int
) -> None:
    said = words("en").motion(
        TRACES,
        command_id=5,
        command_state=state,
        action="home",
        device="arm_01",
        frames_on_wire=1,
        intended={"bin": "2", "nothing": None},
        end_state={"bin": "3"},
        code=code,
        duration_ms=40,
        locked_out=locked,
    )
    assert all(part in said.text for part in holds)
    assert len(said.next_steps) == steps
    assert (said.error is None) == (code is None)


def test_done_is_said_for_a_verified_command_alone() -> None:
    states: tuple[CommandStateWord, ...] = ("ABORTED", "UNKNOWN")
    for state in states:
        said = words("en").motion(
            TRACES,
            command_id=5,
            command_state=state,
            action="home",
            device="arm_01",
            frames_on_wire=1,
        )
        assert "done" not in said.text


@pytest.mark.parametrize(
    ("proved", "sent", "holds"),
    [
        (True, True, ["Stopped", "Command 5", "release_stop"]),
        (False, True, ["nothing proves", "locked out"]),
        (False, False, ["did not reach", "wired stop"]),
    ],
)
def test_how_a_stop_ended(proved: bool, sent: bool, holds: list[str]) -> None:
    state: CommandStateWord = "ABORTED" if proved else "UNKNOWN"
    said = words("en").stop(TRACES, proved=proved, sent=sent, command_id=5, command_state=state, end_state={"bin": "2"})
    assert all(part in said.text for part in holds)
    assert said.proved is proved


@pytest.mark.parametrize("state", ["VERIFIED", "REJECTED", "CANCELLED"])
def test_a_stop_tells_no_end_of_a_command_that_ended_by_itself(state: CommandStateWord) -> None:
    said = words("en").stop(TRACES, proved=True, command_id=5, command_state=state)
    assert "Command 5" not in said.text
