"""A whole site for the bench: broker, simulated cell, and the agent as a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from edge_agent.adapters.clock import SystemClock
from edge_agent.adapters.journal.making import create
from edge_agent.adapters.mqtt.broker import Broker, running_broker
from tests.bench.raw_client import RawClient

PREFIX = "edge-agent/v1/cell01"
USERS = {"agent": "agent-pw", "op1": "op1-pw"}


@dataclass(frozen=True, slots=True)
class Site:
    broker: Broker
    folder: Path


@contextmanager
def running_site(*, model: bool, cell_file: Path | None = None, simulator: Path | None = None) -> Iterator[Site]:
    """`simulator`: the addresses of a simulated cell that somebody else keeps running."""
    with TemporaryDirectory(prefix="bench-") as name, running_broker(USERS, prefix=PREFIX) as broker:
        folder = Path(name)
        (folder / "password").write_text(USERS["agent"])
        settings = folder / "settings.toml"
        settings.write_text(_settings(broker, folder, model, cell_file))
        create(folder / "state", SystemClock().wall_ms())
        there = [] if simulator is None else ["--simulator", str(simulator)]
        agent = subprocess.Popen([sys.executable, "-m", "edge_agent", "run", "--settings", str(settings), *there])
        try:
            _wait_online(broker)
            yield Site(broker, folder)
        finally:
            agent.terminate()
            agent.wait(20)


def _settings(broker: Broker, folder: Path, model: bool, cell_file: Path | None) -> str:
    cell = f'[cell]\nfile = "{cell_file}"\n' if cell_file is not None else ""
    return f"""
lang = "en"
[mqtt]
port = {broker.port}
password_file = "{folder / "password"}"
[journal]
folder = "{folder / "state"}"
[model]
enabled = {str(model).lower()}
[rate]
burst = 1000
per_s = 1000
[users]
op1 = "operator"
{cell}"""


def _wait_online(broker: Broker) -> None:
    with RawClient(broker.port, "op1", USERS["op1"], (f"{PREFIX}/state/cell",)) as client:
        while b'"state":"READY"' not in client.take()[1]:
            pass
