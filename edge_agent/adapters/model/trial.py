"""Evaluates a few words with a model file: `python -m edge_agent.adapters.model.trial MODEL.gguf`.

A library that was compiled for another processor ends its process by a signal at the first evaluation and not before.
So whoever wants to know starts this in a process of its own.
"""

from __future__ import annotations

import sys
from pathlib import Path

from edge_agent.adapters.model.engine import Engine, EngineRefused

SOME_WORDS = "one two three four five six seven eight\n"


def main(file: Path) -> str | None:
    """What is wrong with the file; None: it was evaluated."""
    try:
        Engine(file, SOME_WORDS, threads=1, cache_dir=None, model_sha256="")
    except EngineRefused as refused:
        return str(refused)
    return None


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
