"""What one story needs around it: broker, simulated cell, a parent that forks agents, and a folder for each journal."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, Self, TypeAlias

from drivers.cell_modbus import rig
from drivers.cell_modbus.rig import ModbusCell, start_simulated
from edge_agent.adapters.clock import SystemClock
from edge_agent.adapters.journal.making import create
from edge_agent.adapters.journal.query import MAX_ROWS, Query
from edge_agent.adapters.journal.reading import all_rows, broken_segment
from edge_agent.adapters.mqtt.broker import Broker, running_broker
from edge_agent.adapters.mqtt.settings import MqttSettings
from edge_agent.places import Place, packaged
from edge_agent.run.journal import Kind, Row
from tests.chaos.agent_process import Life
from tests.chaos.certificates import CertifiedBroker, certified_broker
from tests.chaos.checker import Evidence, Sight

PREFIX = "edge-agent/v1/cell01"
USERS = {
    "agent": "agent-pw",
    "op1": "op1-pw",
    "op2": "op2-pw",
    "student1": "student1-pw",
    "tech1": "tech1-pw",
    "viewer1": "viewer1-pw",
    "nobody1": "nobody1-pw",
    "historian": "historian-pw",
}
ROLES = {"op1": "operator", "op2": "operator", "student1": "student", "tech1": "technician", "viewer1": "viewer"}
"""`nobody1` may log in and has no role."""
AnyBroker: TypeAlias = Broker | CertifiedBroker
Login: TypeAlias = Literal["password", "certificate"]
ACCEPT_MS, REPLY_MS, DEAD_MAN_MS, COMMIT_S = 700, 1_000, 1_500, 10.0
"""Longer than a site's 150, 250 and 500 ms and 1 s: a machine full of tests is late now and then, its disk most of all,
and that is not what is tested."""
TIME_SCALE = 0.4
OTHER_CELLS = {
    "real_cell.toml": ("simulated = true", "simulated = false"),
    "short_cell.toml": ("max_duration_ms = 6000", "max_duration_ms = 1200"),
}
"""The same cell, taken for a real one; and with little patience for commands that never end."""
WITHIN_S = 45.0
"""A hang is a hang also on a machine that does ten other things; nothing that goes well waits for it."""
POLL_S = 0.01
rig.START_TIMEOUT_S = 2 * WITHIN_S  # three lanes start their interpreters at once
HANGS_WHERE_S = 0.5
"""For an agent to write down where it is."""


def is_gone(pid: int) -> bool:
    """Ended, whether or not its parent has been told."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"


class NotReached(AssertionError):
    """Something did not come about within `WITHIN_S`."""


async def fresh_process(life: Life) -> asyncio.subprocess.Process:
    command = (sys.executable, "-m", "tests.chaos.agent_process", json.dumps(asdict(life)), str(os.getpid()))
    return await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.DEVNULL)


class AgentParent:
    """The process of `tests.chaos.agent_process`, and one question at a time to it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls) -> Self:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.chaos.agent_process",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        parent = cls(process)
        await parent._answer(4 * WITHIN_S)
        return parent

    async def fork(self, life: Life) -> int:
        answer = await self._ask({"op": "fork", "life": asdict(life)})
        return int(answer["pid"])

    async def wait(self, pid: int, within_s: float = WITHIN_S) -> int | None:
        """Its exit status, negative for a signal; None when it is still there after `within_s`."""
        answer = await self._ask({"op": "wait", "pid": pid, "within_s": within_s}, within_s + WITHIN_S)
        return None if answer["status"] is None else int(answer["status"])

    def kill(self) -> None:
        """As an interrupted run does."""
        self._process.kill()

    async def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        await asyncio.wait_for(self._process.wait(), WITHIN_S)

    async def _ask(self, question: Mapping[str, object], within_s: float = WITHIN_S) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(question).encode() + b"\n")
        return await self._answer(within_s)

    async def _answer(self, within_s: float) -> dict[str, Any]:
        assert self._process.stdout is not None
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), within_s)
        except TimeoutError:
            raise NotReached("an answer of the agents' parent") from None
        answer: dict[str, Any] = json.loads(line)
        return answer


class Console:
    """The agent's console socket, one connection a question."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def ask(self, **question: object) -> dict[str, Any] | None:
        """None when the agent is not there, or dies over it."""
        try:
            reader, writer = await asyncio.open_unix_connection(str(self._path))
        except OSError:
            return None
        try:
            writer.write(json.dumps(question).encode() + b"\n")
            line = await asyncio.wait_for(reader.readline(), WITHIN_S)
            answer: dict[str, Any] | None = json.loads(line) if line else None
        except TimeoutError:
            raise NotReached(f"the console's answer to {question}") from None
        except OSError:
            return None
        else:
            return answer
        finally:
            writer.close()


