"""The doctor names what is missing and the line to type; a healthy machine is called so."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from edge_agent.adapters.journal.making import create
from edge_agent.adapters.model import assemble
from edge_agent.checked_file import BadFile
from edge_agent.distribution import Foreign
from edge_agent.doctor import examine as examination
from edge_agent.doctor import installation, site
from edge_agent.doctor.examine import examine
from edge_agent.doctor.finding import Finding, Verdict, exit_status, report
from edge_agent.settings import Settings
from offline_rules.reading import Lang


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    create(folder, at_ms=0)
    return folder


def written(folder: Path, text: str = "") -> Path:
    file = folder / "settings.toml"
    file.write_text(text, encoding="utf-8")
    return file


def finding(what: str, found: tuple[Finding, ...]) -> Finding:
    (only,) = [each for each in found if each.what == what]
    return only


def looked(settings: Path, **environ: str) -> tuple[Finding, ...]:
    return examine(settings, environ)


def test_a_healthy_machine(tmp_path: Path, state: Path) -> None:
    found = looked(written(tmp_path, "[model]\nenabled = false"), STATE_DIRECTORY=str(state))
    assert [each for each in found if each.verdict is Verdict.MISSING] == []
    assert exit_status(found) == 0
    assert finding("journal", found).verdict is Verdict.GOOD


@pytest.mark.parametrize(
    ("text", "what", "says"),
    [
        ("[mqtt]\nport = 0", "settings", "mqtt.port"),
        ('[cell]\nfile = "/nowhere.toml"', "cell file", "/nowhere.toml"),
        ('[model]\nfile = "/nowhere.gguf"', "model file", "/nowhere.gguf"),
        ('[console]\ntty = "/dev/nowhere"', "console", "/dev/nowhere"),
        ('[console]\ntty = "/dev/null"', "PINs", "nobody can log in"),
        ('[mqtt]\nca_file = "/nowhere.pem"', "mqtt ca", "/nowhere.pem"),
        ('[mqtt]\npassword_file = "/nowhere"', "mqtt password", "/nowhere"),
    ],
)
def test_what_the_site_lacks(tmp_path: Path, state: Path, text: str, what: str, says: str) -> None:
    found = looked(written(tmp_path, text), STATE_DIRECTORY=str(state))
    missing = finding(what, found)
    assert missing.verdict is Verdict.MISSING
    assert says in missing.en
    assert exit_status(found) == 1


def test_no_state_folder_and_no_journal(tmp_path: Path) -> None:
    settings = written(tmp_path)
    absent = finding("state folder", looked(settings, STATE_DIRECTORY=str(tmp_path / "absent")))
    assert (absent.verdict, "install -d" in absent.fix) == (Verdict.MISSING, True)
    journal = finding("journal", looked(settings, STATE_DIRECTORY=str(tmp_path)))
    assert (journal.verdict, journal.fix) == (Verdict.MISSING, "edge-agent init")


def test_a_state_folder_open_to_others(tmp_path: Path, state: Path) -> None:
    state.chmod(0o755)
    notes = [f for f in looked(written(tmp_path), STATE_DIRECTORY=str(state)) if f.what == "state folder"]
    assert "chmod 0700" in notes[0].fix


def test_a_damaged_journal_is_left_as_it_is(tmp_path: Path, state: Path) -> None:
    (file,) = state.glob("journal-*.db")
    whole = file.read_bytes()
    file.write_bytes(whole[:50] + b"\xff" * 50 + whole[100:])
    journal = finding("journal", looked(written(tmp_path), STATE_DIRECTORY=str(state)))
    assert journal.verdict is Verdict.MISSING
    assert "technician" in journal.en


def test_the_joined_model_file(tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assemble, "installed", lambda: True)
    monkeypatch.setattr(site, "MODEL_LIBRARY", "not_there")  # what stands in for the file is none, and is not tried
    settings = written(tmp_path)

    def told() -> Finding:
        return finding("model file", looked(settings, STATE_DIRECTORY=str(state)))

    assert (told().verdict, "not joined yet" in told().en) == (Verdict.NOTE, True)
    file = state / "model" / assemble.DEFAULT_NAME
    file.parent.mkdir()
    file.write_bytes(b"half")
    assert (told().verdict, told().fix) == (Verdict.MISSING, f"rm {file}")
    monkeypatch.setattr(assemble, "DEFAULT_SHA256", hashlib.sha256(b"half").hexdigest())
    assert told().verdict is Verdict.GOOD


def ends_by(name: str) -> str:
    return f"import os, signal; os.kill(os.getpid(), signal.{name})"


@pytest.mark.parametrize(
    ("does", "what", "verdict", "says", "fix"),
    [
        ("pass", "model library", Verdict.GOOD, "json", False),
        (ends_by("SIGSEGV"), "model library", Verdict.MISSING, "another processor", True),
        (ends_by("SIGKILL"), "model library", Verdict.MISSING, "short of memory", False),
        ("import time; time.sleep(60)", "model library", Verdict.NOTE, "no answer in 1 s", False),
        (
            "import sys; sys.stderr.buffer.write(b'not a \\xff file'); sys.exit(1)",
            "model file",
            Verdict.MISSING,
            "not a",
            False,
        ),
    ],
)
def test_the_library_is_tried_on_the_file(
    tmp_path: Path,
    state: Path,
    monkeypatch: pytest.MonkeyPatch,
    does: str,
    what: str,
    verdict: Verdict,
    says: str,
    fix: bool,
) -> None:
    file = tmp_path / "own.gguf"
    file.write_bytes(b"GGUF")
    monkeypatch.setattr(site, "MODEL_LIBRARY", "json")
    monkeypatch.setattr(site, "TRIAL", (sys.executable, "-c", does))
    monkeypatch.setattr(site, "TRIAL_S", 1 if "sleep" in does else 60)
    settings = written(tmp_path, f'[model]\nfile = "{file}"\n')
    found = [each for each in looked(settings, STATE_DIRECTORY=str(state)) if each.what == what][-1]
    assert found.verdict is verdict
    assert says in found.en
    assert bool(found.fix) is fix


def test_without_the_model_package_rules_alone(tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assemble, "installed", lambda: False)
    found = finding("model package", looked(written(tmp_path), STATE_DIRECTORY=str(state)))
    assert (found.verdict, found.fix) == (Verdict.NOTE, "make setup")


def test_debian_programs_are_named_with_their_package(tmp_path: Path) -> None:
    found = tuple(installation.programs({"PATH": str(tmp_path)}))
    assert {each.what for each in found} == set(installation.PROGRAMS)
    absent = tuple(each for each in found if each.verdict is Verdict.NOTE)
    assert all(each.fix.startswith("sudo apt-get install -y ") for each in absent)
    assert any("socat" in each.fix for each in absent)


def test_an_old_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 9))
    (only,) = installation.python()
    assert (only.verdict, "3.11" in only.fix) == (Verdict.MISSING, True)


def test_a_package_of_somebody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "foreign_packages", lambda: (Foreign("drivers", "somebody-else"),))
    (only,) = installation.packages()
    assert (only.verdict, "somebody-else" in only.en) == (Verdict.MISSING, True)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_report_has_a_line_for_each_and_the_way_out(lang: Lang) -> None:
    found = (
        Finding("socat", Verdict.NOTE, "english", "中文", "sudo apt-get install -y socat"),
        Finding("settings", Verdict.GOOD, "read", "read"),
    )
    first, fix, last = report(found, lang).splitlines()
    assert ("中文" in first) is (lang == "zh")
    assert fix.strip() == "→ sudo apt-get install -y socat"
    assert "read" in last


def _no_settings(_file: Path | None) -> Settings:
    raise BadFile("x", ())


def test_without_settings_nothing_is_said_of_the_site(monkeypatch: pytest.MonkeyPatch) -> None:
    environ: Mapping[str, str] = {}
    monkeypatch.setattr(examination, "load_settings", _no_settings)
    names = [each.what for each in examine(None, environ)]
    assert names[-1] == "settings"
