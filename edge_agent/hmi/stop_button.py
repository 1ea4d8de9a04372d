"""The stop request: one press, whatever else is pending, and what the controller said about it afterwards."""

from __future__ import annotations

from typing import Final

from edge_agent.hmi.kit import Part, box, mark, text
from edge_agent.hmi.sight import Sight
from edge_agent.hmi.talk import Exchange
from edge_agent.hmi.visit import NotSent
from edge_agent.messages.content import Stop

ANSWER_S: Final = 2.0
"""A controller that stops shows it within a few tenths of a second; who waits longer is told what to do."""


class StopButton:
    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        self._heard = 0
        self._unsent: NotSent | None = None
        self._leaving = False
        self._pressed_s = 0.0
        self.waits = False
        """A press has no answer yet, so that its age matters."""
        words = sight.words
        with box("section", "stopping", aria_label=words.say("stop.label")):
            with box(
                "button", "stop-button", type="button", aria_label=words.say("stop.label"), data_id="stop"
            ) as self._button:
                text(words.say("stop.button"))
            self._button.on("click", self._press, args=[])
            text(words.say("stop.unserved"), "p", "stop-unserved", role="alert", hidden=True)
            with box("p", "stop-said", role="status", data_id="stop-said") as said:
                self._said = Part[tuple[str, str]](said, self._build)

    def show(self) -> None:
        self._said.show(self._word())

    async def _press(self) -> None:
        """`data-heard` tells the page's own script that the press has arrived here."""
        self._heard, self._pressed_s = self._heard + 1, self._sight.clock()
        mark(self._button, data_heard=self._heard)
        self._leaving = True
        self._sight.paint()
        self._unsent = await self._sight.visit.stop()
        self._leaving = False
        self._sight.paint()

    def _word(self) -> tuple[str, str]:
        """A tone and a sentence."""
        say = self._sight.words.say
        late = self._sight.clock() - self._pressed_s > ANSWER_S
        self.waits = self._leaving
        if self._leaving:
            return ("bad", say("stop.unacked")) if late else ("busy", say("stop.leaving"))
        if self._unsent is not None:
            return "bad", say("stop.unacked" if self._unsent == "unacked" else "stop.unsent")
        last = next((e for e in reversed(self._sight.visit.talk.exchanges()) if _is_stop(e)), None)
        if last is None or (isinstance(last.content, Stop) and last.content.proved and not self._stands()):
            return "", say("stop.hint")
        if isinstance(last.content, Stop):
            seen = last.content.end_state.get("controller")
            controller = self._sight.words.word("controller", str(seen)) if seen is not None else "–"
            key = "stop.proved" if last.content.proved else "stop.not_proved"
            return "good" if last.content.proved else "bad", say(key, controller=controller)
        if last.ended:
            return "bad", say("stop.unheard")
        self.waits = True
        return ("bad", say("stop.late")) if late else ("busy", say("stop.sent"))

    def _stands(self) -> bool:
        """What was said about a stop holds for as long as the cell is stopped."""
        cell = self._sight.visit.now.cell
        return cell is not None and cell.state in ("STOPPING", "STOPPED")

    def _build(self, word: tuple[str, str]) -> None:
        text(word[1], classes=f"said {word[0]}")


def _is_stop(exchange: Exchange) -> bool:
    return exchange.act == "stop" or isinstance(exchange.content, Stop)
