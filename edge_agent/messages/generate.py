"""`python -m edge_agent.messages.generate [--check]`: writes the schema files and `asyncapi.yaml` beside this file.

With `--check` nothing is written; the exit status is 1 and the names are told when a file is not current.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Final

from edge_agent.messages.asyncapi import document, yaml
from edge_agent.messages.schemas_of import schemas

HERE: Final = Path(__file__).parent
_HEAD: Final = "# Made by `python -m edge_agent.messages.generate`; change the models instead.\n"


def expected() -> dict[Path, str]:
    """Every generated file with its text."""
    files = {
        HERE / "schemas" / f"{name}.json": json.dumps(schema, ensure_ascii=False, indent=2) + "\n"
        for name, schema in schemas().items()
    }
    files[HERE / "asyncapi.yaml"] = _HEAD + yaml(document(version("sorting-edge-agent")))
    return files


def stale() -> list[str]:
    """Names of files that are missing, not current, or made from no model any more."""
    files = expected()
    old = [p.name for p in (HERE / "schemas").glob("*.json") if p not in files]
    return old + [p.name for p, text in files.items() if not p.exists() or p.read_text(encoding="utf-8") != text]


def write() -> None:
    """Write all of them; take away what no model stands behind."""
    files = expected()
    (HERE / "schemas").mkdir(exist_ok=True)
    for path in (HERE / "schemas").glob("*.json"):
        if path not in files:
            path.unlink()
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        names = stale()
        if names:
            print("not current:", ", ".join(names), "- run: python -m edge_agent.messages.generate", file=sys.stderr)
        return 1 if names else 0
    write()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
