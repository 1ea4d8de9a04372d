"""A simulated cell for the bench: simulator and counting proxy as child processes, and the hands that work them."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from drivers.cell_modbus.control_port import ask
from drivers.cell_modbus.faults import EDGE_OF, PROXY_EDGES, BadFault, checked_arguments
from drivers.cell_modbus.simulator.profile import Profile
from drivers.contract import Action, DriverError, Mode, PoseTenths
from drivers.package import ActiveFault, FaultArgument, StartedMotion

START_TIMEOUT_S = 20.0
"""A fresh interpreter on a busy small machine."""
END_TIMEOUT_S = 5.0
MAX_READY_BYTES = 4096


@dataclass(frozen=True, slots=True)
class ModbusCell:
    """`drivers.contract.SimulatedCell` by the addresses of its processes."""

    host: str
    port: int
    serial_port: str
    """Empty on TCP; then host and port say where."""
    simulator: Path
    proxy: Path

    @property
    def wire(self) -> Mapping[str, FaultArgument]:
        if self.serial_port:
            return {"serial_port": self.serial_port}
        return {"host": self.host, "port": self.port}

    @property
    def descriptor(self) -> Mapping[str, FaultArgument]:
        return {f.name: value if isinstance(value := getattr(self, f.name), int) else str(value) for f in fields(self)}

    async def put_fault(
        self, name: str, *, seed: int = 0, count: int = 1, args: Mapping[str, FaultArgument] | None = None
    ) -> None:
        try:
            checked_arguments(name, args or {})
        except BadFault as error:
            raise DriverError(str(error)) from error
        where = self.proxy if EDGE_OF[name] in PROXY_EDGES else self.simulator
        await ask(where, "put_fault", name=name, seed=seed, count=count, args=dict(args or {}))

    async def clear_faults(self) -> None:
        await ask(self.simulator, "clear_faults")
        await ask(self.proxy, "clear_faults")

    async def active_faults(self) -> tuple[ActiveFault, ...]:
        rows = [*await ask(self.simulator, "active_faults"), *await ask(self.proxy, "active_faults")]
        return tuple(ActiveFault(**row) for row in rows)

    async def motion_frames(self) -> Mapping[int, int]:
        return {int(command_id): count for command_id, count in (await ask(self.proxy, "counts"))["motions"].items()}

    async def stop_frames(self) -> int:
        return int((await ask(self.proxy, "counts"))["stops"])

    async def executed(self) -> tuple[StartedMotion, ...]:
        rows = await ask(self.simulator, "history", since=0)
        return tuple(StartedMotion(**{**row, "action": Action(row["action"])}) for row in rows)

    async def state(self) -> Mapping[str, object]:
        described: dict[str, object] = await ask(self.simulator, "state")
        return described

    async def press_key(self) -> None:
        await ask(self.simulator, "press_key")

    async def set_mode(self, mode: Mode) -> None:
        await ask(self.simulator, "set_mode", mode=int(mode))

    async def set_input(self, name: str, good: bool) -> None:
        await ask(self.simulator, "set_input", name=name, good=good)

    async def place_part(self, pose: PoseTenths) -> None:
        await ask(self.simulator, "place_part", pose=list(pose))

    async def restore(self) -> None:
        await ask(self.proxy, "clear_faults")
        await ask(self.simulator, "restore")

    async def renew(self) -> None:
        await ask(self.proxy, "renew")
        await ask(self.simulator, "renew")


def attach_simulated(descriptor: Mapping[str, FaultArgument]) -> ModbusCell:
    """The cell that another process started and described. Raises `KeyError` for a missing address."""
    return ModbusCell(
        host=str(descriptor["host"]),
        port=int(descriptor["port"]),
        serial_port=str(descriptor["serial_port"]),
        simulator=Path(str(descriptor["simulator"])),
        proxy=Path(str(descriptor["proxy"])),
    )


@asynccontextmanager
async def start_simulated(settings: Mapping[str, object]) -> AsyncIterator[ModbusCell]:
    """Simulator and proxy for the arm of `settings`; keys that only a driver reads are passed over.

    `wire = "rtu"` puts a serial line before it, `frame_log = PATH` has the proxy write down each motion and stop
    frame. Both processes end with this block, and by themselves when this one dies.
    """
    wire = str(settings.get("wire", "tcp"))
    log = ("--log", str(settings["frame_log"])) if "frame_log" in settings else ()
    known = {f.name for f in fields(Profile)}
    profile = json.dumps({key: value for key, value in settings.items() if key in known})
    with tempfile.TemporaryDirectory(prefix="cell-") as folder:
        simulator, proxy = Path(folder, "simulator"), Path(folder, "proxy")
        async with (
            _child("drivers.cell_modbus.simulator", "--control", str(simulator), "--profile", profile) as inner,
            _child(
                "drivers.cell_modbus.proxy",
                *("--control", str(proxy), "--upstream", str(inner["port"]), "--wire", wire, *log),
            ) as outer,
        ):
            yield ModbusCell(outer["host"], outer["port"], outer["serial_port"], simulator, proxy)


@asynccontextmanager
async def _child(module: str, *arguments: str) -> AsyncIterator[dict[str, Any]]:
    """A module as a child process; yields the JSON line it says when ready, ends it afterwards. A group of its own:
    Ctrl-C in the terminal is its parent's, who ends things in order, the cell last."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module, *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        process_group=0,
    )
    try:
        yield await _ready(module, process)
    finally:
        await _end(process)


async def _ready(module: str, process: asyncio.subprocess.Process) -> dict[str, Any]:
    assert process.stdout is not None
    try:
        async with asyncio.timeout(START_TIMEOUT_S):
            line = await process.stdout.readline()
        ready: dict[str, Any] = json.loads(line[:MAX_READY_BYTES])
    except (TimeoutError, ValueError) as error:
        raise DriverError(f"{module} did not start: {error!r}") from error
    return ready


async def _end(process: asyncio.subprocess.Process) -> None:
    """Its standard input ends; a child that does not take the hint is killed, by its own id."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        async with asyncio.timeout(END_TIMEOUT_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
