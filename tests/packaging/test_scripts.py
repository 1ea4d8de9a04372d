"""The two scripts around `make`: Debian packages, and the table of parts. Both with a world of stand-ins."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from edge_agent.places import checkout

ROOT = checkout() or Path()
BASH = shutil.which("bash") or "/bin/bash"


def stand_in(folder: Path, name: str, script: str) -> None:
    file = folder / name
    file.write_text(f"#!{BASH}\n{script}\n", encoding="utf-8")
    file.chmod(0o755)


def run(script: str, *arguments: str, path: str) -> subprocess.CompletedProcess[str]:
    """`script` of .ci, with no programs but those of `path` (and of sbin, which it adds itself)."""
    command = [BASH, str(ROOT / ".ci" / script), *arguments]
    return subprocess.run(command, env={"PATH": path}, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A Debian without a compiler and without serial tools; what apt-get is told is written down."""
    (tmp_path / "env").symlink_to(shutil.which("env") or "/usr/bin/env")
    stand_in(tmp_path, "apt-get", f'echo "$@" >>{tmp_path}/told')
    return tmp_path


def test_root_installs_what_is_missing(machine: Path) -> None:
    stand_in(machine, "id", "echo 0")
    done = run("debian", "broker", "compiler", path=str(machine))
    assert done.returncode == 0, done.stderr
    told = (machine / "told").read_text(encoding="utf-8")
    assert "install -y" in told
    assert {"socat", "mosquitto-clients", "build-essential"} <= set(told.split())


def test_empty_package_lists_are_fetched_once(machine: Path) -> None:
    stand_in(machine, "id", "echo 0")
    stand_in(
        machine,
        "apt-get",
        f'echo "$@" >>{machine}/told; case "$*" in *update*) : >{machine}/fresh;; esac; [ -e {machine}/fresh ]',
    )
    assert run("debian", "compiler", path=str(machine)).returncode == 0
    told = (machine / "told").read_text(encoding="utf-8").splitlines()
    assert [("install" in line, "update" in line) for line in told] == [(True, False), (False, True), (True, False)]


def test_who_may_not_is_told_what_to_type(machine: Path) -> None:
    stand_in(machine, "id", "echo 1000")
    stand_in(machine, "sudo", "exit 1")
    done = run("debian", "compiler", path=str(machine))
    assert done.returncode == 1
    assert "sudo apt-get install -y build-essential" in done.stderr
    assert not (machine / "told").exists()


def test_elsewhere_nothing_is_tried(tmp_path: Path) -> None:
    done = run("debian", "compiler", path=str(tmp_path))
    assert done.returncode == 1
    assert "no Debian" in done.stderr


def test_a_complete_machine_is_left_alone(machine: Path) -> None:
    stand_in(machine, "g++", "")
    done = run("debian", "compiler", path=str(machine))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(("middle", "status", "end"), [("true", 0, "ok"), ("exit 3", 1, "FAILED (3)")])
def test_a_failed_part_hides_no_other(middle: str, status: int, end: str) -> None:
    path = str(Path(BASH).parent)
    done = run("parts", "first:true", f"middle:{middle}", "last:echo was here", path=path)
    assert done.returncode == status
    assert "was here" in done.stdout
    table = done.stdout.split("part ", 1)[1].splitlines()
    assert [line.split()[0] for line in table[1:]] == ["first", "middle", "last", "all"]
    assert table[2].endswith(end)
