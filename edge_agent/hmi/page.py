"""The operator's page, put together: head, banner, picture, stop, and the panels beside them.

Everything that is heard may change anything, so after each change every panel is asked to show what differs; that is
coalesced, because a moving arm is heard many times a second and an eye wants ten.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from edge_agent.hmi.alarm_panel import AlarmPanel
from edge_agent.hmi.banner import Banner
from edge_agent.hmi.chart_panel import ChartPanel
from edge_agent.hmi.conversation import Conversation
from edge_agent.hmi.head import Head
from edge_agent.hmi.history_panel import HistoryPanel
from edge_agent.hmi.kit import Box, Part, box, every, go_to, line, mark, press, refill, relabel, text
from edge_agent.hmi.lab_panel import LabPanel
from edge_agent.hmi.now import Connection
from edge_agent.hmi.picture import Picture
from edge_agent.hmi.question import Question
from edge_agent.hmi.sight import Panel, Sight
from edge_agent.hmi.stop_button import StopButton
from edge_agent.hmi.texts import words
from edge_agent.messages.prompt import Clarification

LOOK_S: Final = 0.2
"""How often the age of the heartbeat and the seconds of a question are looked at; only they change by themselves."""
PAINT_S: Final = 0.02
"""Two changes closer than this are painted together: a run's last events come in one breath."""
BEATS: Final = 5
"""Looks between two signs of life to the page's own script."""
TABS: Final = ("talk", "alarms", "history", "charts", "lab")


class Page:
    """Built inside the page's root; `paint` after a change."""

    def __init__(self, sight: Sight, root: Box) -> None:
        self._sight, self._root = sight, root
        self._panels: list[Panel] = []
        self._tab = "talk"
        self._tabs: dict[str, Box] = {}
        self._buttons: dict[str, Box] = {}
        self._painted_s, self._due = 0.0, False
        self._looks = 0
        self._connection: Connection | None = None
        sight.paint = self.paint
        self._build()
        every(LOOK_S, self._look)

    def paint(self) -> None:
        """Now, or a moment later together with what comes next."""
        now_s = self._sight.clock()
        wait_s = self._painted_s + PAINT_S - now_s
        if wait_s <= 0:
            self._paint()
        elif not self._due:
            self._due = True
            asyncio.get_running_loop().call_later(wait_s, self._paint)

    def _paint(self) -> None:
        self._due, self._painted_s = False, self._sight.clock()
        if self._root.is_deleted:
            return
        for panel in self._panels:
            panel.show()
        self._show_tabs()

    def _look(self) -> None:
        self._looks += 1
        if self._looks % BEATS == 0:
            mark(self._root, data_beat=self._looks // BEATS)
        if self._sight.login.closed:
            go_to("login")
            return
        connection = self._sight.connection()
        asked = self._sight.visit.talk.asked
        counts = (asked is not None and asked.end == "open") or self._stop.waits
        if connection is not self._connection or counts:
            self._connection = connection
            self._paint()

    # -- building ---------------------------------------------------------------------------------------------

    def _build(self) -> None:
        sight = self._sight
        self._root.clear()
        self._panels.clear()
        mark(self._root, lang="zh-CN" if sight.words.lang == "zh" else "en", data_lang=sight.words.lang)
        with self._root:
            with box("a", "skip", href="#said-line"):
                text(sight.words.say("page.skip"))
            text(sight.words.say("page.unserved"), "p", "unserved", role="alert")
            self._add(Head(sight, self._switch))
            with box("div", "cell-side"):
                self._add(Banner(sight))
                self._add(Picture(sight))
                self._stop = StopButton(sight)
                self._add(self._stop)
            with box("section", "talk-side", aria_label=sight.words.say("tab.label")):
                self._navigation()
                for name in TABS:
                    with box("section", "tab", id=f"tab-{name}") as self._tabs[name]:
                        self._fill(name)
        self._paint()

    def _fill(self, name: str) -> None:
        sight = self._sight
        match name:
            case "talk":
                self._add(Conversation(sight, self._explain))
                self._add(Question(sight))
                self._add(_Notice(sight))
                with box("div", id="said-line"):
                    say = sight.words.say
                    self._line = line(self._said, say("talk.field"), say("talk.send"), hint=say("talk.hint"))
            case "alarms":
                self._add(AlarmPanel(sight))
            case "history":
                self._history = HistoryPanel(sight)
            case "charts":
                self._charts = ChartPanel(sight)
            case _:
                self._lab = LabPanel(sight)
                self._add(self._lab)

    def _add(self, panel: Panel) -> None:
        self._panels.append(panel)

    def _navigation(self) -> None:
        say = self._sight.words.say
        with box("nav", "tabs", aria_label=say("tab.label")):
            for name in TABS:
                button = press(say(f"tab.{name}"), self._opening(name), "tab-button", data_id=f"tab-{name}")
                self._buttons[name] = button
                if name == "alarms":
                    with button:
                        self._badge = text("", classes="badge")

    def _opening(self, name: str) -> Callable[[], Awaitable[None]]:
        async def open_tab() -> None:
            self._tab = name
            self._show_tabs()
            if name == "history":
                await self._history.load()
            elif name == "charts":
                await self._charts.load()
            elif name == "lab":
                self._lab.open()
                self._paint()

        return open_tab

    def _show_tabs(self) -> None:
        session = self._sight.visit.now.session
        lab = session is not None and session.lab
        if self._tab == "lab" and not lab:
            self._tab = "talk"
        for name, tab in self._tabs.items():
            mark(tab, data_open="yes" if name == self._tab else "no")
            mark(self._buttons[name], aria_current="page" if name == self._tab else "false")
        mark(self._buttons["lab"], data_hidden="no" if lab else "yes")
        open_alarms = sum(not a.acked for a in self._sight.visit.now.standing())
        relabel(self._badge, str(open_alarms) if open_alarms else "")
        asked = self._sight.visit.talk.open_prompt(self._sight.clock())
        mark(self._root, data_asked="yes" if asked is not None else "no", data_tab=self._tab)

    # -- acting -----------------------------------------------------------------------------------------------

    async def _said(self, said: str) -> None:
        """A sentence; while a clarification is open, its answer. What is confirmed is confirmed by its button."""
        visit = self._sight.visit
        asked = visit.talk.open_prompt(self._sight.clock())
        if asked is not None and isinstance(asked.prompt, Clarification):
            sending = visit.reply(asked.prompt.prompt_id, said, said)
        else:
            sending = visit.ask(said)
        if not await self._sight.tried(sending):
            refill(self._line, said)

    async def _explain(self, run: str) -> None:
        self._tab = "history"
        self._show_tabs()
        await self._history.explain(run)

    def _switch(self) -> None:
        """The other language, in place: what is running goes on."""
        login = self._sight.login
        login.lang = "en" if login.lang == "zh" else "zh"
        self._sight.words, self._sight.visit.lang = words(login.lang), login.lang
        self._tab = "talk"
        self._build()


class _Notice:
    """What the page itself has to say about the last thing that was tried."""

    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        with box("div", role="alert", data_id="notice") as holder:
            self._part = Part[str | None](holder, self._build)

    def show(self) -> None:
        self._part.show(self._sight.notice)

    def _build(self, notice: str | None) -> None:
        if notice is None:
            return
        with box("p", "strip bad"):
            text(self._sight.words.say(notice))
            if notice == "unsent.idle":
                with box("a", "again", href="login"):
                    text(self._sight.words.say("login.enter"))
