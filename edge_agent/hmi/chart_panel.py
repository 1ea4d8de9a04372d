"""Charts that people want: parts in each bin over time, what became of requests, attempts, latencies, budget use."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal

from edge_agent.hmi.charts import COLOURS, Bar, bars, spread, stacks
from edge_agent.hmi.figures import grouped, shares, stacked, took_ms
from edge_agent.hmi.history_panel import WINDOWS
from edge_agent.hmi.kit import Box, box, choice, drawn, press, text
from edge_agent.hmi.sight import Sight
from edge_agent.messages.content import History

What = Literal["items", "runs", "latencies"]
MAX_PAGES: Final = 4
"""Pages of one history that a chart reads: enough to see a shape, and below the agent's rate for one person."""
TONES: Final = {
    "success": "#1b7547",
    "fallback": "#f2a33a",
    "asked": "#12518f",
    "refused": "#6a3d9c",
    "failed": "#b51a24",
}


class ChartPanel:
    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        self._window = "day"
        with box("div", "scroll", data_id="charts") as self._holder:
            pass

    def show(self) -> None:
        """Asked for, not followed: a chart that moves while it is read helps nobody."""

    async def load(self) -> None:
        items, runs, latencies = await self._read("items"), await self._read("runs", 1), await self._read("latencies")
        self._holder.clear()
        with self._holder:
            self._head()
            if items is None or runs is None or latencies is None:
                text(self._sight.words.say("history.unanswered"), "p", "strip", role="status")
                return
            with box("div", "charts"):
                self._items(items)
                self._outcomes(runs)
                self._latencies(latencies)
                self._attempts(latencies)
                self._budget(latencies)

    async def _read(self, what: What, most_pages: int = MAX_PAGES) -> History | None:
        """The first pages as one; None without an answer."""
        told: History | None = None
        for page in range(most_pages):
            came = await self._sight.visit.fetch("history", what=what, window_s=WINDOWS[self._window], page=page)
            if not isinstance(came, History):
                return told
            told = came if told is None else told.model_copy(update={"rows": (*told.rows, *came.rows)})
            if page + 1 >= came.pages:
                break
        return told

    def _head(self) -> None:
        words = self._sight.words
        with box("div", "panel-head"):
            text(words.say("tab.charts"), "h2")
            windows = {name: words.say(f"window.{name}") for name in WINDOWS}
            choice(self._choose, words.say("history.window"), windows, self._window)
            press(words.say("history.refresh"), self.load, "button quiet")

    async def _choose(self, window: str) -> None:
        if window in WINDOWS:
            self._window = window
            await self.load()

    # -- the charts -------------------------------------------------------------------------------------------

    def _items(self, told: History) -> None:
        words = self._sight.words
        bins = tuple(b.name for b in self._sight.spec.bins)
        columns = stacked(told.rows, bins, WINDOWS[self._window], datetime.now().astimezone())
        sums = {name: told.counts.get(f"bin {name}", 0) for name in bins}
        figures = {words.say("charts.bin", bin=name): count for name, count in sums.items()}
        with self._chart("items", words.say("charts.items_note")):
            if not any(sums.values()):
                self._nothing()
                return
            drawn(stacks(columns, _spoken(words.say("charts.items"), figures)))
            with box("p", "legend"):
                for number, (name, count) in enumerate(figures.items()):
                    with box("span"):
                        box("i", style=f"background: {COLOURS[number % len(COLOURS)]}")
                        text(f"{name}: {count}")

    def _outcomes(self, told: History) -> None:
        words = self._sight.words
        groups = grouped(told.counts)
        total = sum(groups.values())
        with self._chart("outcomes"):
            if not total:
                self._nothing()
                return
            rows = [
                Bar(words.say(f"group.{name}"), count / total, f"{count}", TONES[name])
                for name, count in groups.items()
            ]
            drawn(bars(rows, _spoken(words.say("charts.outcomes"), {r.name: r.told for r in rows}), 132))

    def _latencies(self, told: History) -> None:
        words = self._sight.words
        values, counts = took_ms(told.rows), told.counts
        if not values:
            with self._chart("latencies"):
                self._nothing()
            return
        note = words.say("charts.latencies_note", p50=counts["p50_ms"], p95=counts["p95_ms"], count=counts["runs"])
        with self._chart("latencies", note):
            marks = (("p50", float(counts["p50_ms"])), ("p95", float(counts["p95_ms"])))
            drawn(spread(values, marks, f"{words.say('charts.latencies')}: {note}"))

    def _attempts(self, told: History) -> None:
        words = self._sight.words
        counts = {name: told.counts.get(name, 0) for name in ("once", "twice", "more")}
        total = sum(counts.values())
        with self._chart("attempts", words.say("charts.attempts_note")):
            if not total:
                self._nothing()
                return
            rows = [Bar(words.say(f"charts.{name}"), count / total, f"{count}") for name, count in counts.items()]
            drawn(bars(rows, _spoken(words.say("charts.attempts"), {r.name: r.told for r in rows})))

    def _budget(self, told: History) -> None:
        words = self._sight.words
        rows = [
            Bar(words.say(f"usage.{name}"), share, f"{most}", "#b51a24" if share > 0.9 else COLOURS[0])
            for name, share, most in shares(told.counts)
        ]
        with self._chart("budget", words.say("charts.budget_note")):
            drawn(bars(rows, _spoken(words.say("charts.budget"), {r.name: r.told for r in rows})))

    def _chart(self, name: str, note: str = "") -> Box:
        words = self._sight.words
        made = box("section", "chart", aria_label=words.say(f"charts.{name}"), data_chart=name)
        with made:
            text(words.say(f"charts.{name}"), "h3")
            if note:
                text(note, "small")
        return made

    def _nothing(self) -> None:
        text(self._sight.words.say("charts.none"), "p", "empty")


def _spoken(heading: str, figures: Mapping[str, object]) -> str:
    return f"{heading}: " + ", ".join(f"{name} {value}" for name, value in figures.items())
