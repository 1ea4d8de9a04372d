"""A user's session and the command that shows it, against a scripted agent at a real broker."""

from __future__ import annotations

import asyncio
import io
import os
import pty
import signal
import socket
import time
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from edge_agent.adapters.mqtt.broker import Broker
from edge_agent.adapters.mqtt.say import Broken, Sent, Session, Unsent
from edge_agent.adapters.mqtt.traffic import NotOpened, Opened
from edge_agent.messages.content import Answer
from edge_agent.messages.event import Event
from edge_agent.messages.topics import TopicKind
from edge_agent.say import Exit, SayOptions, run_say
from tests.adapters.mqtt.peers import peer, settings, until
from tests.adapters.mqtt.scripted import EPOCH, scripted_agent

pytestmark = pytest.mark.net


async def events(session: Session, sent: Sent | Unsent) -> list[Event | Broken]:
    assert isinstance(sent, Sent), sent
    return [event async for event in session.events(sent.run, silence_s=5.0)]


async def said(broker: Broker, text: str | None, options: SayOptions) -> tuple[Exit, str]:
    out = io.StringIO()
    code = await run_say(settings(broker, "op1"), text, options, Console(file=out, width=100))
    return code, out.getvalue()


async def test_an_ask_and_its_stream(own_broker: Broker) -> None:
    async with scripted_agent(own_broker) as one, Session(settings(own_broker, "op1")) as session:
        assert isinstance(await session.open(), Opened)
        assert await session.agent_there(5)
        assert session.epoch == EPOCH
        one.times = 2  # what is sent again is seen once
        got = await events(session, await session.ask("glass rule"))
        assert [e.body.type for e in got if isinstance(e, Event)] == ["metadata", "status", "content", "done"]
        assert [e.envelope.seq for e in got if isinstance(e, Event)] == [0, 1, 2, 3]
        body = got[2].body if isinstance(got[2], Event) else None
        assert isinstance(body, Answer)
        assert body.text == "you said glass rule"
        assert one.requests[0].attached == session.client
        assert one.presences == [b"HERE"]
    await asyncio.sleep(0)


async def test_presence_is_taken_back_and_is_a_last_will(own_broker: Broker) -> None:
    async with scripted_agent(own_broker) as one:
        page = Session(settings(own_broker, "op1"))
        await page.open()
        await until(lambda: one.presences == [b"HERE"], "presence")
        await page.close()
        await until(lambda: one.presences == [b"HERE", b""], "the farewell")
        torn = Session(settings(own_broker, "op1"))
        await torn.open()
        await until(lambda: len(one.presences) == 3, "presence again")
        assert torn._connection is not None
        sock: Any = torn._connection._client.socket()
        sock.shutdown(socket.SHUT_RDWR)
        await until(lambda: one.presences[-1] == b"", "the last will")
        await torn.close()


@pytest.mark.parametrize("size", [8193, 20_000, 1_000_000])
async def test_h18_too_large_is_never_sent(own_broker: Broker, size: int) -> None:
    async with scripted_agent(own_broker) as one, Session(settings(own_broker, "op1")) as session:
        await session.open()
        assert await session.ask("x" * size) == Unsent("too_large")
        assert session.connected
        await events(session, await session.ask("next"))
        assert len(one.requests) == 1


async def test_lone_surrogate_is_sent_as_text(own_broker: Broker) -> None:
    """A terminal that is not UTF-8 gives such; it must not end the session."""
    async with scripted_agent(own_broker), Session(settings(own_broker, "op1")) as session:
        await session.open()
        assert len(await events(session, await session.ask("a\udce9b"))) == 4


async def test_the_access_list_refuses_what_is_not_ours(own_broker: Broker) -> None:
    async with Session(settings(own_broker, "op1")) as session:
        await session.open()
        assert await session.send_raw(TopicKind.LAST, b"x") == Unsent("refused")


async def test_broken_streams_are_told(own_broker: Broker) -> None:
    async with Session(settings(own_broker, "op1")) as session:
        await session.open()
        async with scripted_agent(own_broker):
            assert await session.agent_there(5)
            quiet = await session.ask("silent")
            assert isinstance(quiet, Sent)
            assert [e async for e in session.events(quiet.run, silence_s=0.0)] == [Broken("silent")]
            lost = await session.ask("silent")
        assert await events(session, lost) == [Broken("agent_gone")]
        own_broker.kill()
        await until(lambda: not session.connected, "the loss")
        assert await session.ask("x") == Unsent("offline")
        assert isinstance(lost, Sent)
        assert [e async for e in session.events(lost.run)] == [Broken("connection_lost")]


