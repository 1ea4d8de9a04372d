"""A site's Markdown page as passages, and words as search terms. Pure.

SQLite's own tokenisers find nothing for 玻璃 (`unicode61` takes a whole run of Chinese for one word, `trigram` needs
three characters), so Chinese becomes overlapping pairs of characters here, and other scripts whole words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from edge_agent.tools.ports import Page

PASSAGE_CHARS: Final = 2_000
TERMS: Final = 64
"""Of one question; more words make no better answer."""
_HEADING: Final = re.compile(r"^#{1,3} +(.+)$")
_RUN: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+|[a-z0-9_]+")


def passages(name: str, text: str) -> Iterator[Page]:
    """One passage a heading (to level 3), each named `file#n` and titled by it; long ones are cut."""
    title, lines, number = name, list[str](), 0
    for line in [*text.splitlines(), "# "]:
        heading = _HEADING.match(line)
        if heading is None and line != "# ":
            lines.append(line)
            continue
        body = "\n".join(lines).strip()
        if body:
            number += 1
            yield Page(f"{name}#{number}", title[:120], body[:PASSAGE_CHARS])
        title, lines = (heading[1].strip() if heading else title), []


def terms(text: str) -> tuple[str, ...]:
    """Pairs of Chinese characters and whole words of other scripts, each once, in order."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return tuple(dict.fromkeys(term for run in _RUN.findall(folded) for term in _of_run(run)))


def _of_run(run: str) -> list[str]:
    if run.isascii() or len(run) == 1:
        return [run]
    return [run[n : n + 2] for n in range(len(run) - 1)]
