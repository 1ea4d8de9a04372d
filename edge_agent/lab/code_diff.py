"""What was changed in the program itself, where it runs from a repository: a class repairs policy files alone, and the
page that it hands in shows whether it did."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

import edge_agent

PACKAGES: Final = ("edge_agent", "offline_rules", "drivers")
DEADLINE_S: Final = 20.0


def code_diff(root: Path | None = None) -> str | None:
    """As git tells it, new files by their names; None where there is no repository, or no git, to ask."""
    at = root or Path(edge_agent.__file__).parent.parent
    changed = _git(at, "diff", "HEAD", "--", *PACKAGES)
    new = _git(at, "ls-files", "--others", "--exclude-standard", "--", *PACKAGES)
    return None if changed is None or new is None else changed + new


def _git(at: Path, *asked: str) -> str | None:
    try:
        done = subprocess.run(
            ("git", "-C", str(at), *asked),
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
