"""A class: one broker, N simulated cells with an agent each, one model worker for all of them, and the teacher's page.

Every group has a login of its own, a student on its own cell and a viewer on the others; the teacher is a technician on
all. Everything listens on the address that was asked for and ends with the command.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from string import digits
from typing import Final

from drivers.contract import DriverError
from drivers.package import SimulatedCell
from edge_agent.adapters.clock import SystemClock
from edge_agent.adapters.console.pin import write_pin
from edge_agent.adapters.console.serial_line import LineMissing, serial_line
from edge_agent.adapters.journal.making import create
from edge_agent.adapters.mqtt.broker import Broker, running_broker
from edge_agent.app.model import open_model
from edge_agent.app.rig import SIMULATOR_FILE, attach_rig
from edge_agent.app.running import Running
from edge_agent.app.site import Options, site
from edge_agent.cases.line import BadLine
from edge_agent.cases.report.result import load
from edge_agent.cell_file import load_cell
from edge_agent.lab.checking import results
from edge_agent.lab.overview import REFRESH_S, GroupNow, misfired, overview
from edge_agent.lab.workbook import AFTER, BEFORE
from edge_agent.messages.codes import Lang
from edge_agent.places import Place, packaged
from edge_agent.run.journal import Kind
from edge_agent.settings import Cell, Console, Journal, Lab, Model, Mqtt, Settings
from edge_agent.understand.no_model import NoModel
from edge_agent.understand.port import ModelPort
from edge_agent.understand.thresholds import Thresholds
from edge_agent.world import router

MAX_CELLS: Final = 16
TEACHER: Final = "teacher"
PREFIX: Final = "edge-agent/v1"
OVERVIEW: Final = "class.html"
SECRET_BYTES: Final = 6
ROWS_READ: Final = 5_000
CARD: Final = "card.txt"
CONSOLE: Final = "console"
PASSWORD, PINS = "mqtt-password", "pins"
PIN_DIGITS: Final = 6
FIRST_PAGE_PORT: Final = 8080
CARD_TEXT: Final[Mapping[Lang, str]] = {
    "zh": """# {0} 组：登录名 {0}，口令 {1}
# 说一句话（放入故障前先预测会公布什么）
{say}
# 操作页面 {2}，用上面的登录名登录；“实验”页放入故障、清除故障
{page}
# 练习放在自己的文件夹里，老师的总览才看得到覆盖率
edge-agent lab run query-timeout --folder {folder}
""",
    "en": """# group {0}: login {0}, password {1}
# say something (predict what will be published before you put a fault in)
{say}
# the operator's page, {2}, with the login above; its lab tab puts faults in and clears them
{page}
# keep exercises in your own folder, so that the teacher's page shows their coverage
edge-agent lab run query-timeout --folder {folder}
""",
}


@dataclass(frozen=True, slots=True)
class ClassWish:
    cells: int
    folder: Path
    lang: Lang
    model: bool = True


@dataclass(frozen=True, slots=True)
class Group:
    """`name` is the group's login and its folder; `cell` the topic level and the cell's name."""

    name: str
    cell: str
    password: str

    @property
    def prefix(self) -> str:
        return f"{PREFIX}/{self.cell}"

    @property
    def agent(self) -> str:
        return f"agent-{self.cell}"


@dataclass(slots=True)
class Seat:
    """One group's running cell."""

    group: Group
    running: Running
    arm: SimulatedCell


