"""Alarms that need somebody: what is so, why, what follows, what to do, and the acknowledgement."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from edge_agent.desk.alarm_texts import TEXTS
from edge_agent.hmi.kit import Part, box, press, text
from edge_agent.hmi.sight import Sight
from edge_agent.messages.alarm import AlarmMessage
from edge_agent.messages.content import DoneAck

Shown = tuple[tuple[AlarmMessage, ...], bool, str | None]


class AlarmPanel:
    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        self._said: str | None = None
        with box("div", "scroll", data_id="alarms") as holder:
            self._part = Part[Shown](holder, self._build)

    def show(self) -> None:
        self._part.show((tuple(self._sight.visit.now.standing()), self._sight.operates, self._said))

    def _build(self, shown: Shown) -> None:
        alarms, operates, said = shown
        words = self._sight.words
        text(words.say("alarms.heading"), "h2")
        if said is not None:
            text(words.say(said), "p", "strip", role="status")
        if not alarms:
            text(words.say("alarms.none"), "p", "empty")
        with box("ul", "alarms"):
            for alarm in alarms:
                with box("li", f"alarm {alarm.severity}", data_alarm=alarm.id):
                    self._one(alarm, operates)

    def _one(self, alarm: AlarmMessage, operates: bool) -> None:
        words = self._sight.words
        own = TEXTS[alarm.type][words.lang]
        with box("p", "alarm-head"):
            text(words.word("severity", alarm.severity), classes="severity")
            text(own.message, "strong")
        with box("dl"):
            for key, value in (
                ("cause", _cause(alarm, own.cause)),
                ("consequence", own.consequence),
                ("response", own.response),
            ):
                if value:
                    with box("div"):
                        text(words.say(f"alarms.{key}"), "dt")
                        text(value, "dd")
        with box("div", "foot"):
            stands = "acked" if alarm.acked else "active" if alarm.active else "over"
            text(words.say(f"alarms.{stands}"), classes="tag")
            if alarm.acked and not alarm.active:
                text(words.say("alarms.over"), classes="tag")
            at = f"{alarm.raised_at.astimezone():%H:%M:%S}"
            text(words.say("alarms.since", at=at, source=alarm.source), "small")
            if not alarm.acked and operates:
                press(words.say("alarms.acknowledge"), self._acknowledging(alarm), "button", data_id="acknowledge")

    def _acknowledging(self, alarm: AlarmMessage) -> Callable[[], Awaitable[None]]:
        async def acknowledge() -> None:
            visit = self._sight.visit
            if not visit.may():
                self._said = "unsent.idle"
            else:
                told = await visit.fetch("ack_alarm", alarm=alarm.id, event_id=alarm.event_id)
                self._said = "alarms.taken" if isinstance(told, DoneAck) else "alarms.not_taken"
            self._sight.paint()

        return acknowledge


def _cause(alarm: AlarmMessage, own: str) -> str:
    """The cause in this page's language, with what was seen, which the agent's text ends with."""
    detail = alarm.cause
    for lang in ("zh", "en"):
        detail = detail.removeprefix(TEXTS[alarm.type][lang].cause)
    return f"{own} {detail.strip()}".strip()
