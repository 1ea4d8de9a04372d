"""The page server: routes, cookies, headers, and one page a browser tab. A process of its own.

It holds no right of its own: every page speaks to the broker with the login of the person in front of it.
"""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from edge_agent.adapters import systemd
from edge_agent.adapters.mqtt.say import Session
from edge_agent.adapters.mqtt.settings import MqttSettings
from edge_agent.adapters.mqtt.traffic import NotOpened
from edge_agent.hmi.kit import Client, app, box, here, ui
from edge_agent.hmi.login_page import login_page
from edge_agent.hmi.logins import Login, Logins
from edge_agent.hmi.page import Page
from edge_agent.hmi.sight import Sight
from edge_agent.hmi.texts import Words, words
from edge_agent.hmi.visit import Visit
from edge_agent.messages.codes import Lang
from edge_agent.messages.wire import USER_PATTERN
from edge_agent.safety.cell_spec import CellSpec

STATIC: Final = Path(__file__).parent / "static"
COOKIE: Final = "edge_agent_page"
MAX_FORM_BYTES: Final = 4096
RECONNECT_S: Final = 3.0
"""A page that lost its server for longer is another page; its runs that moved nothing yet are cancelled."""
HISTORY: Final = 100
"""Messages kept for each page in case its connection blinks; beyond that it loads anew."""
HEADERS: Final = {
    "content-security-policy": "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'self'; form-action 'self'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
}
"""Nothing from elsewhere, by the browser's own hand. NiceGUI's page needs inline script and `eval`."""


@dataclass(frozen=True, slots=True)
class HmiOptions:
    """`broker` carries no login: each person brings one. `port` is where the page is; with `certificate` and `key` it
    speaks TLS by itself."""

    broker: MqttSettings
    spec: CellSpec
    host: str
    port: int
    lang: Lang
    certificate: Path | None = None
    key: Path | None = None


def serve(options: HmiOptions) -> None:
    """Until it is told to end."""
    server = _Server(options)
    server.routes()
    ui.run(
        host=options.host,
        port=options.port,
        title=words(options.lang).say("page.title", cell=options.spec.name),
        favicon=STATIC / "icon.svg",
        show=False,
        reload=False,
        tailwind=False,
        show_welcome_message=False,
        binding_refresh_interval=None,
        reconnect_timeout=RECONNECT_S,
        message_history_length=HISTORY,
        **_tls(options),
    )


def _tls(options: HmiOptions) -> dict[str, Any]:
    if options.certificate is None or options.key is None:
        return {}
    return {"ssl_certfile": str(options.certificate), "ssl_keyfile": str(options.key)}


