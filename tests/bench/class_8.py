"""Eight cells of a class on one machine, sharing one model worker, beside a class of one: the slowest queries by rules.

Each group asks at the pace of a person at a keyboard, all groups at once, and the classes take turns, so that whatever
else the machine is doing weighs on both.
"""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from edge_agent.lab.class_room import CARD
from tests.bench.figure import Figure, quantile
from tests.bench.raw_client import RawClient
from tests.bench.round_trips import message

CELLS = 8
TURNS = 3
QUERIES = 60
"""A group and turn."""
PACE_S = 0.5
START_S = 240.0
ENDS_S = 30.0
TEXT = "which bin does glass go into"


@dataclass(frozen=True, slots=True)
class Seat:
    port: int
    user: str
    password: str
    prefix: str


def class_8() -> Figure:
    """p99 from publish to `done`; `floor` is that of one cell, and `ratio` one over the other."""
    eight: list[float] = []
    one: list[float] = []
    for _ in range(TURNS):
        for cells, samples in ((1, one), (CELLS, eight)):
            with _class(cells) as seats:
                samples.extend(_asked_by_all(seats))
    p99, alone = quantile(eight, 0.99), quantile(one, 0.99)
    return Figure(
        name="class_8",
        unit="ms p99",
        value=p99,
        p50=quantile(eight, 0.5),
        p99=p99,
        floor=alone,
        ratio=p99 / alone,
        peer=None,
        peer_name=None,
        peer_ratio=None,
        n=len(eight),
    )


def _asked_by_all(seats: list[Seat]) -> list[float]:
    """Milliseconds of every query; groups begin spread over one pace, as people do."""
    samples: list[list[float]] = [[] for _ in seats]
    groups = [
        threading.Thread(target=_ask, args=(seat, samples[n], PACE_S * n / len(seats))) for n, seat in enumerate(seats)
    ]
    for group in groups:
        group.start()
    for group in groups:
        group.join()
    assert all(len(each) == QUERIES for each in samples), "a group was left without an answer"
    return [took for each in samples for took in each]


def _ask(seat: Seat, samples: list[float], wait_s: float) -> None:
    with RawClient(seat.port, seat.user, seat.password, (f"{seat.prefix}/op/{seat.user}/run/+",)) as client:
        time.sleep(wait_s)
        for _ in range(QUERIES):
            began = time.perf_counter()
            request_id, payload = message("ask", text=TEXT)
            client.send(f"{seat.prefix}/op/{seat.user}/req", payload)
            while True:
                topic, body = client.take()
                if topic.endswith(request_id) and b'"type":"done"' in body:
                    break
            assert b'"outcome":"SUCCESS"' in body, body
            samples.append((time.perf_counter() - began) * 1000)
            time.sleep(max(0.0, PACE_S - (time.perf_counter() - began)))


@contextmanager
def _class(cells: int) -> Iterator[list[Seat]]:
    with TemporaryDirectory(prefix="bench-class-") as name, ExitStack() as stack:
        folder = Path(name) / "class"
        command = [sys.executable, "-m", "edge_agent", "lab", "class", "--cells", str(cells), "--folder", str(folder)]
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        stack.callback(running.wait, ENDS_S)
        stack.callback(running.send_signal, signal.SIGINT)
        cards = [folder / f"g{number:02}" / CARD for number in range(1, cells + 1)]
        deadline = time.monotonic() + START_S
        while not all(card.is_file() and card.read_text().strip() for card in cards):
            assert running.poll() is None, "the class ended before it began"
            assert time.monotonic() < deadline, "the class did not come up"
            time.sleep(0.2)
        seats = [_seat(card) for card in cards]
        for seat in seats:
            _wait_ready(seat)
        yield seats


def _seat(card: Path) -> Seat:
    """From the line that a group types."""
    line = next(line for line in card.read_text().splitlines() if line.startswith("edge-agent say"))
    words = [part for word in shlex.split(line) for part in word.split("=", 1)]
    named = {name: words[words.index(name) + 1] for name in ("--port", "--user", "--password", "--prefix")}
    return Seat(int(named["--port"]), named["--user"], named["--password"], named["--prefix"])


def _wait_ready(seat: Seat) -> None:
    with RawClient(seat.port, seat.user, seat.password, (f"{seat.prefix}/state/cell",)) as client:
        while b'"state":"READY"' not in client.take()[1]:
            pass
