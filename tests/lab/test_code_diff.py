"""The page that is handed in says what was changed in the program, and says so where nobody could look."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from edge_agent.lab.code_diff import code_diff
from edge_agent.lab.hand_in import hand_in


def git(at: Path, *words: str) -> None:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    subprocess.run(("git", "-C", str(at), *who, *words), check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init")
    package = tmp_path / "edge_agent"
    package.mkdir()
    (package / "retry.py").write_text("ATTEMPTS = 1\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "first")
    return tmp_path


def test_no_change_is_an_empty_diff(repository: Path) -> None:
    (repository / "lab-work.toml").write_text("of the class")
    assert code_diff(repository) == ""


def test_a_changed_file_and_a_new_one_are_seen(repository: Path) -> None:
    (repository / "edge_agent" / "retry.py").write_text("ATTEMPTS = 99\n")
    (repository / "edge_agent" / "more.py").write_text("")
    told = code_diff(repository)
    assert told is not None
    assert "+ATTEMPTS = 99" in told
    assert "edge_agent/more.py" in told


def test_outside_a_repository_nobody_can_look(tmp_path: Path) -> None:
    assert code_diff(tmp_path) is None


@pytest.mark.parametrize(
    ("code", "told"), [(None, "not looked at"), ("", "no code was changed"), ("+x", "<pre>+x</pre>")]
)
def test_the_page_says_which_of_the_three_it_was(code: str | None, told: str, tmp_path: Path) -> None:
    assert told in hand_in(tmp_path, {}, "en", code=code)