@dataclass(slots=True)
class Site:
    """One journal's world. `lives` counts the agents that were started on it."""

    broker: AnyBroker
    cell: ModbusCell
    parent: AgentParent
    folder: Path
    frame_log: Path
    log_from: int
    lives: int = 0
    pid: int = 0
    _own: asyncio.subprocess.Process | None = None
    """The present life, where it is no fork of the parent's."""

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def console(self) -> Console:
        return Console(self.folder / f"console-{self.lives}")

    def life(self) -> Life:
        """The next agent's, whole and sound."""
        self.lives += 1
        return Life(
            settings=str(self.folder / "settings.toml"),
            simulator=str(self.folder / "simulator.json"),
            socket=str(self.folder / f"console-{self.lives}"),
            log=str(self.folder / "agent.log"),
        )

    async def start(self, *, fresh: bool = False, **changes: Any) -> None:
        """The next life; `changes` are fields of its `Life`. `fresh`: in an interpreter of its own."""
        life = replace(self.life(), **changes)
        self._own = await fresh_process(life) if fresh else None
        self.pid = await self.parent.fork(life) if self._own is None else self._own.pid

    async def ready(self, *states: str) -> str:
        """The cell's state once it is one of `states` (any but OFFLINE) and the broker shows the agent."""
        deadline_s = time.monotonic() + WITHIN_S
        seen: dict[str, Any] | None = None
        while time.monotonic() < deadline_s:
            if is_gone(self.pid):
                break
            seen = await self.console.ask(op="view")
            if seen is not None and seen["online"] and _is_wanted(seen["state"], states):
                return str(seen["state"])
            await asyncio.sleep(POLL_S)
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGUSR1)
            await asyncio.sleep(HANGS_WHERE_S)
        raise NotReached(f"the cell is not {states or 'up'}: {seen}\n{self.agent_log()}")

    async def ended(self, within_s: float = WITHIN_S) -> int | None:
        """Its exit status, negative for a signal; None when it is still there after `within_s`."""
        if self._own is None:
            return await self.parent.wait(self.pid, within_s)
        with suppress(TimeoutError):
            return await asyncio.wait_for(self._own.wait(), within_s)
        return None

    async def kill(self) -> int | None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        return await self.ended()

    async def leave(self) -> None:
        """Nothing of the story goes on."""
        if self.pid and not is_gone(self.pid):
            await self.kill()

    async def terminate(self) -> int | None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
        return await self.ended()

    def rows(self, *kinds: Kind, run: str | None = None) -> list[Row]:
        return list(all_rows(self.state, Query(kinds=kinds, run=run, limit=MAX_ROWS)))

    async def until_rows(self, count: int, *kinds: Kind, run: str | None = None) -> list[Row]:
        """At least `count` rows of these kinds."""
        deadline_s = time.monotonic() + WITHIN_S
        while len(found := self.rows(*kinds, run=run)) < count:
            if time.monotonic() > deadline_s:
                raise NotReached(f"{len(found)} of {count} rows of {kinds}\n{self.agent_log()}")
            await asyncio.sleep(POLL_S)
        return found

    def agent_log(self, last: int = 3000) -> str:
        file = self.folder / "agent.log"
        return file.read_text("utf-8", "replace")[-last:] if file.exists() else ""

    async def evidence(self, cell_state: str) -> Evidence:
        wall_ahead_ms = (time.time() - time.monotonic()) * 1000
        motions = await self.cell.executed()
        broken = broken_segment(self.state)
        return Evidence(
            rows=tuple(self.rows()),
            sights=tuple(self.sights(wall_ahead_ms)),
            executed=tuple(replace(m, at_ms=round(m.at_ms + wall_ahead_ms)) for m in motions),
            cell_state=cell_state,
            chain_break=None if broken is None else f"{broken[0].name}: {broken[1]}",
        )

    def sights(self, wall_ahead_ms: float) -> list[Sight]:
        lines = self.frame_log.read_text("utf-8").splitlines()[self.log_from :] if self.frame_log.exists() else []
        return [Sight(s["kind"], s["command_id"], s["t_ms"] + wall_ahead_ms) for s in map(json.loads, lines)]


def _is_wanted(state: str, states: tuple[str, ...]) -> bool:
    return state in states if states else state != "OFFLINE"


