"""`python -m tests.chaos.agent_process [LIFE PARENT]`: a parent that has imported everything forks agents on request.

One JSON object a line on standard input, one a line back:
  {"op": "fork", "life": {…}}   → {"pid": n}            the agent of `Life`, as a child
  {"op": "wait", "pid": n, "within_s": s} → {"status": n | null}    its exit status, negative for a signal

With `LIFE` (JSON) it is that agent itself, started by the process PARENT. However its parent ends, an agent ends with
it: a run that is interrupted leaves nothing behind. The agent is the site's own (`edge_agent.app.site`). Added to it:
it kills itself with SIGKILL where it is told to, and a socket on which lines arrive as from the cell's console.
"""

from __future__ import annotations

import asyncio
import faulthandler
import json
import os
import signal
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from edge_agent.adapters.clock import SystemClock
from edge_agent.adapters.model.process_limits import bind_to_parent
from edge_agent.adapters.mqtt.line import LinkState
from edge_agent.app import site as wiring
from edge_agent.app.running import Running
from edge_agent.cell_file import load_cell
from edge_agent.control.ends import Freed
from edge_agent.desk.arrival import Arrival
from edge_agent.safety.permission import Role
from edge_agent.settings import load_settings
from edge_agent.world import router
from offline_rules.router import Router
from tests.chaos.broken import BROKEN
from tests.chaos.disk import Disk, install

LISTENS_MAX = 8
STEPS_MAX = 1_000


@dataclass(frozen=True, slots=True)
class Life:
    """One life of an agent. `kill_at` names a step, reached by its `of_command`-th command or later; `broken` a
    variant that must be caught; `spoilt_disk`: the console's word `disk` decides what the disk does."""

    settings: str
    simulator: str
    socket: str
    log: str
    kill_at: str | None = None
    of_command: int = 1
    broken: str | None = None
    spoilt_disk: bool = False


@dataclass(slots=True)
class Way:
    """Which steps were reached, and what held at that moment. Ends this very process, as a power supply would, when
    the step to die at is reached."""

    life: Life
    disk: Disk
    running: Running | None = None
    commands: int = 0
    steps: list[dict[str, Any]] = field(default_factory=list)

    def reached(self, step: str) -> None:
        self.commands += step == "confirmed"
        if step == self.life.kill_at and self.commands >= self.life.of_command:
            os.kill(os.getpid(), signal.SIGKILL)
        state = None if self.running is None else self.running.agent.supervisor.view.state.value
        if len(self.steps) < STEPS_MAX:
            self.steps.append({"step": step, "state": state, "synced": self.disk.synced})


class Console:
    """Lines of the cell's console without its terminal: what arrives here arrives as local."""

    def __init__(self, running: Running, way: Way) -> None:
        self._running, self._agent, self._way = running, running.agent, way

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            answer = await self._answer(json.loads(line))
            writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()
        writer.close()

    async def _answer(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        match asked["op"]:
            case "say":
                payload = asked["payload"].encode()
                await self._agent.receive(Arrival(payload, asked["user"], "console", role=Role.OPERATOR))
            case "stop":
                self._agent.stop(asked["user"], None, channel="console", role=Role.OPERATOR)
            case "reset":
                freed = await self._agent.supervisor.reset(asked["user"], asked["why"])
                return {"freed": isinstance(freed, Freed), "why": str(freed)}
            case "view":
                view = self._agent.supervisor.view
                command = view.command_state.value if view.command_state else None
                online = self._running.link.state is LinkState.ONLINE
                return {"state": view.state.value, "reason": view.reason, "command": command, "online": online}
            case "disk":
                for name, value in asked["set"].items():
                    setattr(self._way.disk, name, value)
                disk = self._way.disk
                return {"failed": disk.failed, "synced": disk.synced, "held": disk.held}
            case "wall":
                _shift_the_wall_clock(asked["ahead_s"])
            case "steps":
                return {"steps": self._way.steps}
            case other:
                raise ValueError(other)
        return {"taken": True}


def _shift_the_wall_clock(ahead_s: float) -> None:
    """Somebody sets this machine's clock; the monotonic one goes on as before."""
    for name, value in (
        ("now", lambda _self: datetime.now(UTC) + timedelta(seconds=ahead_s)),
        ("wall_ms", lambda _self: time.time_ns() // 1_000_000 + round(ahead_s * 1000)),
    ):
        setattr(SystemClock, name, value)


async def live(life: Life) -> None:
    """`edge_agent.app.serve` with the console socket beside it."""
    if life.broken is not None:
        BROKEN[life.broken]()
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    way = Way(life, Disk())
    if life.spoilt_disk:
        install(way.disk)
    options = wiring.Options(simulator=Path(life.simulator), steps=way.reached)
    async with wiring.site(load_settings(Path(life.settings)), options) as running:
        way.running = running
        server = await asyncio.start_unix_server(Console(running, way).serve, life.socket, backlog=LISTENS_MAX)
        await running.until(stopping)
        server.close()


def child(life: Life, parent_pid: int) -> None:
    """Never returns."""
    status = 1
    try:
        if not bind_to_parent(parent_pid):
            return  # nobody is left to tell its story to
        log = os.open(life.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(log, 1)
        os.dup2(log, 2)
        faulthandler.register(signal.SIGUSR1)  # whoever waits in vain asks where it hangs; the answer is in the log
        asyncio.run(live(life))
        status = 0
    except BaseException:  # noqa: BLE001 - the last line of a child: its log has the traceback, nobody else does
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(status)


def fork(life: Life) -> dict[str, Any]:
    parent_pid = os.getpid()
    pid = os.fork()
    if pid == 0:
        child(life, parent_pid)
    return {"pid": pid}


def wait(pid: int, within_s: float) -> dict[str, Any]:
    deadline_s = time.monotonic() + within_s
    while True:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return {"status": os.waitstatus_to_exitcode(status)}
        if time.monotonic() > deadline_s:
            return {"status": None}
        time.sleep(0.002)


def load_once() -> None:
    """The rules of the default cell, read before the first fork: every child has them at once."""
    loaded = router(load_cell())

    def already_loaded(*_: object) -> Router:
        return loaded

    wiring.__dict__["router"] = already_loaded


def main() -> None:
    if len(sys.argv) == 3:
        child(Life(**json.loads(sys.argv[1])), int(sys.argv[2]))
    load_once()
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        answer = fork(Life(**asked["life"])) if asked["op"] == "fork" else wait(asked["pid"], asked["within_s"])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
