"""`edge-agent say`: an ordinary user at the broker, with the questions answered by a person or by the command line."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from rich.console import Console

from edge_agent.adapters.mqtt.say import Broken, Sent, Session, Unsent
from edge_agent.adapters.mqtt.settings import MqttSettings
from edge_agent.adapters.mqtt.traffic import NotOpened
from edge_agent.messages.codes import Lang, ReleaseOutcome
from edge_agent.messages.encode import encode_event
from edge_agent.messages.event import Event
from edge_agent.messages.prompt import Clarification, Confirmation
from edge_agent.say_lines import Lines
from edge_agent.say_view import View

AGENT_WITHIN_S: Final = 5.0
MAX_ROUNDS: Final = 8
"""Questions in one conversation; the agent itself asks twice at most and then hands over to a person."""
_YES: Final = frozenset({"yes", "y", "是", "确认"})
_STOP: Final = frozenset({"stop", "停", "停下", "停止"})
_EXIT: Final = frozenset({"exit", "quit", "退出"})


class Exit(IntEnum):
    """Exit status of the command."""

    RELEASED = 0
    """SUCCESS, or FALLBACK: handled and told."""
    NOT_RELEASED = 1
    """FAILED or CANCELLED."""
    NOT_SENT = 2
    UNKNOWN = 3
    """The stream broke: what became of it is not known here."""


@dataclass(frozen=True, slots=True)
class SayOptions:
    """`answers` are used for the questions in turn, `yes` for every confirmation; with `interactive` a person is
    asked for the rest, otherwise an unanswered question stays unanswered and nothing is done."""

    lang: Lang = "zh"
    answers: tuple[str, ...] = ()
    yes: bool = False
    interactive: bool = False
    json_lines: bool = False
    descriptor: int = 0
    """Where the person's lines come from."""


@dataclass(slots=True)
class _Talk:
    session: Session
    view: View
    options: SayOptions
    lines: Lines
    left: list[str]

    async def line(self, prompt: str, timeout_s: float | None) -> str | None:
        sys.stderr.write(prompt)
        sys.stderr.flush()
        return await self.lines.next(timeout_s)


def say(settings: MqttSettings, text: str | None, options: SayOptions, console: Console) -> int:
    """`run_say` from the command line; Ctrl-C leaves, which cancels what was not sent to the arm."""
    try:
        return asyncio.run(run_say(settings, text, options, console))
    except KeyboardInterrupt:
        View(console, options.lang).tell("interrupted")
        return Exit.UNKNOWN


async def run_say(settings: MqttSettings, text: str | None, options: SayOptions, console: Console) -> Exit:
    """Say `text` and see it through; without a text, sentence after sentence from the person at the terminal."""
    view = View(console, options.lang)
    async with Session(settings) as session:
        opened = await session.open()
        if isinstance(opened, NotOpened):
            view.tell("not_opened", reason=opened.reason)
            return Exit.NOT_SENT
        talk = _Talk(session, view, options, Lines(options.descriptor), list(options.answers))
        is_stop = text is not None and text.strip().lower() in _STOP
        there = await session.agent_there(AGENT_WITHIN_S)
        if not there:
            if is_stop:
                await session.stop()
            view.tell("stop_unheard" if is_stop else "no_agent")
            return Exit.NOT_SENT
        if text is not None:
            return await _conversation(talk, text)
        return await _sentences(talk)


async def _sentences(talk: _Talk) -> Exit:
    last = Exit.RELEASED
    while True:
        line = await talk.line(talk.view.told("ask"), None)
        if line is None or line.lower() in _EXIT:
            return last
        if line:
            last = await _conversation(talk, line)


async def _conversation(talk: _Talk, text: str) -> Exit:
    """One sentence with the questions that follow from it."""
    is_stop = text.strip().lower() in _STOP
    sent = await (talk.session.stop() if is_stop else talk.session.ask(text, talk.options.lang))
    if is_stop and isinstance(sent, Unsent):
        talk.view.tell("stop_unheard")
    for _ in range(MAX_ROUNDS):
        if isinstance(sent, Unsent):
            talk.view.tell(sent.reason)
            return Exit.NOT_SENT
        ended = await _follow(talk, sent)
        if not isinstance(ended, Clarification | Confirmation):
            return ended
        answered = await _answer(talk, ended)
        if answered is None:
            talk.view.tell("no_answer")
            return Exit.RELEASED
        sent = answered
    return Exit.RELEASED


async def _follow(talk: _Talk, sent: Sent) -> Exit | Clarification | Confirmation:
    """Show a run to its end; the question it ended with, or how it ended."""
    question: Clarification | Confirmation | None = None
    async with _hearing_stops(talk):
        async for event in talk.session.events(sent.run):
            if isinstance(event, Broken):
                talk.view.tell(event.reason)
                return Exit.UNKNOWN
            _show(talk, event)
            if isinstance(event.body, Clarification | Confirmation):
                question = event.body
            elif event.body.type == "done" and question is None:
                told = event.body.outcome in (ReleaseOutcome.SUCCESS, ReleaseOutcome.FALLBACK)
                return Exit.RELEASED if told else Exit.NOT_RELEASED
    return question if question is not None else Exit.UNKNOWN


@asynccontextmanager
async def _hearing_stops(talk: _Talk) -> AsyncIterator[None]:
    """While a run is shown, a person at a terminal can type stop. Anything else typed now is left aside: a yes that
    was typed before the question stood there must not answer it. What comes through a pipe is a script: its lines
    are taken in turn."""
    if not (talk.options.interactive and os.isatty(talk.options.descriptor)):
        yield
        return
    listening = asyncio.create_task(_stop_on_word(talk), name="typed-stop")
    try:
        yield
    finally:
        listening.cancel()
        await asyncio.wait({listening}, timeout=1.0)


async def _stop_on_word(talk: _Talk) -> None:
    while (line := await talk.lines.next(None)) is not None:
        if line.lower() in _STOP:
            sent = await talk.session.stop()
            talk.view.tell("stop_unheard" if isinstance(sent, Unsent) else "stop_sent")
        elif line:
            talk.view.tell("only_stop")


def _show(talk: _Talk, event: Event) -> None:
    if talk.options.json_lines:
        sys.stdout.write(encode_event(event).decode() + "\n")
        sys.stdout.flush()
    else:
        talk.view.show(event)


async def _answer(talk: _Talk, question: Clarification | Confirmation) -> Sent | Unsent | None:
    """What the person or the command line says to it; None for no answer, which does nothing."""
    match question:
        case Confirmation():
            said = "yes" if talk.options.yes else await _said(talk, "confirm", question.expires_in_s)
        case Clarification():
            said = await _said(talk, "reply", question.expires_in_s)
    if not said:
        return None
    if said.lower() in _STOP:
        return await talk.session.stop()
    if isinstance(question, Clarification):
        return await talk.session.reply(question.prompt_id, said)
    return await talk.session.confirm(question.prompt_id, question.digest, yes=said.lower() in _YES)


async def _said(talk: _Talk, key: str, seconds: float) -> str | None:
    if talk.left:
        return talk.left.pop(0)
    if not talk.options.interactive:
        return None
    talk.lines.forget()
    return await talk.line(talk.view.told(key, seconds=seconds), seconds)
