"""The conversation: what was said, the phases of a run as it goes, what came of it and what that stands on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from edge_agent.hmi.kit import Box, Part, box, press, text
from edge_agent.hmi.sight import Sight
from edge_agent.hmi.talk import Exchange
from edge_agent.hmi.told import Proofs, Sheet, sheet
from edge_agent.messages.content_base import NextStep

Explain = Callable[[str], Awaitable[None]]
TRY = ("查一下 glass 的分拣规则", "arm_01 忙不忙", "动作=回零 设备=arm_01")
TRY_EN = ("which bin for glass?", "is arm_01 busy?", "action=home device=arm_01")


@dataclass(slots=True)
class _Row:
    holder: Box
    part: Part[tuple[int, bool]]


@dataclass(slots=True)
class Conversation:
    sight: Sight
    explain: Explain
    _rows: dict[str, _Row] = field(default_factory=dict)
    _list: Box = field(init=False)
    _empty: Part[bool] = field(init=False)

    def __post_init__(self) -> None:
        words = self.sight.words
        with box("div", "talk", role="log", aria_live="polite", aria_label=words.say("talk.label"), data_id="talk"):
            with box("div") as holder:
                self._empty = Part[bool](holder, self._build_empty)
            self._list = box("ol", "exchanges")

    def show(self) -> None:
        exchanges = self.sight.visit.talk.exchanges()
        self._empty.show(not exchanges)
        runs = {e.run: e for e in exchanges}
        for run in [run for run in self._rows if run not in runs]:
            self._rows.pop(run).holder.delete()
        live = self.sight.live()
        for run, exchange in runs.items():
            row = self._rows.get(run) or self._new_row(run)
            row.part.show((exchange.changes, live or exchange.ended))

    def _new_row(self, run: str) -> _Row:
        with self._list:
            holder = box("li", "exchange", data_run=run)
        row = _Row(holder, Part[tuple[int, bool]](holder, lambda _shown: self._build(run)))
        self._rows[run] = row
        return row

    # -- one exchange -----------------------------------------------------------------------------------------

    def _build(self, run: str) -> None:
        exchange = next((e for e in self.sight.visit.talk.exchanges() if e.run == run), None)
        if exchange is None:
            return
        self._said(exchange)
        if exchange.content is None and exchange.failure is None and exchange.unheard is None:
            self._running(exchange)
            return
        with box("div", f"answer {_tone(exchange)}", data_kind=_kind(exchange)):
            self._answer(exchange, sheet(exchange, self.sight.words))

    def _said(self, exchange: Exchange) -> None:
        words = self.sight.words
        if exchange.act is None:
            text(words.say("talk.elsewhere"), "p", "elsewhere")
            return
        with box("p", "said"):
            if exchange.said:
                text(exchange.said)
            else:
                text(words.say(f"act.{exchange.act}"), classes="acted")

    def _running(self, exchange: Exchange) -> None:
        words = self.sight.words
        with box("div", "running", data_id="running"):
            with box("ol", "phases"):
                for status in exchange.phases[-4:]:
                    with box("li"):
                        text(words.word("phase", status.phase.value))
                        if status.attempt is not None and status.max_attempts is not None:
                            text(words.say("talk.attempt", attempt=status.attempt, most=status.max_attempts), "small")
                if not exchange.phases:
                    text(words.say("talk.running"), "li")
            if exchange.act != "stop":
                press(words.say("talk.cancel"), self._cancel, "button quiet")

    async def _cancel(self) -> None:
        await self.sight.tried(self.sight.visit.cancel())

    def _answer(self, exchange: Exchange, told: Sheet) -> None:
        words = self.sight.words
        with box("p", "answer-head"):
            text(told.title, "strong")
            if told.outcome:
                text(told.outcome, classes="outcome")
            for tag in told.tags:
                text(tag, classes="tag")
        text(told.text, "p", "words")
        for heading, lines in told.lists:
            text(heading, "h4")
            with box("ul"):
                for each in lines:
                    text(each, "li")
        if told.steps:
            self._steps(told.steps)
        with box("div", "foot"):
            if told.evidence:
                self._evidence(told)
            press(words.say("talk.explain"), lambda: self.explain(exchange.run), "button quiet", data_id="explain")

    def _steps(self, steps: tuple[NextStep, ...]) -> None:
        with box("ul", "steps"):
            for step in steps:
                if step.example:
                    with box("li"):
                        press(step.example, self._saying(step.example), "button chip")

    def _evidence(self, told: Sheet) -> None:
        """Built when it is opened: it is most of an answer's elements, and the browser minds each at every change."""
        with box("details", "evidence") as details:
            text(self.sight.words.say("talk.evidence", count=len(told.evidence)), "summary")
            body = Part[Proofs](box("div"), _proofs)
        details.on("toggle", lambda: body.show(told.evidence), args=[])

    # -- nothing said yet -------------------------------------------------------------------------------------

    def _build_empty(self, empty: bool) -> None:
        if not empty:
            return
        words = self.sight.words
        with box("div", "empty"):
            text(words.say("talk.empty"), "p")
            with box("div", "chips"):
                for example in TRY if words.lang == "zh" else TRY_EN:
                    press(example, self._saying(example), "button chip")

    def _saying(self, said: str) -> Callable[[], Awaitable[None]]:
        async def say() -> None:
            await self.sight.tried(self.sight.visit.ask(said))

        return say


def _proofs(evidence: Proofs) -> None:
    for name, facts in evidence:
        text(name, "h5")
        with box("dl"):
            for key, value in facts:
                text(key, "dt")
                text(value, "dd")


def _tone(exchange: Exchange) -> str:
    if exchange.failure is not None or exchange.unheard is not None:
        return "bad"
    content = exchange.content
    state = getattr(content, "command_state", None)
    if state in ("UNKNOWN", "ABORTED"):
        return "warn" if getattr(content, "proved", state == "ABORTED") else "bad"
    if content is not None and content.kind in ("rejection", "explanation"):
        return "warn" if content.kind == "rejection" else "plain"
    return "good" if exchange.done is not None and exchange.done.outcome == "SUCCESS" else "plain"


def _kind(exchange: Exchange) -> str:
    return exchange.content.kind.value if exchange.content is not None else "failure"
