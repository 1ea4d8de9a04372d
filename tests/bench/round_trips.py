"""How long a person waits: a query by rules, and a confirmed motion, each beside the least the machine needs."""

from __future__ import annotations

import asyncio
import json
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from drivers.contract import Action, Driver, Job, Order, ReceiptState
from edge_agent.cell_file import load_cell
from edge_agent.run.ids import ulid
from edge_agent.world import open_driver, package_of, simulator_settings
from tests.bench.figure import Figure, beside_floor
from tests.bench.raw_client import RawClient
from tests.bench.site import PREFIX, USERS, Site, running_site

QUERIES = 200
MOTIONS = 20
WARM_UP = 10
SESSION = 0x5EED
GRIP_FORCE_N = 30
POLL_S = 0.02
COMMITS_OF_A_MOTION = 12
"""Rows that a confirmed motion writes one by one, each a commit: request, metadata, phases, command states, end."""


def message(kind: str, **fields: object) -> tuple[str, bytes]:
    request_id = ulid(time.time_ns() // 1_000_000, secrets.token_bytes(10))
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return request_id, json.dumps(
        {"v": 1, "id": request_id, "type": kind, "issued_at": now, "ttl_ms": 5000, **fields}
    ).encode()


class Operator:
    """One login, its requests and the events of its runs."""

    def __init__(self, client: RawClient) -> None:
        self._client = client

    def request(self, kind: str, **fields: object) -> list[dict[str, Any]]:
        """Sends and waits for `done`."""
        request_id, payload = message(kind, **fields)
        self._client.send(f"{PREFIX}/op/op1/req", payload)
        events: list[dict[str, Any]] = []
        while not events or events[-1]["type"] != "done":
            topic, body = self._client.take()
            if topic.endswith(request_id):
                events.append(json.loads(body))
        return events


def query_round_trip() -> Figure:
    """From publish to `done`, rules alone. Floor: publish and echo over the same broker, as many messages each way."""
    with running_site(model=False) as site, _clients(site) as (client, floor):
        operator = Operator(client)
        events = operator.request("ask", text="which bin does glass go into")
        assert any(e.get("kind") == "answer" for e in events), events
        samples, floors = _alternate(
            QUERIES, lambda: operator.request("ask", text="which bin does glass go into"), lambda: floor.round(1)
        )
    return beside_floor("query_round_trip", samples, floors)


def command_round_trip() -> Figure:
    """From the confirmation to the verified `done` of an action that takes no travel. Floor: the broker's round, one
    write and the receipt's polls over the same wire, and as many bare durable commits as the run made."""
    with running_site(model=False) as site, _clients(site) as (client, floor):
        operator = Operator(client)
        commits, wire = Commits(site.folder / "floor.db"), Wire()
        client.send(f"{PREFIX}/op/op1/presence/bench", b"HERE")
        samples, floors = [], []
        for number in range(MOTIONS + 2):
            action = (Action.OPEN_GRIPPER, Action.CLOSE_GRIPPER)[number % 2]
            asked = operator.request("ask", text=f"action={action} device=arm_01", attached="bench")
            card = next(e for e in asked if e.get("kind") == "confirmation")
            began = time.perf_counter()
            done = operator.request(
                "confirm",
                epoch=card["epoch"],
                prompt_id=card["prompt_id"],
                digest=card["digest"],
                confirm=True,
                attached="bench",
            )
            took = (time.perf_counter() - began) * 1000
            moved = next(e for e in done if e.get("kind") == "motion")
            assert moved["command_state"] == "VERIFIED", moved
            least = floor.round(1) + wire.move(action, GRIP_FORCE_N) + commits.make(COMMITS_OF_A_MOTION)
            if number >= 2:
                samples.append(took)
                floors.append(least)
        wire.close()
    return beside_floor("command_round_trip", samples, floors)


@contextmanager
def _clients(site: Site) -> Iterator[tuple[RawClient, Floor]]:
    """The operator's client, and a bare pair beside it."""
    port, password = site.broker.port, USERS["op1"]
    echo_in, echo_out = f"{PREFIX}/op/op1/presence/echo-in", f"{PREFIX}/op/op1/presence/echo-out"
    with (
        RawClient(port, "op1", password, (f"{PREFIX}/op/op1/run/+",)) as operator,
        RawClient(port, "op1", password, (echo_in,), echo=echo_out),
        RawClient(port, "op1", password, (echo_out,)) as sender,
    ):
        yield operator, Floor(sender)


class Floor:
    """A bare echo beside the agent: one message there, one back."""

    def __init__(self, sender: RawClient) -> None:
        self._sender = sender

    def round(self, times: int) -> float:
        began = time.perf_counter()
        for _ in range(times):
            self._sender.send(f"{PREFIX}/op/op1/presence/echo-in", b"x" * 300)
            while not self._sender.take()[0].endswith("echo-out"):
                pass
        return (time.perf_counter() - began) * 1000


class Wire:
    """One mailbox write and its receipt's polls, on a simulated cell of its own: the same job, nothing around it."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._stack = AsyncExitStack()
        self._driver, self._device_id, self._next_id = self._runner.run(self._open())

    async def _open(self) -> tuple[Driver, int, int]:
        device = load_cell().devices[0]
        rig = await self._stack.enter_async_context(package_of(device).start_simulated(simulator_settings(device)))
        driver = open_driver(device, simulated=True, at=(rig.host, rig.port))
        self._stack.push_async_callback(driver.close)
        await driver.identify(SESSION)
        return driver, device.device_id, 1

    def move(self, action: Action, force_n: int) -> float:
        """Milliseconds from the write to a receipt that says DONE."""
        order = Order(self._next_id, self._device_id, SESSION, action, grip_force_n=force_n)
        self._next_id += 1
        began = time.perf_counter()
        self._runner.run(self._done(Job(order, 500, 6000)))
        return (time.perf_counter() - began) * 1000

    async def _done(self, job: Job) -> None:
        await self._driver.heartbeat(job.order.command_id)
        await self._driver.send(job)
        while True:
            receipt = await self._driver.receipt(job.order.command_id)
            if receipt is not None and receipt.state is ReceiptState.DONE:
                return
            await asyncio.sleep(POLL_S)

    def close(self) -> None:
        self._runner.run(self._stack.aclose())
        self._runner.close()


class Commits:
    """Bare durable commits of a row as large as the journal's."""

    def __init__(self, file: Path) -> None:
        self._db = sqlite3.connect(file, isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.execute("CREATE TABLE row(seq INTEGER PRIMARY KEY, body TEXT) STRICT")

    def make(self, count: int) -> float:
        began = time.perf_counter()
        for _ in range(count):
            self._db.execute("BEGIN IMMEDIATE")
            self._db.execute("INSERT INTO row(body) VALUES (?)", ("x" * 500,))
            self._db.execute("COMMIT")
        return (time.perf_counter() - began) * 1000


def _alternate(count: int, ours: Callable[[], object], floor: Callable[[], float]) -> tuple[list[float], list[float]]:
    samples, floors = [], []
    for number in range(count + WARM_UP):
        began = time.perf_counter()
        ours()
        took = (time.perf_counter() - began) * 1000
        least = floor()
        if number >= WARM_UP:
            samples.append(took)
            floors.append(least)
    return samples, floors