async def test_what_a_broker_does_not_answer_is_neither_sent_nor_unsent(own_broker: Broker) -> None:
    hasty = replace(settings(own_broker, "op1"), connect_timeout_s=1.0)
    async with Session(hasty) as session:
        assert isinstance(await session.open(), Opened)
        pid = own_broker.pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        try:
            assert await session.ask("home the arm") == Unsent("unacked")
        finally:
            os.kill(pid, signal.SIGCONT)


async def test_wrong_password_is_said(shared_broker: Broker) -> None:
    async with Session(settings(shared_broker, "op1", password="wrong")) as session:
        answer = await session.open()
        assert isinstance(answer, NotOpened)
        assert answer.refused


@pytest.mark.parametrize(
    ("text", "options", "code", "words"),
    [
        ("glass rule", SayOptions(lang="en"), Exit.RELEASED, ["you said glass rule", "SUCCESS"]),
        ("vague", SayOptions(lang="en", answers=("1",)), Exit.RELEASED, ["which?", "1) rule", "you said 1"]),
        ("move", SayOptions(lang="en", yes=True), Exit.RELEASED, ["[bold]home?", "arm_01: home", "confirmed"]),
        ("move", SayOptions(lang="en", answers=("no",)), Exit.RELEASED, ["declined"]),
        ("move", SayOptions(lang="en"), Exit.RELEASED, ["nothing was done"]),
        ("move", SayOptions(lang="en", answers=("stop",)), Exit.RELEASED, ["stopped"]),
        ("停", SayOptions(lang="zh"), Exit.RELEASED, ["stopped"]),
        ("x" * 9000, SayOptions(lang="zh"), Exit.NOT_SENT, ["没有发送"]),
    ],
)
async def test_command(own_broker: Broker, text: str, options: SayOptions, code: Exit, words: list[str]) -> None:
    async with scripted_agent(own_broker):
        got, out = await said(own_broker, text, options)
    assert got is code, out
    assert [word for word in words if word not in out] == [], out


async def test_a_script_in_a_pipe_is_taken_line_by_line(own_broker: Broker) -> None:
    reading, writing = os.pipe()
    try:
        async with scripted_agent(own_broker) as one:
            os.write(writing, b"glass rule\nvague\n1\nmove\nyes\nexit\n")
            options = SayOptions(lang="en", interactive=True, descriptor=reading)
            got, out = await said(own_broker, None, options)
        assert got is Exit.RELEASED
        assert "confirmed" in out
        assert [r.type for r in one.requests] == ["ask", "ask", "reply", "ask", "confirm"]
    finally:
        os.close(reading)
        os.close(writing)


async def test_a_yes_typed_before_the_question_does_not_confirm(own_broker: Broker) -> None:
    terminal, keyboard = pty.openpty()[::-1]
    try:
        async with scripted_agent(own_broker) as one:
            os.write(keyboard, b"yes\n")
            options = SayOptions(lang="en", interactive=True, descriptor=terminal)
            talking = asyncio.create_task(said(own_broker, "move", options))
            await until(lambda: bool(one.requests), "the ask")
            while not talking.done():
                os.write(keyboard, b"no\n")
                await asyncio.wait({talking}, timeout=0.05)
            _, out = talking.result()
            assert "confirmed" not in out
            assert "declined" in out
    finally:
        os.close(terminal)
        os.close(keyboard)


async def test_no_agent(own_broker: Broker) -> None:
    before_s = time.monotonic()
    got, out = await said(own_broker, "stop", SayOptions(lang="en"))
    assert got is Exit.NOT_SENT
    assert "wired stop" in out
    assert time.monotonic() - before_s < 60
    own_broker.stop()
    got, out = await said(own_broker, "x", SayOptions(lang="en"))
    assert got is Exit.NOT_SENT
    assert "nothing was sent" in out


async def test_two_pages_of_one_user_do_not_kick_each_other(own_broker: Broker) -> None:
    async with (
        scripted_agent(own_broker),
        Session(settings(own_broker, "op1")) as one,
        Session(settings(own_broker, "op1")) as two,
        peer(own_broker, "op2"),
    ):
        await one.open()
        await two.open()
        first, second = await asyncio.gather(one.ask("a"), two.ask("b"))
        assert len(await events(one, first)) == 4
        assert len(await events(two, second)) == 4