class _Server:
    def __init__(self, options: HmiOptions) -> None:
        self._options = options
        self._clock = time.monotonic
        self._logins = Logins(self._clock)
        self._visiting: set[asyncio.Task[None]] = set()

    def routes(self) -> None:
        app.add_middleware(_Headers)
        app.add_static_files("/static", STATIC)
        app.add_api_route("/login", self._login_form, methods=["GET"], response_model=None)
        app.add_api_route("/login", self._login, methods=["POST"], response_model=None)
        app.add_api_route("/logout", self._logout, methods=["POST"], response_model=None)
        ui.page("/")(self._page)
        app.on_startup(self._started)

    async def _started(self) -> None:
        address = os.environ.get("NOTIFY_SOCKET")
        systemd.notify(address, systemd.READY)
        period_s = systemd.watchdog_period_s(os.environ)
        if period_s is not None:
            task = asyncio.create_task(_feed(address, period_s), name="watchdog")
            self._visiting.add(task)

    # -- logging in -------------------------------------------------------------------------------------------

    def _login_form(self, request: Request) -> Response:
        return HTMLResponse(login_page(self._words(request), self._options.spec.name))

    async def _login(self, request: Request) -> Response:
        form = await _form(request)
        told = words("zh" if form.get("lang") == "zh" else "en")
        user, password = form.get("user", ""), form.get("password", "")
        problem = await self._problem(request, told, user, password)
        if problem is not None:
            page = login_page(told, self._options.spec.name, user=user[:32], problem=problem)
            return HTMLResponse(page, status_code=401)
        token = self._logins.put(user, password, told.lang)
        answer = RedirectResponse("./", status_code=303)
        answer.set_cookie(COOKIE, token, httponly=True, samesite="strict", secure=request.url.scheme == "https")
        return answer

    async def _problem(self, request: Request, told: Words, user: str, password: str) -> str | None:
        """Why this login is none; None: the broker took it."""
        address = request.client.host if request.client is not None else "-"
        if (wait_s := self._logins.wait_s(address)) > 0:
            return told.say("login.wait", seconds=round(wait_s) + 1)
        if re.fullmatch(USER_PATTERN, user) is None or not password:
            return told.say("login.form")
        session = Session(self._settings(user, password), kind="page")
        opened = await session.open()
        await session.close()
        if not isinstance(opened, NotOpened):
            return None
        if not opened.refused:
            return told.say("login.unreachable", why=opened.reason)
        self._logins.wrong(address)
        return told.say("login.wrong")

    def _logout(self, request: Request) -> Response:
        self._logins.close(request.cookies.get(COOKIE))
        answer = RedirectResponse("login", status_code=303)
        answer.delete_cookie(COOKIE)
        return answer

    def _words(self, request: Request) -> Words:
        asked = request.query_params.get("lang")
        spoken = request.headers.get("accept-language", "")
        return words(_language(asked, spoken, self._options.lang))

    def _settings(self, user: str, password: str) -> MqttSettings:
        broker = self._options.broker
        return MqttSettings(
            host=broker.host, port=broker.port, username=user, password=password, tls=broker.tls, prefix=broker.prefix
        )

    # -- the page ---------------------------------------------------------------------------------------------

    def _page(self, request: Request) -> Response | None:
        login = self._logins.get(request.cookies.get(COOKIE))
        if login is None:
            return RedirectResponse("login", status_code=303)
        ui.add_head_html('<link rel="stylesheet" href="static/hmi.css"><script defer src="static/hmi.js"></script>')
        self._build(here(), login)
        return None

    def _build(self, client: Client, login: Login) -> None:
        painter: list[Page] = []

        def changed() -> None:
            if painter:
                painter[0].paint()

        visit = Visit(self._settings(login.user, login.password), login.talk, self._clock, changed)
        visit.lang, visit.may = login.lang, lambda: self._logins.touch(login)
        sight = Sight(visit, login, self._options.spec, words(login.lang), self._clock)
        painter.append(Page(sight, box("div", "hmi", id="hmi", data_instance=secrets.token_hex(4))))
        self._attend(client, visit)

    def _attend(self, client: Client, visit: Visit) -> None:
        """At the broker from the moment somebody has the page before their eyes until it is gone."""
        task: list[asyncio.Task[None]] = []

        def come() -> None:
            if not task:
                task.append(asyncio.create_task(visit.run(), name="visit"))
                self._visiting.add(task[0])
                task[0].add_done_callback(self._visiting.discard)

        def go() -> None:
            for each in task:
                each.cancel()

        client.on_connect(come)
        client.on_delete(go)


def _language(asked: str | None, spoken: str, default: Lang) -> Lang:
    """What was asked for, else the browser's first language, else the site's."""
    for word in (asked or "", spoken):
        if word.startswith(("zh", "en")):
            return "zh" if word.startswith("zh") else "en"
    return default


async def _form(request: Request) -> dict[str, str]:
    """The fields of a small form; one that is too large has none."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            return {}
    return {name: values[0] for name, values in parse_qs(body.decode("utf-8", "replace")).items()}


async def _feed(address: str | None, period_s: float) -> None:
    while True:
        systemd.notify(address, systemd.WATCHDOG)
        await asyncio.sleep(period_s)


class _Headers:
    """Adds `HEADERS` to every answer."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message.get("headers", []),
                    *((name.encode(), value.encode()) for name, value in HEADERS.items()),
                ]
            await send(message)

        await self._inner(scope, receive, with_headers)
