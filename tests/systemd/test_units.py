"""systemd's own word on the units: sound, and how much of the machine they can reach."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from edge_agent.cell_file import load_cell
from edge_agent.places import Place, packaged
from edge_agent.settings import Settings, load_settings

MOST_EXPOSED = 2.0
UNITS = ["edge-agent.service", "edge-agent-hmi.service"]
PROGRAM = "/opt/edge-agent/bin/edge-agent"

analyze = shutil.which("systemd-analyze")
with_systemd = pytest.mark.skipif(analyze is None, reason="systemd-analyze is missing: apt-get install systemd")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(analyze), *arguments], capture_output=True, text=True, timeout=60, check=False)


def unit(name: str) -> str:
    return packaged(Place.SYSTEMD, name).read_text(encoding="utf-8")


def placed(folder: Path, name: str, text: str) -> str:
    """The unit with a program that is there on this machine: systemd asks for that as well."""
    file = folder / name
    file.write_text(text.replace(PROGRAM, sys.executable), encoding="utf-8")
    return str(file)


@with_systemd
@pytest.mark.parametrize("name", UNITS)
def test_verify_has_nothing_to_say(tmp_path: Path, name: str) -> None:
    assert PROGRAM in unit(name)
    done = run("verify", "--man=no", placed(tmp_path, name, unit(name)))
    assert (done.stderr, done.returncode) == ("", 0)


@with_systemd
@pytest.mark.parametrize("name", UNITS)
def test_an_unknown_key_would_be_seen(tmp_path: Path, name: str) -> None:
    done = run("verify", "--man=no", placed(tmp_path, name, unit(name).replace("WatchdogSec", "WatchdogSecs")))
    assert "WatchdogSecs" in done.stderr


@with_systemd
@pytest.mark.parametrize("name", UNITS)
def test_little_of_the_machine_can_be_reached(tmp_path: Path, name: str) -> None:
    threshold = f"--threshold={int(MOST_EXPOSED * 10)}"
    done = run("security", "--offline=true", threshold, placed(tmp_path, name, unit(name)))
    assert done.returncode == 0, done.stdout


@with_systemd
def test_a_bare_unit_would_not_pass(tmp_path: Path) -> None:
    bare = placed(tmp_path, "bare.service", f"[Service]\nExecStart={PROGRAM}\n")
    done = run("security", "--offline=true", f"--threshold={int(MOST_EXPOSED * 10)}", bare)
    assert done.returncode != 0


@pytest.mark.parametrize(
    "line",
    [
        "Type=notify",
        "WatchdogSec=10",
        "Restart=on-failure",
        "RestartPreventExitStatus=64 65 78",
        "OOMPolicy=continue",
        "LimitCORE=0",
        "StateDirectoryMode=0700",
        "SupplementaryGroups=dialout",
    ],
)
def test_what_the_agent_relies_on(line: str) -> None:
    assert line in unit("edge-agent.service").splitlines()


def test_the_example_settings_are_settings() -> None:
    example = load_settings(packaged(Place.SYSTEMD, "settings.toml"))
    defaults = Settings()
    assert example.model_dump() == defaults.model_dump(), "an example that differs from the defaults says so nowhere"


def test_the_example_shows_keys_that_exist(tmp_path: Path) -> None:
    text = packaged(Place.SYSTEMD, "settings.toml").read_text(encoding="utf-8")
    hints = [line for line in text.splitlines() if line.startswith("# ") and " = " in line]
    assert len(hints) == 7
    file = tmp_path / "settings.toml"
    for hint in hints:
        text = text.replace(hint, hint.removeprefix("# "))
    file.write_text(text, encoding="utf-8")
    assert load_settings(file).users == {"alice": "operator", "bob": "technician"}


def test_the_default_cell_fits_the_default_settings() -> None:
    """The controller must answer a whole command before its run's deadline."""
    margin_s = Settings().deadlines.motion_margin_s
    assert load_cell().limits.complete_margin_ms / 1000 < margin_s


def test_a_callback_needs_no_writable_and_executable_memory() -> None:
    """What `MemoryDenyWriteExecute=yes` forbids, and what the model library's callbacks could want."""
    code = (
        "import ctypes, sys\n"
        "if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0): sys.exit(77)\n"  # PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN
        "made = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(lambda _: 7)\n"
        "sys.exit(0 if made(None) == 7 else 1)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], timeout=30, check=False)
    if done.returncode == 77:
        pytest.skip("this kernel can not forbid such memory to a process (Linux 6.3 can)")
    assert done.returncode == 0
    assert ctypes.sizeof(ctypes.c_void_p) == 8
