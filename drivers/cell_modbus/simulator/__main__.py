"""`python -m drivers.cell_modbus.simulator --control PATH [--port 0] [--profile JSON]`: one controller, one process.

Prints one JSON line when it is ready: `{"host", "port", "control", "pid"}`. Ends when its standard input ends.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from drivers.cell_modbus.control_port import ControlServer, Handler, until_stdin_ends
from drivers.cell_modbus.faults import FaultPort
from drivers.cell_modbus.simulator.controller import Controller
from drivers.cell_modbus.simulator.frame_server import FrameServer
from drivers.cell_modbus.simulator.hands import Hands
from drivers.cell_modbus.simulator.profile import BOOT_MS, Profile, profile_from

TICK_S = 0.01
"""Every read advances the controller as well; the tick is for what must happen unseen, like the dead-man."""
HOST = "127.0.0.1"
"""Loopback only: anyone who reaches the port can move the simulated arm."""


def now_ms() -> float:
    return time.monotonic() * 1000


def build(profile: Profile) -> tuple[Controller, FrameServer]:
    """A controller that has just finished its power-up."""
    boot_id = random.SystemRandom().randint(1, 0xFFFF)
    controller = Controller(profile, FaultPort(), boot_id, booted_ms=now_ms() - BOOT_MS)
    server = FrameServer(controller, now_ms)
    controller.on_reboot = server.cut_all
    return controller, server


def control_ops(controller: Controller) -> Mapping[str, Handler]:
    """The control pipe's words."""
    hands = Hands(controller)
    return {
        "put_fault": lambda name, seed, count, args: hands.put_fault(name, seed, count, args, now_ms()),
        "clear_faults": lambda: hands.clear_faults(now_ms()),
        "active_faults": lambda: [
            {"name": f.name, "seed": f.seed, "left": f.left, "args": dict(f.args)} for f in controller.faults.active()
        ],
        "state": lambda: describe(controller),
        "history": lambda since: [asdict(motion) for motion in controller.history[since:]],
        "press_key": lambda: hands.press_key(now_ms()),
        "set_mode": lambda mode: hands.set_mode(mode, now_ms()),
        "set_input": lambda name, good: hands.set_input(name, good, now_ms()),
        "place_part": lambda pose: hands.place_part(tuple(pose)),
        "restore": lambda: hands.restore(now_ms()),
        "renew": lambda: hands.renew(now_ms()),
    }


def describe(controller: Controller) -> dict[str, object]:
    controller.advance(now_ms())
    return {
        "state": controller.state.name,
        "mode": controller.mode.name,
        "boot_id": controller.boot_id,
        "stop_level": controller.stop_level,
        "reset_required": controller.reset_required,
        "open_inputs": sorted(controller.open_inputs),
        "fault_code": controller.fault_code,
        "last_id": controller.last_id,
        "pose": controller.arm.pose,
        "holding": controller.arm.holding,
        "gripper_open": controller.arm.gripper_open,
        "bin_bits": controller.arm.bin_bits,
        "running": controller.running.command.command_id if controller.running else 0,
        **asdict(controller.counters),
    }


async def tick(controller: Controller) -> None:
    while True:
        controller.advance(now_ms())
        await asyncio.sleep(TICK_S)


async def run(port: int, control: Path, profile: Profile) -> None:
    controller, server = build(profile)
    async with ControlServer(control_ops(controller)).listening(control), server.listening(HOST, port) as bound:
        ticking = asyncio.create_task(tick(controller))
        print(json.dumps({"host": HOST, "port": bound, "control": str(control), "pid": os.getpid()}), flush=True)
        await until_stdin_ends()
        ticking.cancel()


def main() -> None:
    parser = argparse.ArgumentParser(prog="drivers.cell_modbus.simulator", description="A simulated sorting cell.")
    parser.add_argument("--port", type=int, default=0, help="TCP port on loopback; 0 takes a free one")
    parser.add_argument("--control", type=Path, required=True, help="path of the control socket to make")
    parser.add_argument("--profile", type=json.loads, default={}, help="JSON object: device_id, config_crc, ...")
    arguments = parser.parse_args()
    asyncio.run(run(arguments.port, arguments.control, profile_from(arguments.profile)))


if __name__ == "__main__":
    main()
