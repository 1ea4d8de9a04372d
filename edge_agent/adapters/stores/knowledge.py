"""The site's Markdown pages, searched: SQLite FTS5 in memory, made anew at each start. What a page says is data."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeVar

from edge_agent.adapters.one_thread import NoAnswer, OneThread
from edge_agent.messages.codes import ErrorCode
from edge_agent.tools.passages import TERMS, passages, terms
from edge_agent.tools.ports import Page, StoreError

DEADLINE_S: Final = 1.5
MAX_PAGES: Final = 1_000
MAX_PAGE_BYTES: Final = 1_048_576
LOADING_S: Final = 30.0

T = TypeVar("T")


class MarkdownKnowledge:
    """`Knowledge` of `edge_agent.tools.ports` over the `*.md` of a folder. `load()` once before the first question."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._thread = OneThread("knowledge", (sqlite3.Error, OSError))
        self._db: sqlite3.Connection | None = None
        self.skipped: tuple[str, ...] = ()
        """Names of files that were no pages: links, too large, not UTF-8, or beyond the thousandth."""

    async def load(self) -> int:
        """How many passages there are. Raises StoreError where the folder can't be read."""
        return await self._ask(self._load, LOADING_S)

    async def search(self, words: str, limit: int) -> tuple[Page, ...]:
        wanted = terms(words)[:TERMS]
        if not wanted:
            return ()
        query = " OR ".join(f'"{term}"' for term in wanted)
        return await self._ask(lambda: self._find(query, limit), DEADLINE_S)

    def close(self) -> None:
        self._thread.close()

    async def _ask(self, work: Callable[[], T], deadline_s: float) -> T:
        try:
            return await self._thread.call(work, deadline_s)
        except NoAnswer as late:
            raise StoreError(ErrorCode.TIMEOUT, f"the knowledge pages {late}") from late
        except (sqlite3.Error, OSError) as failed:
            raise StoreError(ErrorCode.SERVICE_UNAVAILABLE, f"the knowledge pages: {failed}") from failed

    def _load(self) -> int:
        self._db = sqlite3.connect(":memory:", check_same_thread=False)
        self._db.execute(
            "CREATE VIRTUAL TABLE passage USING fts5(terms, page UNINDEXED, title UNINDEXED, body UNINDEXED)"
        )
        skipped: list[str] = []
        found = [page for name, text in _texts(self._folder, skipped) for page in passages(name, text)]
        self._db.executemany(
            "INSERT INTO passage VALUES (?,?,?,?)",
            ((" ".join(terms(f"{p.title} {p.text}")), p.page, p.title, p.text) for p in found),
        )
        self.skipped = tuple(skipped)
        return len(found)

    def _find(self, query: str, limit: int) -> tuple[Page, ...]:
        if self._db is None:
            raise OSError("not loaded")
        sql = "SELECT page, title, body FROM passage WHERE passage MATCH ? ORDER BY bm25(passage), rowid LIMIT ?"
        return tuple(Page(*row) for row in self._db.execute(sql, (query, limit)))


def _texts(folder: Path, skipped: list[str]) -> Iterator[tuple[str, str]]:
    """Names and texts of the pages, in the order of their names; what is no page goes to `skipped`."""
    for number, file in enumerate(sorted(folder.glob("*.md"))):
        text = None if number >= MAX_PAGES or file.is_symlink() else _text(file)
        if text is None:
            skipped.append(file.name)
        else:
            yield file.name, text


def _text(file: Path) -> str | None:
    with file.open("rb") as source:
        raw = source.read(MAX_PAGE_BYTES + 1)
    if len(raw) > MAX_PAGE_BYTES:
        return None
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None
