"""The command without the extra: the rest of the program works, and it says what to install."""

from __future__ import annotations

import subprocess
import sys

import pytest

WITHOUT = (
    "import sys; sys.modules['nicegui'] = None; from edge_agent.cli import main; sys.argv = ['edge-agent', *{}]; main()"
)


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["hmi"], 1, "pip install 'sorting-edge-agent[hmi]'"),
        (["hmi", "--cell", "/nowhere.toml"], 78, "/nowhere.toml"),
        (["hmi", "--host", "0.0.0.0"], 1, "on 0.0.0.0 passwords would cross the network in the clear"),
        (["hmi", "--host", "::1"], 1, "pip install"),
        (["hmi", "--cert", __file__], 1, "belong together"),
        (["hmi", "--cert", __file__, "--key", "/nowhere.key"], 1, "both files must be readable"),
        (["hmi", "--host", "0.0.0.0", "--cert", __file__, "--key", __file__], 1, "pip install"),
    ],
)
def test_what_it_can_not_serve_it_says_with_what_to_type(arguments: list[str], status: int, told: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT.format(arguments)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, told in done.stderr) == (status, True), done.stderr


def test_the_command_line_does_not_load_the_toolkit() -> None:
    code = "import sys; import edge_agent.cli; sys.exit('nicegui' in sys.modules or 'fastapi' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
