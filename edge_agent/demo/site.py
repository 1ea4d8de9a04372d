"""A whole site on this machine: broker with logins, simulated arm behind a counting proxy, agent, console line.

The arm and the broker outlive the agent, so that the agent can be killed and started again as on a site.
"""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from drivers.package import SimulatedCell
from edge_agent.adapters.child import OWN_GROUP, with_us
from edge_agent.adapters.clock import SystemClock
from edge_agent.adapters.console.pin import write_pin
from edge_agent.adapters.console.serial_line import serial_line
from edge_agent.adapters.journal.making import create
from edge_agent.adapters.mqtt.broker import Broker, running_broker
from edge_agent.cell_file import load_cell
from edge_agent.world import package_of, simulator_settings

PREFIX = "edge-agent/v1/cell01"
OPERATOR, VIEWER, TECHNICIAN = "op1", "guest", "tech1"
PASSWORDS = {"agent": "agent-demo", OPERATOR: "op1-demo", VIEWER: "guest-demo", TECHNICIAN: "tech1-demo"}
"""A demo's own logins, on a broker that listens on this machine alone and ends with the demo."""
PIN = "2468"
STOP_S = 20.0


class AgentDied(Exception):
    """The agent ended by itself; the text is the end of its log."""


@dataclass(slots=True)
class Site:
    folder: Path
    broker: Broker
    rig: SimulatedCell
    model: bool
    console: Path
    """The serial line's near end: a technician's terminal opens this."""
    _process: asyncio.subprocess.Process | None = None

    @property
    def settings(self) -> Path:
        return self.folder / "settings.toml"

    @property
    def log(self) -> Path:
        return self.folder / "agent.log"

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None and self._process.returncode is None else None

    async def start_agent(self) -> None:
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *with_us(),
                sys.executable,
                "-m",
                "edge_agent",
                "run",
                "--settings",
                str(self.settings),
                "--simulator",
                str(self.folder / "simulator.json"),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                process_group=OWN_GROUP,
            )

    async def kill_agent(self) -> None:
        """SIGKILL: as a power cut to this process alone."""
        await self._end(signal.SIGKILL)

    async def stop_agent(self) -> None:
        await self._end(signal.SIGTERM)

    async def _end(self, how: signal.Signals) -> None:
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.send_signal(how)
        try:
            async with asyncio.timeout(STOP_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()

    def check_alive(self) -> None:
        """Raises `AgentDied`."""
        if self._process is not None and self._process.returncode is not None:
            raise AgentDied("\n".join(self.log.read_text(errors="replace").splitlines()[-12:]))

    def worker_pid(self) -> int | None:
        """The model's process: the agent's child that runs the worker."""
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal() and _is_worker(entry, self.pid):
                return int(entry.name)
        return None


def _is_worker(entry: Path, parent: int | None) -> bool:
    try:
        fields = (entry / "stat").read_text().rpartition(")")[2].split()
        command = (entry / "cmdline").read_bytes()
    except OSError:
        return False  # it ended between the listing and the look
    return int(fields[1]) == parent and fields[0] != "Z" and b"adapters.model.worker" in command


@asynccontextmanager
async def running_site(*, model: bool, lang: str) -> AsyncIterator[Site]:
    """Everything but the agent itself, which the caller starts."""
    spec = load_cell()
    device = spec.devices[0]
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="edge-agent-demo-")))
        broker = stack.enter_context(running_broker(PASSWORDS, prefix=PREFIX))
        rig = await stack.enter_async_context(package_of(device).start_simulated(simulator_settings(device)))
        near, far = stack.enter_context(_serial_line())
        site = Site(folder, broker, rig, model, near)
        await asyncio.to_thread(_write_files, site, far, lang)
        stack.push_async_callback(site.stop_agent)
        yield site


def _write_files(site: Site, tty: Path, lang: str) -> None:
    folder = site.folder
    password = folder / "mqtt-password"
    password.write_text(PASSWORDS["agent"])
    password.chmod(0o600)
    write_pin(folder / "pins", TECHNICIAN, PIN)
    (folder / "simulator.json").write_text(json.dumps(dict(site.rig.descriptor)))
    site.settings.write_text(_settings(site, password, tty, lang))
    create(folder / "state", SystemClock().wall_ms())


def _settings(site: Site, password: Path, tty: Path, lang: str) -> str:
    return f"""lang = "{lang}"
[mqtt]
port = {site.broker.port}
password_file = "{password}"
[journal]
folder = "{site.folder / "state"}"
[model]
enabled = {str(site.model).lower()}
[console]
tty = "{tty}"
pin_file = "{site.folder / "pins"}"
[lab]
enabled = true
[users]
{OPERATOR} = "operator"
{VIEWER} = "viewer"
{TECHNICIAN} = "technician"
"""


@contextmanager
def _serial_line() -> Iterator[tuple[Path, Path]]:
    """Two ends of one line: the technician's terminal and the agent's port. Raises `LineMissing`."""
    with TemporaryDirectory(prefix="edge-agent-line-") as folder:
        near, far = Path(folder, "technician"), Path(folder, "agent")
        with serial_line(near, far):
            yield near, far
