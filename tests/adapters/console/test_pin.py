"""The PIN file, one check, the tries, the login's end."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from edge_agent.adapters.console.pin import BadPin, PinFileBroken, fits, read_pins, write_pin
from edge_agent.adapters.console.tries import Login, Tries


def test_a_pin_is_written_and_fits_and_no_other_does(tmp_path: Path) -> None:
    file = tmp_path / "pins"
    write_pin(file, "wang", "246810")
    write_pin(file, "li", "1357")
    pins = read_pins(file)
    assert (fits("246810", pins["wang"]), fits("1357", pins["li"])) == (True, True)
    assert [fits(pin, pins["wang"]) for pin in ("1357", "24681", "2468100", "")] == [False] * 4
    assert not fits("246810", None)


def test_the_file_is_its_owners_alone_and_holds_no_pin(tmp_path: Path) -> None:
    file = tmp_path / "pins"
    write_pin(file, "wang", "246810")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "246810" not in file.read_text()
    assert list(tmp_path.iterdir()) == [file]


def test_the_same_pin_twice_gives_different_lines(tmp_path: Path) -> None:
    file = tmp_path / "pins"
    write_pin(file, "wang", "246810")
    first = read_pins(file)["wang"]
    write_pin(file, "wang", "246810")
    assert read_pins(file)["wang"] != first
    assert len(read_pins(file)) == 1


@pytest.mark.parametrize(
    ("name", "pin"),
    [("Wang", "246810"), ("w", "246810"), ("console", "246810"), ("a:b", "246810"), ("wang", "123"), ("wang", "12a4")],
)
def test_what_cannot_be_stored_changes_nothing(name: str, pin: str, tmp_path: Path) -> None:
    file = tmp_path / "pins"
    write_pin(file, "li", "246810")
    before = file.read_text()
    with pytest.raises(BadPin) as refused:
        write_pin(file, name, pin)
    assert file.read_text() == before
    assert pin not in str(refused.value)


SALT, HASH = "00" * 16, "00" * 32


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("wang", 1),
        (f"# a comment\n\nwang:md5:16384:8:1:{SALT}:{HASH}", 3),
        (f"wang:scrypt:16384:8:1:{SALT}:{HASH}\nwang:scrypt:16384:8:1:{SALT}:{HASH}", 2),
        (f"wang:scrypt:16383:8:1:{SALT}:{HASH}", 1),
        (f"wang:scrypt:16:8:1:{SALT}:{HASH}", 1),
        (f"wang:scrypt:1073741824:8:1:{SALT}:{HASH}", 1),
        (f"wang:scrypt:16384:8:1:00:{HASH}", 1),
        (f"wang:scrypt:16384:8:1:{SALT}:00", 1),
        (f"wang:scrypt:x:8:1:{SALT}:{HASH}", 1),
        (f"console:scrypt:16384:8:1:{SALT}:{HASH}", 1),
        ("王:scrypt", 0),
        ("#" * 70_000, 0),
    ],
)
def test_a_broken_file_is_named_with_its_line(text: str, line: int, tmp_path: Path) -> None:
    file = tmp_path / "pins"
    file.write_text(text, "utf-8")
    with pytest.raises(PinFileBroken) as broken:
        read_pins(file)
    assert broken.value.line == line


def test_a_missing_file_is_broken(tmp_path: Path) -> None:
    with pytest.raises(PinFileBroken):
        read_pins(tmp_path / "pins")


@pytest.mark.parametrize(("pin", "status"), [("246810\n", 0), ("12\n", 1)])
def test_the_command_line(pin: str, status: int, tmp_path: Path) -> None:
    file = tmp_path / "pins"
    command = [sys.executable, "-m", "edge_agent.adapters.console.pin", "set", str(file), "wang"]
    done = subprocess.run(command, input=pin, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, file.exists()) == (status, status == 0)


def test_tries_run_out_lock_and_come_back() -> None:
    tries = Tries(max_tries=3, lock_s=60.0)
    assert [tries.failed(now) for now in (1.0, 2.0, 3.0)] == [False, False, True]
    assert [tries.locked_for_s(now) for now in (3.0, 62.0, 63.0)] == [60.0, 1.0, 0.0]
    assert (tries.failed(63.0), tries.left()) == (False, 2)


def test_a_right_pin_gives_all_tries_back() -> None:
    tries = Tries(max_tries=3, lock_s=60.0)
    tries.failed(1.0)
    tries.failed(2.0)
    tries.passed()
    assert (tries.left(), tries.failed(3.0)) == (3, False)


def test_a_login_lasts_from_the_last_line() -> None:
    login = Login.of("wang", idle_s=300.0, now_s=0.0)
    assert (login.over(299.0), login.over(300.0)) == (False, True)
    login.touch(250.0)
    assert (login.over(549.0), login.over(550.0)) == (False, True)