@dataclass(slots=True)
class ClassRoom:
    broker: Broker
    teacher_password: str
    teacher_pin: str
    seats: list[Seat]
    folder: Path
    lang: Lang
    no_console: str = ""
    """Why no cell has a console, which alone can reset a lockout; empty where each has one."""

    @property
    def page(self) -> Path:
        return self.folder / OVERVIEW

    async def run(self, stopping: asyncio.Event, on_ready: Callable[[], None] = lambda: None) -> None:
        """Until told to stop: every cell takes requests, and the page is written anew every two seconds."""
        async with asyncio.TaskGroup() as group:
            for seat in self.seats:
                group.create_task(seat.running.until(stopping), name=seat.group.cell)
            on_ready()
            while not stopping.is_set():
                await self.refresh()
                with suppress(TimeoutError):
                    async with asyncio.timeout(REFRESH_S):
                        await stopping.wait()

    async def refresh(self) -> None:
        groups = [await group_now(seat, self.folder) for seat in self.seats]
        at = SystemClock().now().isoformat(timespec="seconds")
        await asyncio.to_thread(_replace, self.page, overview(groups, self.lang, at))


def groups_of(cells: int) -> tuple[Group, ...]:
    return tuple(
        Group(f"g{number:02}", f"cell{number:02}", secrets.token_urlsafe(SECRET_BYTES))
        for number in range(1, cells + 1)
    )


@asynccontextmanager
async def class_room(wish: ClassWish) -> AsyncIterator[ClassRoom]:
    """Everything up and connected. Raises what a site raises at its start, `BrokerMissing`, and `ValueError`."""
    if not 1 <= wish.cells <= MAX_CELLS:
        raise ValueError(f"1 to {MAX_CELLS} cells")
    groups, teacher = groups_of(wish.cells), secrets.token_urlsafe(SECRET_BYTES)
    agents = {group.agent: secrets.token_urlsafe(SECRET_BYTES) for group in groups}
    users = {**agents, **{group.name: group.password for group in groups}, TEACHER: teacher}
    first, *others = groups
    async with AsyncExitStack() as stack:
        broker = stack.enter_context(
            running_broker(
                users,
                prefix=first.prefix,
                agent_user=first.agent,
                more=tuple((group.prefix, group.agent) for group in others),
            )
        )
        shared = Options(model=await _shared_model(wish, stack), rules=await asyncio.to_thread(router, load_cell()))
        pin, no_console = "".join(secrets.choice(digits) for _ in range(PIN_DIGITS)), ""
        seats = []
        for group in groups:
            at = wish.folder / group.name / ".cell"
            await asyncio.to_thread(_write_files, at, group, agents[group.agent], pin)
            try:
                stack.enter_context(serial_line(wish.folder / group.name / CONSOLE, at / "tty"))
            except LineMissing as missing:
                no_console = str(missing)
            settings = _settings(wish, group, at, broker, console=not no_console)
            seats.append(await _seat(group, at, settings, shared, stack))
        for group in groups:
            _private(wish.folder / group.name / CARD, card(group, broker, wish))
        yield ClassRoom(broker, teacher, pin, seats, wish.folder, wish.lang, no_console)


async def group_now(seat: Seat, folder: Path) -> GroupNow:
    """What the teacher sees of one group. A cell that does not answer in time shows no frames."""
    view, journal = seat.running.agent.supervisor.view, seat.running.journal
    ends = await journal.rows(kinds=(Kind.TERMINAL,), limit=ROWS_READ, newest_first=True)
    commands = await journal.rows(kinds=(Kind.COMMAND,), limit=ROWS_READ, newest_first=True)
    stored = frozenset(int(row.body["command_id"]) for row in commands if row.body.get("command_id") is not None)
    frames: dict[int, int] = {}
    with suppress(DriverError):
        frames = dict(await seat.arm.motion_frames())
    now = GroupNow(
        name=f"{seat.group.name} · {seat.group.cell}",
        state=view.state.value,
        reason=view.lockout or "",
        faults=tuple(fault.name for fault in seat.running.faults.active()),
        outcomes=Counter(str(row.body.get("outcome")) for row in ends),
        frames=sum(frames.values()),
        misfired=misfired(frames, stored),
    )
    return await asyncio.to_thread(_with_exercises, now, folder / seat.group.name)


