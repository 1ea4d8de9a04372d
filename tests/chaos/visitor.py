"""Somebody who wants the arm to move: over the broker, or at the cell's console. The same words either way."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from edge_agent.adapters.mqtt.say import Session
from edge_agent.adapters.mqtt.traffic import Opened
from edge_agent.messages.event import flat
from edge_agent.messages.topics import TopicKind
from edge_agent.messages.wire import utc_text
from edge_agent.run.ids import ulid
from edge_agent.run.journal import Kind
from tests.chaos.site import Site, mqtt_settings

USER = "op1"
HOME = "action=home device=arm_01"
PARK = "action=park device=arm_01"
PICK = "action=pick item=glass device=arm_01"
PICK_AND_PLACE = "action=pick_place item=glass bin=2 device=arm_01"


@dataclass(frozen=True, slots=True)
class Message:
    """A request as bytes, to be sent once or, by whoever means harm, again."""

    run: str
    payload: bytes


def message(word: str, **fields: object) -> Message:
    run = ulid(time.time_ns() // 1_000_000, secrets.token_bytes(10))
    body = {"v": 1, "id": run, "type": word, "issued_at": utc_text(datetime.now(UTC)), "ttl_ms": 20_000, **fields}
    return Message(run, json.dumps(body).encode())


class Visitor(Protocol):
    async def send(self, said: Message) -> None:
        """On its way; an agent that is gone takes nothing."""

    async def stop(self) -> None: ...

    async def content(self, run: str) -> dict[str, Any]:
        """The one content or failure of a run."""

    @property
    def attached(self) -> str | None: ...


async def ask(visitor: Visitor, text: str) -> tuple[Message, dict[str, Any]]:
    said = message("ask", text=text)
    await visitor.send(said)
    return said, await visitor.content(said.run)


def confirmation(visitor: Visitor, prompt: dict[str, Any], *, yes: bool = True) -> Message:
    assert prompt.get("kind") == "confirmation", prompt
    attached = {} if visitor.attached is None else {"attached": visitor.attached}
    shown = {"prompt_id": prompt["prompt_id"], "digest": prompt["digest"], "epoch": prompt["epoch"]}
    return message("confirm", **shown, **attached, confirm=yes)


async def move(visitor: Visitor, text: str) -> dict[str, Any]:
    """From the wish to its end."""
    _, prompt = await ask(visitor, text)
    said = confirmation(visitor, prompt)
    await visitor.send(said)
    return await visitor.content(said.run)


class ByMqtt:
    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def attached(self) -> str | None:
        return self._session.client

    async def send(self, said: Message) -> None:
        await self._session.send_raw(TopicKind.REQ, said.payload, said.run)

    async def stop(self) -> None:
        await self._session.send_raw(TopicKind.STOP, message("stop").payload)

    async def content(self, run: str) -> dict[str, Any]:
        async for event in self._session.events(run):
            told = flat(event) if not hasattr(event, "reason") else {}
            if told.get("type") in ("content", "failure"):
                return told
        raise AssertionError(f"the stream of {run} ended without content")


class AtTheConsole:
    """Answers are read where the console's own screen has them from: the journal."""

    attached = None

    def __init__(self, site: Site) -> None:
        self._site = site

    async def send(self, said: Message) -> None:
        await self._site.console.ask(op="say", user=USER, payload=said.payload.decode())

    async def stop(self) -> None:
        await self._site.console.ask(op="stop", user=USER)

    async def content(self, run: str) -> dict[str, Any]:
        await self._site.until_rows(1, Kind.TERMINAL, run=run)
        events = [row.body["event"] for row in self._site.rows(Kind.EVENT, run=run)]
        found: dict[str, Any] = next(e for e in events if e["type"] in ("content", "failure"))
        return found


@asynccontextmanager
async def visitor(arrival: str, site: Site) -> AsyncIterator[Visitor]:
    if arrival == "console":
        yield AtTheConsole(site)
        return
    async with logged_in(site, USER) as session:
        yield ByMqtt(session)


@asynccontextmanager
async def logged_in(site: Site, user: str) -> AsyncIterator[Session]:
    async with Session(mqtt_settings(site.broker, user)) as session:
        answer = await session.open()
        assert isinstance(answer, Opened), answer
        yield session
