"""What was asked before, and the story of any one run as the agent's journal tells it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Final

from edge_agent.hmi.kit import Box, box, choice, press, text
from edge_agent.hmi.sight import Sight
from edge_agent.messages.content import History, Timeline, TimelineEntry
from edge_agent.messages.wire import Scalar

WINDOWS: Final = {"hour": 3600, "shift": 8 * 3600, "day": 86_400, "week": 7 * 86_400}


class HistoryPanel:
    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        self._window, self._page = "day", 0
        with box("div", "scroll", data_id="history") as self._holder:
            pass

    def show(self) -> None:
        """Nothing here changes by itself: it was asked for, and is asked for again by a press."""

    async def load(self) -> None:
        told = await self._sight.visit.fetch("history", what="runs", window_s=WINDOWS[self._window], page=self._page)
        self._holder.clear()
        with self._holder:
            self._head()
            if isinstance(told, History):
                self._table(told)
            else:
                text(self._sight.words.say("history.unanswered"), "p", "strip", role="status")

    async def explain(self, run: str, page: int = 0) -> None:
        told = await self._sight.visit.fetch("explain", run=run, page=page)
        words = self._sight.words
        self._holder.clear()
        with self._holder:
            press(words.say("history.back"), self.load, "button quiet")
            text(words.say("history.timeline", run=run), "h2", data_id="timeline")
            if isinstance(told, Timeline):
                self._timeline(told)
            else:
                said = told.text if told is not None else words.say("history.unanswered")
                text(said, "p", "strip", role="status")

    def _head(self) -> None:
        words = self._sight.words
        with box("div", "panel-head"):
            text(words.say("history.heading"), "h2")
            windows = {name: words.say(f"window.{name}") for name in WINDOWS}
            choice(self._choose, words.say("history.window"), windows, self._window)
            press(words.say("history.refresh"), self.load, "button quiet")

    async def _choose(self, window: str) -> None:
        if window in WINDOWS:
            self._window, self._page = window, 0
            await self.load()

    def _table(self, told: History) -> None:
        words = self._sight.words
        if not told.rows:
            text(words.say("history.none"), "p", "empty")
            return
        with box("table", "rows"):
            with box("thead"), box("tr"):
                for name in ("at", "user", "said", "outcome", "run"):
                    text(words.say(f"history.{name}"), "th", scope="col")
            with box("tbody"):
                for row in told.rows:
                    self._row(row)
        if told.pages > 1:
            self._pager(told)

    def _row(self, row: dict[str, Scalar]) -> None:
        words = self._sight.words
        fallback, outcome = row.get("fallback"), str(row.get("outcome"))
        said = words.word("fallback", str(fallback)) if fallback else words.word("outcome", outcome)
        with box("tr"):
            text(_time(row.get("at_ms")), "td")
            text(str(row.get("user") or "–"), "td")
            text(str(row.get("said") or words.word("request", str(row.get("type")))), "td", "asked")
            text(said, "td", f"outcome {outcome.lower()}")
            with box("td"):
                run = str(row.get("run"))
                press(
                    f"…{run[-6:]}",
                    self._explaining(run),
                    "button quiet",
                    aria_label=f"{words.say('talk.explain')} {run}",
                )

    def _explaining(self, run: str) -> Callable[[], Awaitable[None]]:
        async def explain() -> None:
            await self.explain(run)

        return explain

    def _pager(self, told: History) -> None:
        words = self._sight.words
        with box("nav", "pager"):
            if told.page > 0:
                press(words.say("history.newer"), self._turning(told.page - 1), "button quiet")
            text(words.say("history.page", page=told.page + 1, pages=told.pages))
            if told.page + 1 < told.pages:
                press(words.say("history.older"), self._turning(told.page + 1), "button quiet")

    def _turning(self, page: int) -> Callable[[], Awaitable[None]]:
        async def turn() -> None:
            self._page = page
            await self.load()

        return turn

    def _timeline(self, told: Timeline) -> None:
        words = self._sight.words
        with box("ol", "timeline") as story:
            _entries(self._sight, told.entries)
        if told.page + 1 < told.pages:
            press(words.say("history.more"), self._more(told.of_run, told.page + 1, story), "button quiet")

    def _more(self, run: str, page: int, story: Box) -> Callable[[], Awaitable[None]]:
        async def more() -> None:
            told = await self._sight.visit.fetch("explain", run=run, page=page)
            if isinstance(told, Timeline):
                with story:
                    _entries(self._sight, told.entries)

        return more


def _entries(sight: Sight, entries: tuple[TimelineEntry, ...]) -> None:
    """A chapter's name stands once, before its first entry."""
    before = ""
    for entry in entries:
        with box("li", f"entry {entry.what}"):
            text(f"{entry.at.astimezone():%H:%M:%S.%f}"[:-3], "time")
            text(sight.words.word("chapter", entry.what) if entry.what != before else "", "strong")
            text(entry.text, "span", "told words")
        before = entry.what


def _time(at_ms: Scalar) -> str:
    if not isinstance(at_ms, int | float):
        return "–"
    return f"{datetime.fromtimestamp(at_ms / 1000).astimezone():%m-%d %H:%M:%S}"
