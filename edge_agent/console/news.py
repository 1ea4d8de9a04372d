"""What the agent says, shown on the line: an `Outlet` of the channel `console`.

The answers to the console's own user, the questions with their code, and what everybody at the cell should know
unasked: alarms, and a cell that leaves its work or comes back to it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from edge_agent.console import page
from edge_agent.console.desk import Desk
from edge_agent.console.looking import alarm_lines
from edge_agent.console.questions import ChoiceQuestion, MotionQuestion
from edge_agent.control.view import CellView
from edge_agent.desk.stream import Address
from edge_agent.messages.alarm import AlarmMessage
from edge_agent.messages.event import Event, Metadata
from edge_agent.messages.prompt import Clarification, Confirmation
from edge_agent.safety.cell import CellState

TOLD: Final = frozenset({CellState.OFFLINE, CellState.STOPPED, CellState.LOCKED_OUT, CellState.MANUAL})
"""States whose coming and going is told unasked; a working cell's own steps are not."""


def new_code() -> str:
    """Four different digits: noise repeats itself."""
    return "".join(random.SystemRandom().sample("0123456789", 4))


class News:
    """`prompt` shows the prompt anew, where an open question changed it."""

    def __init__(self, desk: Desk, prompt: Callable[[], None], code: Callable[[], str]) -> None:
        self._desk, self._prompt, self._new_code = desk, prompt, code
        self._state = desk.agent.supervisor.view.state

    def event(self, address: Address, event: Event) -> None:
        if address.channel != "console":
            return
        body = event.body
        if isinstance(body, Metadata) and body.intent == "STOP":
            self._desk.last_run = event.envelope.run
        text = "\n".join(page.lines(self._desk, body))
        if text:
            self._desk.say(text)
        if address.user == self._desk.entrance.user:
            self._ask(address.user, body)

    def _ask(self, user: str, body: object) -> None:
        now_s, questions = self._desk.agent.monotonic_s(), self._desk.questions
        if isinstance(body, Clarification):
            questions.choice = ChoiceQuestion(body.prompt_id, now_s + body.expires_in_s)
        if isinstance(body, Confirmation):
            code = self._new_code()
            questions.motion = MotionQuestion(code, body.prompt_id, body.digest, user, now_s + body.expires_in_s)
            self._desk.tell("question.code", {"code": code, "seconds": round(body.expires_in_s)})
            self._prompt()

    def cell(self, view: CellView) -> None:
        before, self._state = self._state, view.state
        if before is view.state or not {before, view.state} & TOLD:
            return
        facts = {"state": self._desk.words.word("cell_state", view.state.value), "word": view.state.value}
        if view.reason and view.state is not CellState.READY:
            facts["why"] = self._desk.why(view.reason)
        self._desk.tell("news.cell", facts)

    def alarm(self, message: AlarmMessage) -> None:
        self._desk.say(alarm_lines(self._desk, message))

    def session_changed(self, user: str) -> None:
        """A console line is not reloaded."""
