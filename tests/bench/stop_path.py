"""From a stop's publish to the stop word on the wire, under load, beside a bare client that does nothing else.

Load: a motion is under way and its receipt awaited, requests of free words keep the model and the queue busy. Both
ends are times of one clock: the publish here, the frame in the counting proxy's log.
"""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from drivers.cell_modbus.registers import Reg, StopLevel
from drivers.cell_modbus.simulator.mbap import WRITE_MULTIPLE, Frame
from edge_agent.cell_file import load_cell
from edge_agent.world import package_of, simulator_settings
from tests.bench.figure import Figure, beside_floor
from tests.bench.raw_client import WAIT_S, RawClient
from tests.bench.round_trips import message
from tests.bench.site import PREFIX, USERS, running_site

STOPS = 20
WARM_UP = 2
QUEUED = 8
"""As many as one connection may have in flight."""
PAUSE_S = 0.001
FREE_WORDS = "could somebody maybe have a look at what is going on with the thing from yesterday"
MOTION = "action=pick_place item=glass bin=2 device=arm_01"


def stop_path() -> Figure:
    """Milliseconds. The floor's client writes the stop word as soon as the broker hands it the message."""
    with TemporaryDirectory(prefix="bench-") as name, _cells(Path(name)) as (ours, floors):
        descriptor = Path(name) / "simulator.json"
        descriptor.write_text(json.dumps(ours.descriptor))
        with running_site(model=True, simulator=descriptor) as site:
            port, password = site.broker.port, USERS["op1"]
            echo = f"{PREFIX}/op/op1/presence/floor"
            with (
                RawClient(port, "op1", password, (f"{PREFIX}/op/op1/run/+",)) as client,
                RawClient(port, "op1", password, (echo,)) as bare,
            ):
                person = Person(client)
                floor = Bare(bare, echo, floors)
                samples, least = [], []
                for number in range(STOPS + WARM_UP):
                    took, quickest = person.stopped(ours), floor.stopped()
                    if number >= WARM_UP:
                        samples.append(took)
                        least.append(quickest)
                floor.close()
    return beside_floor("stop_path", samples, least)


@dataclass(frozen=True, slots=True)
class Cell:
    descriptor: dict[str, Any]
    log: Path

    def stops(self) -> list[float]:
        """When each stop word passed the proxy, in ms of the monotonic clock."""
        lines = self.log.read_text("utf-8").splitlines() if self.log.exists() else []
        return [row["t_ms"] for row in map(json.loads, lines) if row["kind"] == "stop"]

    def next_stop_ms(self, seen: int) -> float:
        deadline_s = time.monotonic() + WAIT_S
        while len(stops := self.stops()) <= seen:
            assert time.monotonic() < deadline_s, "no stop word"
            time.sleep(PAUSE_S)
        return stops[seen]


class Person:
    """Confirms a motion, fills the queue, says stop, and takes the stop back."""

    def __init__(self, client: RawClient) -> None:
        self._client = client

    def stopped(self, cell: Cell) -> float:
        self._client.send(f"{PREFIX}/op/op1/presence/bench", b"HERE")
        card = self._card(self._say("ask", text=MOTION, attached="bench"))
        moving = self._confirm(card)
        self._until(moving, lambda event: event.get("phase") == "EXECUTING")
        for _ in range(QUEUED):
            self._say("ask", text=FREE_WORDS)
        seen = len(cell.stops())
        stop_id, payload = message("stop")
        began_ms = time.monotonic() * 1000
        self._client.send(f"{PREFIX}/op/op1/stop", payload)
        took = cell.next_stop_ms(seen) - began_ms
        self._until(stop_id, lambda event: event["type"] == "done")
        self._until(self._confirm(self._card(self._say("release_stop", epoch=card["epoch"]))), _is_done)
        return took

    def _say(self, kind: str, **fields: object) -> str:
        request_id, payload = message(kind, **fields)
        self._client.send(f"{PREFIX}/op/op1/req", payload)
        return request_id

    def _card(self, run: str) -> dict[str, Any]:
        return self._until(run, lambda event: event.get("kind") == "confirmation")

    def _confirm(self, card: dict[str, Any]) -> str:
        shown = {name: card[name] for name in ("epoch", "prompt_id", "digest")}
        return self._say("confirm", **shown, confirm=True, attached="bench")

    def _until(self, run: str, holds: Any) -> dict[str, Any]:
        while True:
            topic, body = self._client.take()
            event: dict[str, Any] = json.loads(body)
            if topic.endswith(run) and holds(event):
                return event
            assert not (topic.endswith(run) and _is_done(event)), event


def _is_done(event: dict[str, Any]) -> bool:
    return bool(event["type"] == "done")


class Bare:
    """The floor: the message, and at once the write."""

    def __init__(self, client: RawClient, topic: str, cell: Cell) -> None:
        self._client, self._topic, self._cell = client, topic, cell
        self._wire = socket.create_connection((cell.descriptor["host"], cell.descriptor["port"]), WAIT_S)
        self._wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        words = (int(Reg.STOP), 1, int(StopLevel.CONTROLLED_STOP))
        pdu = bytes((WRITE_MULTIPLE,)) + words[0].to_bytes(2, "big") + b"\0\1\2" + words[2].to_bytes(2, "big")
        self._frame = Frame(1, 1, pdu).encode()

    def stopped(self) -> float:
        seen = len(self._cell.stops())
        began_ms = time.monotonic() * 1000
        self._client.send(self._topic, b"x" * 200)
        self._client.take()
        self._wire.sendall(self._frame)
        took = self._cell.next_stop_ms(seen) - began_ms
        self._wire.recv(64)
        return took

    def close(self) -> None:
        self._wire.close()


@contextmanager
def _cells(folder: Path) -> Iterator[tuple[Cell, Cell]]:
    """Two simulated cells, each with a log of the frames that came: the agent's, and the floor's."""
    device = load_cell().devices[0]
    stack = AsyncExitStack()

    async def start(name: str) -> Cell:
        log = folder / f"{name}.jsonl"
        settings = {**simulator_settings(device), "frame_log": str(log), "time_scale": 2.0}
        cell = await stack.enter_async_context(package_of(device).start_simulated(settings))
        return Cell(dict(cell.descriptor), log)

    with asyncio.Runner() as runner:
        try:
            yield runner.run(start("ours")), runner.run(start("floor"))
        finally:
            runner.run(stack.aclose())
