"""How long a page takes: to be usable, to show an event, and what twenty of them cost the agent.

The twentieth is a real browser; the others are bare socket.io clients that log in, load the page and hear everything
it is sent, and render nothing, because twenty browsers would measure this machine and not the page server.
"""

from __future__ import annotations

import ast
import asyncio
import re
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import aiohttp
import socketio

from edge_agent.adapters.mqtt.say import Session
from edge_agent.adapters.mqtt.settings import MqttSettings
from edge_agent.adapters.mqtt.traffic import Opened
from edge_agent.messages.event import Event
from tests.bench.figure import Figure, beside_floor, quantile
from tests.hmi.person import Person, running_browser, somebody
from tests.hmi.place import PREFIX, USERS, Place, running_place

LOADS = 12
EVENTS = 60
DEATHS = 8
ROUNDS = 6
QUERIES_A_ROUND = 40
BARE_PAGES = 19
SETTLE_S = 3.0
MAX_SERVER_MB = 200

WATCH = """() => {
  window.seen = [];
  new MutationObserver(() => {
    const last = [...document.querySelectorAll('.exchange .answer')].pop()?.closest('.exchange').dataset.run;
    if (last && last !== window.lastSeen) { window.lastSeen = last; window.seen.push([last, Date.now()]); }
  }).observe(document.querySelector('[data-id=talk]'), {childList: true, subtree: true});
}"""


def page_usable() -> Figure:
    """From the address to a page whose request line is there and whose agent is known. Floor: the login page, which
    is plain HTML from the same server."""
    return asyncio.run(_usable())


def page_event() -> Figure:
    """From an answer's arrival at a bare client of the broker to its being on the page, one page open. 0 is a floor
    that nobody reaches; what counts is p95, which stands as `value`."""
    return asyncio.run(_event())


def page_death() -> Figure:
    """From the moment an agent hangs to its being shown as silent; the retained word says ONLINE all the while. What
    counts is the longest, which stands as `p99`."""
    return asyncio.run(_death())


def pages_20() -> Figure:
    """The agent's query round trip with twenty pages; floor: without them, turn and turn about."""
    measured = _twenty_once()
    return beside_floor("pages_20", measured.with_pages_ms, measured.without_ms)


def pages_20_p99() -> Figure:
    """The same run's slowest: what one in a hundred took, beside what it took without pages."""
    measured = _twenty_once()
    shown = beside_floor("pages_20_p99", measured.with_pages_ms, measured.without_ms)
    low = quantile(measured.without_ms, 0.99)
    return replace(shown, value=shown.p99, floor=low, ratio=shown.p99 / low)


def page_server() -> Figure:
    """What the page server holds in memory with twenty pages open, of the same run; floor: with none yet."""
    measured = _twenty_once()
    return beside_floor("page_server", measured.resident_mb, [measured.idle_mb], unit="MB")


@dataclass(frozen=True, slots=True)
class _Twenty:
    with_pages_ms: list[float]
    without_ms: list[float]
    resident_mb: list[float]
    idle_mb: float


@cache
def _twenty_once() -> _Twenty:
    return asyncio.run(_twenty())


async def _usable() -> Figure:
    samples, floors = [], []
    async with running_place() as place, running_browser() as browser, somebody(browser, place.url) as person:
        await person.log_in(place.url, "op1")
        for _ in range(LOADS):
            samples.append(await _took(lambda: _open(person, place)))
            floors.append(await _took(lambda: person.page.goto(f"{place.url}login")))
    return beside_floor("page_usable", samples[2:], floors[2:])


async def _open(person: Person, place: Place) -> None:
    await person.page.goto(place.url)
    await person.page.wait_for_selector("[data-id=said]")
    await person.page.wait_for_selector("[data-connection=live]")


