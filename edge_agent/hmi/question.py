"""The open question: options as buttons, or the card that says exactly what would move, with the seconds that are
left. What expired or became void is said, and nothing can be pressed any more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import ceil

from edge_agent.hmi.kit import Box, Part, TextElement, box, press, relabel, restyle, text
from edge_agent.hmi.sight import Sight
from edge_agent.hmi.talk import Asked, PromptEnd
from edge_agent.messages.prompt import Clarification, Confirmation

NO = "no"
"""What is replied where the one option that was offered is not meant; understood in both languages."""
FULL_S = 30.0


@dataclass(frozen=True, slots=True)
class Shown:
    prompt_id: str
    end: PromptEnd
    operates: bool
    sendable: bool


class Question:
    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        self._left: TextElement | None = None
        self._bar: Box | None = None
        self._lasts_s = FULL_S
        with box("div", "question-holder", aria_live="assertive", data_id="question") as holder:
            self._part = Part[Shown | None](holder, self._build)

    def show(self) -> None:
        talk, now_s = self._sight.visit.talk, self._sight.clock()
        talk.open_prompt(now_s)
        asked = talk.asked
        shown = None
        if asked is not None and asked.end != "answered":
            shown = Shown(asked.prompt.prompt_id, asked.end, self._sight.operates, self._sight.live())
        self._part.show(shown)
        self._count(asked, now_s)

    def _count(self, asked: Asked | None, now_s: float) -> None:
        if asked is None or asked.end != "open" or self._left is None or self._bar is None:
            return
        left_s = max(0.0, asked.until_s - now_s)
        relabel(self._left, self._sight.words.say("question.left", seconds=ceil(left_s)))
        restyle(self._bar, f"transform: scaleX({min(1.0, left_s / self._lasts_s):.3f})")

    def _build(self, shown: Shown | None) -> None:
        self._left = self._bar = None
        asked = self._sight.visit.talk.asked
        if shown is None or asked is None:
            return
        if shown.end != "open":
            text(self._sight.words.say(f"question.{shown.end}"), "p", "strip over", data_id="question-over")
            return
        prompt = asked.prompt
        self._lasts_s = max(FULL_S, prompt.expires_in_s)
        if isinstance(prompt, Clarification):
            self._clarify(prompt, shown.sendable)
        else:
            self._confirm(prompt, shown.sendable)
        if not shown.sendable:
            text(self._sight.words.say("question.away"), "p", "strip lost", data_id="question-away")

    # -- which one? -------------------------------------------------------------------------------------------

    def _clarify(self, prompt: Clarification, sendable: bool) -> None:
        words = self._sight.words
        with box("section", "card clarify", aria_label=words.say("question.which"), data_id="clarification"):
            self._head(words.say("question.which"))
            alone = len(prompt.candidates) == 1
            if alone or prompt.missing is not None:
                text(prompt.text, "p", "words")
            with box("div", "options"):
                for candidate in prompt.candidates:
                    label = f"{candidate.n}. {candidate.label}"
                    self._option(prompt, str(candidate.n), label, candidate.example, sendable)
                for value in self._values(prompt.missing):
                    self._option(prompt, value, value, "", sendable)
                if alone:
                    self._option(prompt, NO, words.say("question.not_meant"), "", sendable)
            text(words.say("question.default"), "small")

    def _option(self, prompt: Clarification, said: str, label: str, example: str, sendable: bool) -> None:
        with box("button", "button option", type="button", disabled=not sendable) as option:
            text(label, "strong")
            if example:
                text(self._sight.words.say("question.example", example=example), "small")
        option.on("click", self._replying(prompt.prompt_id, said, label), args=[])

    def _values(self, missing: str | None) -> tuple[str, ...]:
        """What this cell has for the slot that is missing."""
        spec = self._sight.spec
        named = {
            "item_type": tuple(i.name for i in spec.items),
            "bin": tuple(b.name for b in spec.bins),
            "station": tuple(s.name for s in spec.stations),
            "device": tuple(d.name for d in spec.devices),
        }
        return named.get(missing or "", ())

    def _replying(self, prompt_id: str, said: str, shown: str) -> Callable[[], Awaitable[None]]:
        async def reply() -> None:
            await self._sight.tried(self._sight.visit.reply(prompt_id, said, shown))

        return reply

    # -- shall it move? ---------------------------------------------------------------------------------------

    def _confirm(self, prompt: Confirmation, sendable: bool) -> None:
        words = self._sight.words
        with box("section", "card confirm", aria_label=words.say("question.confirm"), data_id="confirmation"):
            self._head(words.say("question.confirm"))
            with box("dl", "what"):
                for key, value in self._rows(prompt):
                    with box("div"):
                        text(words.say(f"question.{key}"), "dt")
                        text(value, "dd")
            for caution in prompt.warnings:
                text(caution.text, "p", "caution")
            if prompt.checks:
                self._checks(prompt)
            self._answers(prompt, sendable)

    def _rows(self, prompt: Confirmation) -> list[tuple[str, str]]:
        words = self._sight.words
        rows = [("what", words.word("action", prompt.action)), ("device", prompt.device)]
        slots = {name: str(value) for name, value in prompt.slots.items()}
        for end in ("from", "to"):
            key = f"route.{prompt.action}.{end}"
            said = words.own.try_say(key, slots) if words.own.has(key) else None
            if said is not None:
                rows.append((end, said))
        return rows

    def _checks(self, prompt: Confirmation) -> None:
        with box("details", "checks"):
            with box("summary"):
                text(f"{self._sight.words.say('question.checks')} {len(prompt.checks)}")
            with box("ul"):
                for check in prompt.checks:
                    text(check.text, "li", "ok" if check.ok else "not-ok")

    def _answers(self, prompt: Confirmation, sendable: bool) -> None:
        words = self._sight.words
        if not self._sight.operates:
            text(words.say("question.viewer"), "p", "caution")
            return
        with box("div", "answers"):
            for name, yes, tone in (("no", False, "button large"), ("yes", True, "button large strong")):
                answering = self._answering(prompt, yes)
                press(words.say(f"question.{name}"), answering, tone, data_id=name, disabled=not sendable)
        text(words.say("question.default"), "small")

    def _answering(self, prompt: Confirmation, yes: bool) -> Callable[[], Awaitable[None]]:
        async def answer() -> None:
            await self._sight.tried(self._sight.visit.confirm(prompt, yes=yes))

        return answer

    def _head(self, heading: str) -> None:
        with box("div", "card-head"):
            text(heading, "h3")
            self._left = text("", classes="left", aria_live="off", data_id="left")
        with box("div", "bar", aria_hidden="true"):
            self._bar = box("i")
