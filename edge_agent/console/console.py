"""The technician's console: what comes in on the line is judged, done, and told.

Stop first: a line that asks for a stop is served in the moment it ends, whoever typed it, whatever waits or runs.
Everything else goes one after the other through a short queue, so that a paste can neither overtake nor flood.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final

from edge_agent.adapters.console.line import Echo, GaveUp, Line, LineEditor
from edge_agent.adapters.console.pin import NAME
from edge_agent.adapters.console.screen import Screen
from edge_agent.adapters.console.tty import PortSettings, TtyPort
from edge_agent.adapters.log import log
from edge_agent.agent import Agent
from edge_agent.console import asking
from edge_agent.console.commands import LOGIN, LOGOUT, SAY, STOP, command_of
from edge_agent.console.desk import Desk
from edge_agent.console.entrance import Admission, Entrance, Left, Policy
from edge_agent.console.news import News, new_code
from edge_agent.console.questions import Verdict
from edge_agent.messages.cell_state import InjectedFault
from edge_agent.messages.codes import Lang
from edge_agent.messages.rate import RateLimit, Rates
from edge_agent.messages.request import StopRequest
from edge_agent.release.texts import Fact
from edge_agent.safety.permission import Role
from offline_rules.reading import StopSense

MAX_WAITING: Final = 16
"""Lines that are not served yet; a person is never ahead of the agent by so many."""
READINGS: Final = RateLimit(burst=20, per_s=10.0)
"""Sentences looked at for a stop in the moment they end."""
TICK_S: Final = 0.5

_log = log("console")


@dataclass(frozen=True, slots=True)
class ConsoleSettings:
    port: PortSettings
    policy: Policy
    lang: Lang


@dataclass(frozen=True, slots=True)
class _PinLine:
    name: str
    line: Line


class Console:
    """`news` is its outlet: what the agent says is shown there."""

    def __init__(
        self,
        agent: Agent,
        settings: ConsoleSettings,
        *,
        faults: Callable[[], tuple[InjectedFault, ...]] = lambda: (),
        fault_names: tuple[str, ...] = (),
        code: Callable[[], str] = new_code,
    ) -> None:
        self._agent = agent
        self._editor = LineEditor()
        self._port = TtyPort(settings.port, self._bytes, self._port_changed)
        self._screen = Screen(self._port.write, self._editor.shown)
        parts = agent.parts
        self._entrance = Entrance(settings.policy, parts.journal, agent.alarms, agent.monotonic_s)
        self._desk = Desk(agent, self._entrance, self._screen.put, settings.lang, faults, fault_names)
        self._waiting: asyncio.Queue[Line | _PinLine] = asyncio.Queue(MAX_WAITING)
        self._tasks: set[asyncio.Task[None]] = set()
        self._readings = Rates(READINGS)
        self._flooded = False
        self.news = News(self._desk, self._prompt, code)

    async def run(self) -> None:
        """Until cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._port.run(), name="console-port")
                group.create_task(self._serve(), name="console-lines")
                group.create_task(self._tick(), name="console-clock")
        finally:
            await self._entrance.leave("agent_stops")

    # -- what is typed ----------------------------------------------------------------------------------------

    def _bytes(self, data: bytes) -> None:
        for typed in self._editor.feed(data, self._agent.monotonic_s()):
            match typed:
                case Echo(text=text):
                    self._screen.echo(text)
                case Line():
                    self._take(typed)
                case GaveUp():
                    self._no_pin()
                    self._prompt()

    def _take(self, line: Line) -> None:
        """In the moment a line ends: a stop is served, a PIN is hidden; the rest waits its turn."""
        command, rest = command_of(line.text)
        if command is STOP or (command is SAY and self._wants_stop(rest)):
            self._stop()
        elif self._editor.secret:
            self._take_pin(line)
        elif command is LOGIN and line.clean and line.whole:
            self._ask_pin(rest)
        elif not line.text.strip():
            self._prompt()
        else:
            self._queue(line)

    def _wants_stop(self, text: str) -> bool:
        """Reading a sentence costs a millisecond or more; a flood of lines must not cost the arm its beat, so what
        comes faster than people type is looked at for the word alone."""
        within = text != "" and self._readings.within("line", self._agent.monotonic_s())
        return within and self._agent.parts.read(text).stop is StopSense.STOP

    def _stop(self) -> None:
        user = self._entrance.user
        request = StopRequest(v=1, lang=self._desk.lang)
        role = None if user is None else Role.TECHNICIAN
        task = self._agent.stop(self._entrance.speaks_as, request, channel="console", role=role)
        task.add_done_callback(self._stop_told)
        self._desk.questions.clear()
        self._desk.tell("stop.asked")
        self._prompt()

    def _stop_told(self, task: asyncio.Task[object]) -> None:
        """The stop word is out; if its story could not be written, that is said instead of nothing."""
        if not task.cancelled() and task.exception() is not None:
            _log.error("stop_not_told", why=repr(task.exception()))
            self._desk.tell("stop.untold")

    def _queue(self, item: Line | _PinLine) -> None:
        try:
            self._waiting.put_nowait(item)
        except asyncio.QueueFull:
            if not self._flooded:
                self._flooded = True
                self._desk.tell("refused.flood")

    # -- one line after the other -----------------------------------------------------------------------------

    async def _serve(self) -> None:
        while True:
            item = await self._waiting.get()
            if isinstance(item, _PinLine):
                await self._enter(item)
            else:
                await self._line(item)
            if self._waiting.empty():
                self._flooded = False
            self._prompt()

    async def _line(self, line: Line) -> None:
        desk = self._desk
        if line.clean:
            self._entrance.touch()
        if not line.whole:
            desk.tell("refused.long")
        elif not await self._answered(desk.questions.judge(line, self._agent.monotonic_s())):
            await self._command(line)

    async def _command(self, line: Line) -> None:
        desk = self._desk
        command, rest = command_of(line.text)
        if command.login and self._entrance.user is None:
            desk.tell("refused.login")
        elif command.clean and not line.clean:
            desk.tell("refused.noise")
        elif command is LOGOUT:
            await self._leave("logout")
        else:
            await command.act(desk, rest)

    async def _answered(self, verdict: Verdict) -> bool:
        """False where the line was no answer to a question about a motion."""
        if verdict is Verdict.NOT_MINE:
            return False
        question = None
        if verdict in (Verdict.YES, Verdict.NO, Verdict.WRONG_CODE):
            question = self._desk.questions.take_motion()
        self._desk.tell(f"question.{verdict.name.lower()}")
        if question is not None:
            await asking.confirm(self._desk, question, verdict is Verdict.YES)
        return True

    # -- login ------------------------------------------------------------------------------------------------

    def _ask_pin(self, name: str) -> None:
        locked_s = self._entrance.locked_for_s()
        if not NAME.fullmatch(name):
            self._desk.tell("login.usage")
        elif locked_s > 0:
            self._desk.tell("login.locked", {"seconds": int(locked_s) + 1})
        else:
            self._entrance.ask(name)
            self._editor.secret = True
        self._prompt()

    def _take_pin(self, line: Line) -> None:
        """Nothing that was typed unseen is ever taken for a sentence, however late it comes."""
        name = self._entrance.asking
        self._no_pin()
        if name is None:
            self._desk.tell("login.late")
        elif not (line.clean and line.whole):
            self._desk.tell("refused.noise")
        elif line.text:
            self._queue(_PinLine(name, line))
            return
        self._prompt()

    def _no_pin(self) -> None:
        self._entrance.give_up()
        self._editor.secret = False

    async def _enter(self, given: _PinLine) -> None:
        admitted = await self._entrance.enter(given.name, given.line.text)
        facts: dict[str, Fact] = {
            "user": given.name,
            "left": self._entrance.tries_left(),
            "seconds": int(self._entrance.locked_for_s()) + 1,
        }
        if admitted is Admission.IN:
            self._desk.questions.clear()
        self._desk.tell(f"login.{admitted.name.lower()}", facts)

    async def _leave(self, why: Left) -> None:
        """An open question goes with whoever was asked."""
        question = self._desk.questions.take_motion()
        if question is not None and self._entrance.user == question.user:
            await asking.confirm(self._desk, question, yes=False)
        self._desk.questions.clear()
        if await self._entrance.leave(why) is not None:
            self._desk.tell(f"left.{why}")

    # -- time and the port ------------------------------------------------------------------------------------

    async def _tick(self) -> None:
        while True:
            await self._agent.parts.clock.sleep(TICK_S)
            told = self._desk.questions.lapsed(self._agent.monotonic_s())
            if told:
                self._desk.tell("question.lapsed")
            if self._editor.secret and self._entrance.asking is None:
                self._editor.clear()
                self._no_pin()
                self._desk.tell("login.late")
                told = True
            if self._entrance.idle_too_long():
                await self._leave("idle")
                told = True
            await self._entrance.lock_over()
            if told:
                self._prompt()

    def _port_changed(self, there: bool) -> None:
        self._editor.clear()
        self._no_pin()
        if there:
            self._desk.tell("greeting", {"cell": self._agent.parts.spec.name})
            self._prompt()
            return
        while not self._waiting.empty():
            self._waiting.get_nowait()
        self._keep(self._leave("port_lost"))

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _prompt(self) -> None:
        user, question = self._entrance.user or "", self._desk.questions.motion
        if self._editor.secret:
            self._screen.prompt("PIN: ")
        else:
            self._screen.prompt(f"{user} [{question.code}]> " if question else f"{user}> ")