async def _event() -> Figure:
    heard: dict[str, float] = {}

    def hear(event: Event) -> None:
        if event.body.type == "content":
            heard[event.envelope.run] = time.time() * 1000

    async with running_place() as place, running_browser() as browser, somebody(browser, place.url) as person:
        await person.log_in(place.url, "op1")
        await person.page.evaluate(WATCH)
        async with _session(place, hear) as session:
            for _ in range(EVENTS):
                await _query(session)
                await asyncio.sleep(0.1)
        await asyncio.sleep(1.0)
        seen: list[tuple[str, float]] = await person.page.evaluate("window.seen")
    late = [at - heard[run] for run, at in seen if run in heard]
    assert len(late) > EVENTS / 2, "the page missed most of the answers"
    p95 = quantile(late, 0.95)
    return Figure(
        "page_event", "ms", p95, quantile(late, 0.5), quantile(late, 0.99), None, None, None, None, None, len(late)
    )


async def _death() -> Figure:
    samples: list[float] = []
    async with running_place() as place, running_browser() as browser, somebody(browser, place.url) as person:
        await person.log_in(place.url, "op1")
        for _ in range(DEATHS):
            await asyncio.sleep(secrets.randbelow(2000) / 1000)  # anywhere between two heartbeats
            place.freeze_agent()
            samples.append(await _took(lambda: person.page.wait_for_selector("[data-connection=silent]")))
            place.thaw_agent()
            await person.connection("live")
    longest = max(samples)
    return Figure(
        "page_death", "ms", longest, quantile(samples, 0.5), longest, None, None, None, None, None, len(samples)
    )


async def _twenty() -> _Twenty:
    samples: list[float] = []
    floors: list[float] = []
    resident: list[float] = []
    async with running_place() as place, running_browser() as browser, _session(place) as session:
        idle_mb = _resident_mb(place.page_pid())
        for _ in range(10):
            await _query(session)
        for _ in range(ROUNDS):
            floors += [await _took(lambda: _query(session)) for _ in range(QUERIES_A_ROUND)]
            async with _pages(place), somebody(browser, place.url) as person:
                await person.log_in(place.url, "op2")
                await asyncio.sleep(SETTLE_S)
                samples += [await _took(lambda: _query(session)) for _ in range(QUERIES_A_ROUND)]
                resident.append(_resident_mb(place.page_pid()))
                assert resident[-1] <= MAX_SERVER_MB, f"page server: {resident[-1]:.0f} MB"
            await asyncio.sleep(SETTLE_S)
    return _Twenty(samples, floors, resident, idle_mb)


async def _took(work: Callable[[], Awaitable[object]]) -> float:
    began = time.perf_counter()
    await work()
    return (time.perf_counter() - began) * 1000


@asynccontextmanager
async def _session(place: Place, hear: Callable[[Event], None] = lambda _event: None) -> AsyncIterator[Session]:
    settings = MqttSettings(port=place.broker.port, username="op1", password=USERS["op1"], prefix=PREFIX)
    session = Session(settings, on_event=hear)
    assert isinstance(await session.open(), Opened)
    async with session:
        assert await session.agent_there(20.0)
        yield session


async def _query(session: Session) -> None:
    sent = await session.ask("which bin does glass go into", "en")
    async for _ in session.events(getattr(sent, "run", "")):
        pass


@asynccontextmanager
async def _pages(place: Place) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for _ in range(BARE_PAGES):
            await stack.enter_async_context(_bare_page(place.url))
        yield


@asynccontextmanager
async def _bare_page(url: str) -> AsyncIterator[None]:
    """Logs in, loads the page, and hears what it is sent."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as web:
        await web.post(
            f"{url}login", data={"user": "op2", "password": USERS["op2"], "lang": "en"}, allow_redirects=False
        )
        async with web.get(url) as answer:
            page = await answer.text()
        found = re.search(r"query: (\{.*?\})", page)
        assert found is not None, page[:300]
        query = ast.literal_eval(found[1]) | {
            "document_id": secrets.token_hex(8),
            "tab_id": secrets.token_hex(8),
            "implicit_handshake": "true",
        }
        client = socketio.AsyncClient(reconnection=False)
        asked = "&".join(f"{name}={value}" for name, value in query.items())
        await client.connect(f"{url}?{asked}", socketio_path="/_nicegui_ws/socket.io", transports=["websocket"])
        try:
            yield
        finally:
            await client.disconnect()


def _resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * 4096 / 1e6
