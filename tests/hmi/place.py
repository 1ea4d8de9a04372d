"""A whole site with the operator's page: broker, simulated arm, agent and page server, each a process of its own."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from edge_agent.adapters.clock import SystemClock
from edge_agent.adapters.journal.making import create
from edge_agent.adapters.mqtt.broker import Broker, running_broker
from edge_agent.cell_file import load_cell
from edge_agent.demo.site import Site
from edge_agent.hmi.launch import running_page
from edge_agent.world import package_of, simulator_settings

PREFIX = "edge-agent/v1/cell01"
USERS = {"agent": "agent-pw", "op1": "op1-pw", "op2": "op2-pw", "guest": "guest-pw"}
SETTINGS = """
lang = "zh"
[mqtt]
port = {port}
password_file = "{folder}/password"
[journal]
folder = "{folder}/state"
[model]
enabled = {model}
[lab]
enabled = true
[deadlines]
prompt_s = {prompt_s}
[rate]
burst = 200
per_s = 100
[users]
op1 = "operator"
op2 = "operator"
guest = "viewer"
"""


@dataclass(slots=True)
class Place:
    site: Site
    url: str
    log: Path

    @property
    def broker(self) -> Broker:
        return self.site.broker

    async def frames(self) -> int:
        """Motion writes on the wire, counted by the proxy between agent and arm."""
        return sum((await self.site.rig.motion_frames()).values())

    def page_pid(self) -> int:
        """The page server's process, by the port it was told."""
        port = self.url.rstrip("/").rsplit(":", 1)[1]
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal() and _is_page(entry, port):
                return int(entry.name)
        raise AssertionError("no page server")

    def freeze_agent(self) -> None:
        os.kill(self.site.pid or 0, signal.SIGSTOP)

    def thaw_agent(self) -> None:
        os.kill(self.site.pid or 0, signal.SIGCONT)


@asynccontextmanager
async def running_place(prompt_s: float = 30.0, *, model: bool = False) -> AsyncIterator[Place]:
    device = load_cell().devices[0]
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="edge-agent-page-")))
        broker = stack.enter_context(running_broker(USERS, prefix=PREFIX))
        rig = await stack.enter_async_context(package_of(device).start_simulated(simulator_settings(device)))
        site = Site(folder, broker, rig, model=model, console=folder / "no-console")
        (folder / "password").write_text(USERS["agent"])
        (folder / "simulator.json").write_text(json.dumps(dict(rig.descriptor)))
        told = SETTINGS.format(port=broker.port, folder=folder, prompt_s=prompt_s, model=str(model).lower())
        site.settings.write_text(told)
        create(folder / "state", SystemClock().wall_ms())
        stack.push_async_callback(site.stop_agent)
        await site.start_agent()
        log = folder / "page.log"
        url = await stack.enter_async_context(running_page(broker.port, log=log, prefix=PREFIX))
        yield Place(site, url, log)


def _is_page(entry: Path, port: str) -> bool:
    try:
        command = (entry / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False  # it ended between the listing and the look
    return b"hmi" in command and port.encode() in command
