"""pytest and the command collect the same lines of the same files, and judge them alike."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from edge_agent.cases.files import read_paths
from edge_agent.places import Place, packaged

GOOD = {"id": "good", "text": "查一下 glass 的分拣规则", "case": "X", "expected": "ANSWER", "why": "x"}
WRONG = {"id": "wrong", "text": "what is the rule for glass", "case": "X", "expected": "LOCKOUT", "why": "x"}
READ = {"id": "read", "text": "bin 2", "disposition": "CLARIFY"}
READ_WRONG = {"id": "read-wrong", "text": "bin 2", "disposition": "STOP"}
ALONE = ("-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-o", "addopts=")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The plugin takes case files from folders of this name alone."""
    at = tmp_path / "labeled_cases"
    at.mkdir()
    return at


def python(*words: str, at: Path) -> tuple[int, str]:
    done = subprocess.run((sys.executable, "-m", *words), cwd=at, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_pytest_collects_every_line_that_the_command_runs() -> None:
    folder = packaged(Place.CASES)
    status, out = python("pytest", *ALONE, "--collect-only", str(folder), at=folder.parent)
    assert status == 0, out[-2_000:]
    collected = [line.rsplit("::", 1)[1] for line in out.splitlines() if "::" in line]
    assert sorted(collected) == sorted(placed.id for placed in read_paths([folder]))


@pytest.mark.net
def test_they_judge_alike(folder: Path) -> None:
    lines = (GOOD, WRONG, READ, READ_WRONG)
    (folder / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    by_pytest, told = python("pytest", *ALONE, "-rA", "a.jsonl", at=folder)
    by_command, _ = python("edge_agent", "cases", "run", "a.jsonl", "--json", "r.json", at=folder)
    assert by_pytest == by_command == 1
    passed = set(re.findall(r"^PASSED .*::(\S+)", told, re.MULTILINE))
    failed = set(re.findall(r"^FAILED .*::(\S+)", told, re.MULTILINE))
    cases = json.loads((folder / "r.json").read_text("utf-8"))["cases"]
    assert passed == {case["id"] for case in cases if case["passed"]} == {"good", "read"}
    assert failed == {case["id"] for case in cases if not case["passed"]} == {"wrong", "read-wrong"}


def test_a_line_that_cannot_be_used_is_named_by_both(folder: Path) -> None:
    (folder / "a.jsonl").write_text(json.dumps(GOOD) + "\n" + json.dumps(GOOD | {"faults": ["gremlin"]}) + "\n")
    by_pytest, told = python("pytest", *ALONE, "a.jsonl", at=folder)
    by_command, said = python("edge_agent", "cases", "run", "a.jsonl", at=folder)
    assert by_pytest != 0
    assert by_command == 2
    for out in (told, said):
        assert re.search(r"a\.jsonl:2: (faults|id)", out), out
