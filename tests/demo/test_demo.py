"""The demo as a newcomer meets it: its last lines are typed as they stand, and however it is ended it ends in order."""

from __future__ import annotations

import shlex
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.demo.terminal import Terminal, terminal

pytestmark = [pytest.mark.net, pytest.mark.timeout(400)]

MID_PLAY = "3/10"
STAYS = "http://127.0.0.1:"
KEY_S = 0.03
WORD = "resolve COMMAND_ID did|didnt REASON"


@pytest.fixture
def demo() -> Iterator[Terminal]:
    with terminal(sys.executable, "-m", "edge_agent", "demo", "--lang", "en", MODEL="none") as shown:
        yield shown


def test_its_last_lines_work_as_they_stand_and_ctrl_c_ends_it_all(demo: Terminal) -> None:
    shown = demo.until(STAYS)
    assert "10 of 10 steps came out right" in shown, shown
    for program in ("picocom ", "pyserial-miniterm "):
        assert program in shown
    _open_the_console(shown)
    demo.type("\x03")
    assert demo.ended() == 0, demo.shown
    assert "Ending" in demo.shown
    _ended_in_order(demo)


def test_ctrl_c_in_the_middle_is_told_by_the_exit_code(demo: Terminal) -> None:
    demo.until(MID_PLAY)
    demo.type("\x03")
    assert demo.ended() == 128 + signal.SIGINT
    _ended_in_order(demo)


def test_a_polite_kill_ends_it_in_order(demo: Terminal) -> None:
    demo.until(MID_PLAY)
    demo.process.terminate()
    assert demo.ended() == 128 + signal.SIGTERM
    _ended_in_order(demo)


def test_a_closed_window_ends_it_in_order(demo: Terminal) -> None:
    demo.until(MID_PLAY)
    demo.close()
    assert demo.ended() == 128 + signal.SIGHUP
    _ended_in_order(demo)


def test_nothing_outlives_a_demo_that_was_killed(demo: Terminal) -> None:
    demo.until(STAYS)
    demo.process.kill()
    demo.process.wait()
    _is_gone(demo)


def _open_the_console(shown: str) -> None:
    """By the very line that was printed; the console's answers must come whole, not shared with anybody."""
    line = next(each.strip() for each in shown.splitlines() if "pyserial-miniterm" in each)
    program, *rest = shlex.split(line)
    beside = Path(sys.executable).with_name(Path(program).name)
    with terminal(str(beside), *rest) as console:
        console.until("Quit")
        for typed, answered in (("help", WORD), ("login tech1", "PIN"), ("2468", "Logged in: tech1")):
            for key in f"{typed}\r":
                console.type(key)
                time.sleep(KEY_S)
            console.until(answered)
        assert "  help           this list" in console.shown


def _ended_in_order(demo: Terminal) -> None:
    assert "Traceback" not in demo.shown
    assert "Exception" not in demo.shown
    assert demo.left() == []
    assert list(demo.folder.iterdir()) == [], "its folders were taken away"


def _is_gone(demo: Terminal) -> None:
    until_s = time.monotonic() + 60.0
    while demo.left() and time.monotonic() < until_s:
        time.sleep(0.2)
    assert demo.left() == []
