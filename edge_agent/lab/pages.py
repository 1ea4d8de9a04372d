"""The teaching pages: Markdown beside this room, one file a page and language; the fault table is made from the
catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from drivers.package import FaultInfo
from edge_agent.lab.catalogue import as_markdown, catalogue
from edge_agent.messages.codes import Lang

FOLDER: Final = Path(__file__).parent
NAMES: Final = ("glossary", "labels", "faults", "loop", "budget", "failures", "prompt", "audit", "checklist")
SUFFIX: Final[Mapping[Lang, str]] = {"zh": ".zh-CN.md", "en": ".md"}
TABLE: Final = "<!-- table -->"
"""Where the catalogue goes in a page."""


class NoSuchPage(Exception):
    """The text names those there are."""


def page(name: str, lang: Lang, of_cell: Mapping[str, FaultInfo], folder: Path = FOLDER) -> str:
    """Raises `NoSuchPage`, `BadFile`."""
    if name not in NAMES:
        raise NoSuchPage(f"{name}: no such page; there are: {', '.join(NAMES)}")
    text = folder.joinpath(f"{name}{SUFFIX[lang]}").read_text("utf-8")
    return text.replace(TABLE, as_markdown(catalogue(lang, of_cell), lang)) if TABLE in text else text