def _with_exercises(now: GroupNow, folder: Path) -> GroupNow:
    """What the group's own checks came to, where it keeps them in the class folder."""
    checks = []
    for each in results(folder) if folder.is_dir() else ():
        with suppress(BadLine):  # half written at this moment: the next look has it
            checks.append((load(each / BEFORE).total, load(each / AFTER).total))
    return replace(
        now,
        checked=len(checks),
        done=sum(after.as_expected == after.lines for _, after in checks),
        lines=sum(after.lines for _, after in checks),
        before=sum(before.as_expected for before, _ in checks),
        as_expected=sum(after.as_expected for _, after in checks),
        misfired_in_exercises=sum(after.misfired for _, after in checks),
    )


async def _shared_model(wish: ClassWish, stack: AsyncExitStack) -> tuple[ModelPort, Thresholds]:
    if not wish.model:
        return NoModel(), Thresholds()
    return await open_model(Settings(), wish.folder / "model", stack)


async def _seat(group: Group, at: Path, settings: Settings, shared: Options, stack: AsyncExitStack) -> Seat:
    running = await stack.enter_async_context(site(settings, shared))
    return Seat(group, running, attach_rig(running.agent.parts.spec, at / "state" / SIMULATOR_FILE))


def _write_files(at: Path, group: Group, password: str, pin: str) -> None:
    at.mkdir(parents=True, exist_ok=True)
    default = packaged(Place.DATA, "default_cell.toml").read_text("utf-8")
    (at / "cell.toml").write_text(default.replace('name = "cell01"', f'name = "{group.cell}"'), "utf-8")
    _private(at / PASSWORD, password)
    write_pin(at / PINS, TEACHER, pin)
    create(at / "state", SystemClock().wall_ms())


def _private(file: Path, text: str) -> None:
    """For its owner's eyes alone, from the first byte on."""
    file.unlink(missing_ok=True)
    file.touch(0o600)
    file.write_text(text, "utf-8")


def card(group: Group, broker: Broker, wish: ClassWish) -> str:
    """What a group types to reach its cell, each line as it is to be typed; its password is in it."""
    at = f"--prefix {group.prefix} --lang {wish.lang}"
    say = f"edge-agent say --port {broker.port} --user {group.name} --password={group.password} {at}"
    page_port = FIRST_PAGE_PORT + int(group.name.removeprefix("g"))
    page = f"edge-agent hmi --broker-port {broker.port} --port {page_port} {at}"
    told = (group.name, group.password, f"http://127.0.0.1:{page_port}")
    return CARD_TEXT[wish.lang].format(*told, say=say, page=page, folder=wish.folder / group.name)


def _settings(wish: ClassWish, group: Group, at: Path, broker: Broker, *, console: bool) -> Settings:
    return Settings(
        lang=wish.lang,
        mqtt=Mqtt(
            host=broker.host,
            port=broker.port,
            username=group.agent,
            password_file=at / PASSWORD,
            prefix=f"{PREFIX}/{{cell}}",
        ),
        cell=Cell(file=at / "cell.toml"),
        journal=Journal(folder=at / "state"),
        model=Model(enabled=wish.model),
        console=Console(tty=at / "tty", pin_file=at / PINS) if console else Console(),
        lab=Lab(enabled=True),
        users={group.name: "student", TEACHER: "technician"},
    )


def _replace(file: Path, text: str) -> None:
    """A reader sees the old page or the new one, never half of one."""
    fresh = file.with_suffix(".new")
    fresh.write_text(text, "utf-8")
    fresh.replace(file)


def cards(room: ClassRoom) -> Sequence[tuple[str, str, str, str]]:
    """What each group is told: login, password, topics, folder."""
    rows = [(s.group.name, s.group.password, s.group.prefix, str(room.folder / s.group.name)) for s in room.seats]
    return [*rows, (TEACHER, room.teacher_password, f"{PREFIX}/+", str(room.page))]
