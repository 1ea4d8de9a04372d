"""The people of the demo: an operator and a viewer over MQTT, a technician on the serial line. Nothing here can do
what a page, a terminal or a hand-typed client could not."""

from __future__ import annotations

import asyncio
import json
import os
import tty
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edge_agent.adapters.mqtt.say import Broken, Session, Unsent
from edge_agent.adapters.mqtt.settings import MqttSettings
from edge_agent.adapters.mqtt.traffic import Inbound, NotOpened
from edge_agent.messages.event import flat
from edge_agent.messages.topics import TopicKind

Flat = dict[str, Any]
QUIET_S = 0.6
"""A console answers in milliseconds; this long without a byte after an answer began is its end."""
ANSWER_S = 20.0
MODEL_LOOK_S = 0.5


class Unheard(Exception):
    """A request that could not be sent, or a stream that broke off."""


@dataclass(frozen=True, slots=True)
class Told:
    """What came back for one request: its content or failure, and its `done`."""

    content: Flat
    done: Flat

    @property
    def kind(self) -> str:
        return str(self.content.get("kind", self.content.get("type")))

    @property
    def text(self) -> str:
        return str(self.content.get("text", ""))


class Person:
    def __init__(self, settings: MqttSettings) -> None:
        self._session = Session(settings, on_other=self._hear, also=(TopicKind.STATE_CELL,))
        self._changed = asyncio.Event()
        self.cell: Flat = {}

    @classmethod
    @asynccontextmanager
    async def at(cls, port: int, user: str, password: str, prefix: str) -> AsyncIterator[Person]:
        person = cls(MqttSettings(port=port, username=user, password=password, prefix=prefix))
        opened = await person._session.open()
        if isinstance(opened, NotOpened):
            raise Unheard(f"{user} could not log in: {opened.reason}")
        async with person._session:
            yield person

    @property
    def user(self) -> str:
        return self._session.user

    @property
    def epoch(self) -> int:
        return self._session.epoch or 0

    async def ask(self, text: str) -> Told:
        return await self._answer(await self._session.ask(text))

    async def reply(self, prompt_id: str, text: str) -> Told:
        return await self._answer(await self._session.reply(prompt_id, text))

    async def confirm(self, card: Flat, yes: bool) -> Told:
        return await self._answer(await self._session.confirm(card["prompt_id"], card["digest"], yes=yes))

    async def stop(self) -> Told:
        return await self._answer(await self._session.stop())

    async def request(self, word: Any, **fields: Any) -> Told:
        return await self._answer(await self._session.request(word, fields))

    async def until_cell(self, holds: Callable[[Flat], bool], timeout_s: float) -> Flat:
        """The cell's retained state, once it is so. Raises `TimeoutError`."""
        async with asyncio.timeout(timeout_s):
            while not self.cell or not holds(self.cell):
                self._changed.clear()
                await self._changed.wait()
        return self.cell

    async def until_model(self, timeout_s: float) -> None:
        """Until the agent says that it has a usable model. Raises `TimeoutError`."""
        for _ in range(int(timeout_s / MODEL_LOOK_S)):
            if await self._model_named():
                return
            await asyncio.sleep(MODEL_LOOK_S)
        raise TimeoutError("the agent named no usable model")

    async def _model_named(self) -> bool:
        sent = await self._session.request("resync", {})
        if isinstance(sent, Unsent):
            return False
        named = False
        async for event in self._session.events(sent.run):
            if not isinstance(event, Broken) and event.body.type == "metadata":
                named = event.body.model is not None
        return named

    async def _answer(self, sent: Any) -> Told:
        if isinstance(sent, Unsent):
            raise Unheard(f"nothing was sent: {sent.reason}")
        content: Flat = {}
        async for event in self._session.events(sent.run):
            if isinstance(event, Broken):
                raise Unheard(f"the answer broke off: {event.reason}")
            if event.body.type in ("content", "failure"):
                content = flat(event)
            if event.body.type == "done":
                return Told(content, flat(event))
        raise Unheard("the answer had no end")

    def _hear(self, inbound: Inbound) -> None:
        self.cell = json.loads(inbound.payload)
        self._changed.set()


class Technician:
    """A terminal on the console's line: types a line, reads what comes until it is quiet."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._heard: asyncio.Queue[bytes] = asyncio.Queue()

    @classmethod
    @asynccontextmanager
    async def at(cls, line: Path) -> AsyncIterator[Technician]:
        fd = os.open(line, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(fd)
        technician = cls(fd)
        loop = asyncio.get_running_loop()
        loop.add_reader(fd, technician._read)
        try:
            yield technician
        finally:
            loop.remove_reader(fd)
            os.close(fd)

    async def login(self, name: str, pin: str) -> None:
        await self.command(f"login {name}")
        await self.command(pin)

    async def command(self, line: str) -> str:
        """What the console says to it, without the echo of what was typed."""
        while not self._heard.empty():
            self._heard.get_nowait()
        os.write(self._fd, line.encode() + b"\r")
        return (await self._until_quiet()).decode(errors="replace").replace(line, "", 1).strip()

    async def _until_quiet(self) -> bytes:
        async with asyncio.timeout(ANSWER_S):
            said = await self._heard.get()
        while True:
            try:
                async with asyncio.timeout(QUIET_S):
                    said += await self._heard.get()
            except TimeoutError:
                return said

    def _read(self) -> None:
        self._heard.put_nowait(os.read(self._fd, 4096))
