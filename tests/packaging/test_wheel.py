"""The wheel, built and installed into an environment of its own: what a cell's machine gets."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from edge_agent.places import Place, checkout

ROOT = checkout() or Path()
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

ASK = """
import json, sys
sys.path.append(sys.argv[1])
from edge_agent.distribution import foreign_packages
from edge_agent.places import Place, packaged, checkout
from edge_agent.cell_file import load_cell
print(json.dumps({
    "places": {p: sorted(f.name for f in packaged(p).rglob("*")) for p in Place},
    "checkout": str(checkout()),
    "foreign": [each.source for each in foreign_packages()],
    "cell": load_cell().name,
}))
"""


def run(*command: object, cwd: Path) -> str:
    done = subprocess.run(
        [str(each) for each in command], cwd=cwd, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", out]
    run(*pip, "--build-constraint", ROOT / ".lock" / "build.txt", ROOT, cwd=out)
    (found,) = out.glob("*.whl")
    return found


def tracked(*folders: str) -> set[str]:
    """Names of the files that git has there."""
    listed = run("git", "ls-files", "-z", *folders, cwd=ROOT)
    return {Path(name).name for name in listed.split("\0") if name}


def test_it_is_installed_and_finds_its_data(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--no-deps", wheel, cwd=tmp_path)
    dependencies = next(path for path in sys.path if path.endswith("site-packages"))
    told = json.loads(run(python, "-I", "-c", ASK, dependencies, cwd=tmp_path))
    assert told["checkout"] == "None"
    assert told["foreign"] == []
    assert told["cell"] == "cell01"
    found = {place: set(names) for place, names in told["places"].items()}
    assert tracked("labeled_cases") <= found[Place.CASES]
    assert tracked("systemd") <= found[Place.SYSTEMD]
    assert tracked("offline_rules/data") <= found[Place.PHRASES]
    assert "default_cell.toml" in found[Place.DATA]


def test_it_holds_our_packages_licence_and_program(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (entry_points,) = (archive.read(n).decode() for n in names if n.endswith("entry_points.txt"))
    tops = {name.split("/", 1)[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"edge_agent", "drivers", "offline_rules"}
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert "edge-agent = edge_agent.cli:main" in entry_points
    assert "cell_modbus" in entry_points
