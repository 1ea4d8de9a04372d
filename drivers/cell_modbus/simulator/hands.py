"""What a person (or the fault port) does at the simulated cell: key, mode switch, inputs, parts, faults. No I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from drivers.cell_modbus.faults import checked_arguments
from drivers.cell_modbus.registers import Code, StopLevel
from drivers.cell_modbus.simulator.arm import Arm
from drivers.cell_modbus.simulator.controller import INPUT_OF_FAULT, INPUTS, Controller
from drivers.cell_modbus.simulator.profile import BOOT_MS
from drivers.contract import ControllerState, Mode, PoseTenths
from drivers.package import FaultArgument

MAX_PARTS = 64


@dataclass(slots=True)
class Hands:
    """Acts on one controller. Raises `BadFault` or `ValueError` for what can not be done; then nothing changed."""

    controller: Controller

    def put_fault(self, name: str, seed: int, count: int, args: Mapping[str, FaultArgument], now_ms: float) -> None:
        """`when = now` happens at once; an opened input and a frozen heartbeat then stay in until cleared."""
        self.controller.advance(now_ms)
        self.controller.faults.put(name, seed=seed, count=count, args=args)
        if checked_arguments(name, args).get("when") != "now":
            return
        self.controller.strike(name, now_ms)
        if name == "controller_reboot":
            self.controller.faults.take(name)

    def clear_faults(self, now_ms: float) -> None:
        """Faults out, and the inputs they opened closed; what then still asks for the key keeps asking."""
        controller = self.controller
        controller.advance(now_ms)
        controller.faults.clear()
        controller.frozen_ms = None
        controller.open_inputs -= set(INPUT_OF_FAULT.values())
        if controller.running is not None:
            controller.running.strikes.clear()

    def set_input(self, name: str, good: bool, now_ms: float) -> None:
        if name not in INPUTS:
            raise ValueError(f"no input is called {name}; there are: {', '.join(INPUTS)}")
        self.controller.advance(now_ms)
        if good:
            self.controller.open_inputs.discard(name)
        else:
            self.controller.open_input(name, now_ms)

    def set_mode(self, mode: int, now_ms: float) -> None:
        """Leaving remote automatic ends what runs."""
        controller = self.controller
        controller.advance(now_ms)
        controller.mode = Mode(mode)
        if controller.mode is not Mode.AUTO_REMOTE and controller.running is not None:
            controller.abort(Code.MODE, ControllerState.STOPPED, now_ms)

    def press_key(self, now_ms: float) -> None:
        """The local reset: works while nothing runs and every input is closed; moves nothing."""
        controller = self.controller
        controller.advance(now_ms)
        if controller.running is None and not controller.open_inputs and controller.state is not ControllerState.INIT:
            controller.reset_required = False
            controller.fault_code = 0
            controller.rest()

    def place_part(self, pose: PoseTenths) -> None:
        """From now on parts are where they were put, and nowhere else."""
        arm = self.controller.arm
        if len(arm.parts) >= MAX_PARTS:
            raise ValueError(f"{MAX_PARTS} parts lie there already")
        arm.endless_parts = False
        arm.parts.append(pose)

    def restore(self, now_ms: float) -> None:
        """The bench as it was at the start, idle; counters, history and the last id stay."""
        controller = self.controller
        self.clear_faults(now_ms)
        controller.abort(Code.STOPPED_BY_REQUEST, ControllerState.STOPPED, now_ms)
        controller.open_inputs.clear()
        controller.arm = Arm()
        controller.mode = Mode.AUTO_REMOTE
        controller.stop_level = StopLevel.RELEASED
        controller.reset_required = False
        controller.fault_code = 0
        controller.rest()

    def renew(self, now_ms: float) -> None:
        """A new controller in place of this one: another boot id, nothing counted, nothing remembered."""
        controller = self.controller
        self.restore(now_ms)
        controller.reboot(now_ms)
        controller.booted_ms = now_ms - BOOT_MS
        controller.rest()
        controller.last_id = controller.fault_counter = 0
        controller.history.clear()
