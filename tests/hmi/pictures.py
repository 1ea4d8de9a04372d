"""The pictures that the READMEs show: which ones, what they were made from, and how they are made anew."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path
from typing import Final

from edge_agent.hmi import kit

ROOM: Final = Path(kit.__file__).parent
SHOWN: Final = Path(__file__).parent / "shown"
NAMES: Final = ("moving-panel", "confirm-phone")
MADE_FROM: Final = SHOWN / "made-from.sha256"
AGAIN: Final = "SHOWN=again .venv/bin/python -m pytest -q tests/hmi/test_shown.py -k fits"
DRAWN_BY: Final = (
    *("static/hmi.css", "wording/en.toml", "wording/zh.toml", "kit.py", "page.py", "head.py", "banner.py"),
    *("picture.py", "drawing.py", "stop_button.py", "conversation.py", "told.py", "question.py"),
)
"""What decides on how those two look."""


def fingerprint() -> str:
    digest = hashlib.sha256()
    for name in DRAWN_BY:
        digest.update((ROOM / name).read_bytes())
    return digest.hexdigest()


def keep(shots: Path, size: str, lang: str) -> None:
    """After a run of the test that takes them; only where somebody asked for new ones."""
    if os.environ.get("SHOWN") != "again":
        return
    for name in NAMES:
        if name.endswith(size):
            shutil.copyfile(shots / f"{name}-{lang}.png", SHOWN / f"{name}-{lang}.png")
    MADE_FROM.write_text(fingerprint() + "\n")