@dataclass(slots=True)
class Lane:
    """What many stories share: broker, simulated cell and parent; one story at a time."""

    broker: AnyBroker
    cell: ModbusCell
    parent: AgentParent
    folder: Path
    frame_log: Path
    stories: int = 0
    _last: Site | None = None

    async def fresh(self, **settings: Any) -> Site:
        """A new journal beside a cell that has forgotten everything; the story before is over."""
        await self.leave()
        await self.cell.renew()
        self.stories += 1
        folder = self.folder / str(self.stories)
        folder.mkdir()
        (folder / "simulator.json").write_text(json.dumps(dict(self.cell.descriptor)))
        (folder / "settings.toml").write_text(settings_text(self.broker, folder, **settings))
        create(folder / "state", SystemClock().wall_ms())
        seen = len(self.frame_log.read_text().splitlines()) if self.frame_log.exists() else 0
        self._last = Site(self.broker, self.cell, self.parent, folder, self.frame_log, seen)
        return self._last

    async def leave(self) -> None:
        """The last story is over, also one that its test did not end."""
        if self._last is not None:
            await self._last.leave()


@contextmanager
def a_folder(name: str) -> Iterator[Path]:
    """Short: a socket's path has room for 107 bytes."""
    with TemporaryDirectory(prefix=f"{name}-", dir="/tmp", ignore_cleanup_errors=True) as found:
        yield Path(found)


@asynccontextmanager
async def lane(login: Login = "password", *, time_scale: float = TIME_SCALE) -> AsyncIterator[Lane]:
    """`login`: how everybody proves who they are to the broker."""
    with a_folder("chaos") as folder, _broker(login, folder) as broker:
        (folder / "password").write_text(USERS["agent"])
        log = folder / "frames.jsonl"
        arm = {
            "device_id": 7,
            "config_crc": 0x1A2B,
            "time_scale": time_scale,
            "heartbeat_timeout_ms": DEAD_MAN_MS,
            "frame_log": str(log),
        }
        async with start_simulated(arm) as cell:
            (folder / "cell.toml").write_text(cell_text(cell.port))
            for name, (before, after) in OTHER_CELLS.items():
                (folder / name).write_text(cell_text(cell.port).replace(before, after))
            parent = await AgentParent.start()
            stories = Lane(broker, cell, parent, folder, log)
            try:
                yield stories
            finally:
                await stories.leave()
                await parent.close()


@contextmanager
def _broker(login: Login, folder: Path) -> Iterator[AnyBroker]:
    if login == "password":
        with running_broker(USERS, prefix=PREFIX) as broker:
            yield broker
        return
    (folder / "broker").mkdir()
    with certified_broker(folder / "broker", tuple(USERS), PREFIX) as certified:
        yield certified


def cell_text(port: int) -> str:
    """The cell that comes with the product, more patient with a busy machine. The port is for an agent that takes
    the simulator for a real arm."""
    text = packaged(Place.DATA, "default_cell.toml").read_text("utf-8")
    for before, after in (
        ("port = 5020", f"port = {port}\nreply_timeout_ms = {REPLY_MS}"),
        ("[limits]\n", f"[limits]\naccept_timeout_ms = {ACCEPT_MS}\ncomplete_margin_ms = 1000\n"),
    ):
        assert before in text, before
        text = text.replace(before, after, 1)
    return text


def settings_text(
    broker: AnyBroker,
    folder: Path,
    *,
    burst: int = 1000,
    per_s: float = 1000,
    cell: str = "cell.toml",
    prompt_s: float = 30.0,
    commit_s: float = COMMIT_S,
) -> str:
    users = "\n".join(f'{user} = "{role}"' for user, role in ROLES.items())
    return f"""
lang = "en"
[mqtt]
port = {broker.port}
reconnect_min_s = 0.1
{_login_lines(broker, folder)}
[cell]
file = "{folder.parent / cell}"
[journal]
folder = "{folder / "state"}"
commit_deadline_s = {commit_s}
[model]
enabled = false
[deadlines]
prompt_s = {prompt_s}
[rate]
burst = {burst}
per_s = {per_s}
[users]
{users}
"""


def _login_lines(broker: AnyBroker, folder: Path) -> str:
    if isinstance(broker, Broker):
        return f'password_file = "{folder.parent / "password"}"'
    own = broker.authority.tls("agent")
    return f'tls = true\nca_file = "{own.ca_file}"\ncert_file = "{own.cert_file}"\nkey_file = "{own.key_file}"'


def mqtt_settings(broker: AnyBroker, user: str) -> MqttSettings:
    at = MqttSettings(host=broker.host, port=broker.port, username=user, prefix=broker.prefix)
    if isinstance(broker, Broker):
        return replace(at, password=USERS[user])
    return replace(at, tls=broker.authority.tls(user))
