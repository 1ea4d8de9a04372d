"""What a driver package brings: the driver of an arm, and a simulated cell in which faults can be put. Pure.

What decides about an arm knows `contract.py` alone; a simulated cell is for the lab, the labelled cases and the tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

from drivers.contract import Action, Driver, Mode, Pace, PoseTenths

FaultArgument: TypeAlias = int | str


@dataclass(frozen=True, slots=True)
class FaultInfo:
    """One fault that a simulated cell can be given. `defaults` names its arguments; texts say what then happens."""

    name: str
    group: str
    defaults: Mapping[str, FaultArgument]
    zh: str
    en: str


@dataclass(frozen=True, slots=True)
class ActiveFault:
    """A fault that is in; `left` = how many times it will still strike."""

    name: str
    seed: int
    left: int
    args: Mapping[str, FaultArgument]


@dataclass(frozen=True, slots=True)
class StartedMotion:
    """One line of the simulator's ground truth: a motion that really began."""

    command_id: int
    action: Action
    at_ms: int
    boot_id: int


class SimulatedCell(Protocol):
    """A simulated arm in processes of its own and the counting proxy before it: the bench's hands and eyes.

    Every call has a deadline and raises `LinkLost` when the cell is gone, `DriverError` when it refuses.
    """

    @property
    def host(self) -> str: ...

    @property
    def port(self) -> int:
        """The port for the agent: the proxy's."""

    @property
    def wire(self) -> Mapping[str, FaultArgument]:
        """The address as keys of the arm's settings: `host` and `port`, or `serial_port`."""

    @property
    def descriptor(self) -> Mapping[str, FaultArgument]:
        """Plain data that `DriverPackage.attach_simulated` takes, also in another process."""

    async def put_fault(
        self, name: str, *, seed: int = 0, count: int = 1, args: Mapping[str, FaultArgument] | None = None
    ) -> None: ...

    async def clear_faults(self) -> None: ...

    async def active_faults(self) -> tuple[ActiveFault, ...]: ...

    async def motion_frames(self) -> Mapping[int, int]:
        """Motion writes that the agent put on the wire, by command id, counted by the proxy."""

    async def stop_frames(self) -> int:
        """STOP writes other than 0 that the agent put on the wire."""

    async def executed(self) -> tuple[StartedMotion, ...]:
        """Every motion that really started, oldest first, over reboots."""

    async def state(self) -> Mapping[str, object]:
        """The controller's inner state for display and tests."""

    async def press_key(self) -> None:
        """The local reset key on the controller."""

    async def set_mode(self, mode: Mode) -> None: ...

    async def set_input(self, name: str, good: bool) -> None:
        """`estop`, `guard`, `protective` or `drives`; False opens it."""

    async def place_part(self, pose: PoseTenths) -> None:
        """Puts one part there; from then on parts are where they were put and nowhere else."""

    async def restore(self) -> None:
        """Faults out, inputs good, key pressed, mode remote automatic, arm at home, endless parts; counts stay."""

    async def renew(self) -> None:
        """As if just started, at a fraction of the cost: links cut, another boot id, nothing counted or remembered."""


@runtime_checkable
class DriverPackage(Protocol):
    """What an entry point of the group `edge_agent.drivers` loads to (a module with these names)."""

    @property
    def KIND(self) -> str: ...  # noqa: N802 - a module's constant

    @property
    def SETTINGS(self) -> type: ...  # noqa: N802 - a module's constant: the pydantic model, tagged by `kind`

    @property
    def FAULTS(self) -> Mapping[str, FaultInfo]: ...  # noqa: N802 - a module's constant

    def open_driver(self, settings: Mapping[str, object]) -> Driver:
        """A driver for one arm; opens nothing yet. Raises `ValueError` for bad settings."""

    def pace_of(self, settings: Mapping[str, object]) -> Pace:
        """How often this arm's wire wants to be asked. Raises as `open_driver`."""

    def start_simulated(self, settings: Mapping[str, object]) -> AbstractAsyncContextManager[SimulatedCell]:
        """Starts simulator and proxy for the arm of `settings` (host and port are chosen freely); ends them after."""

    def attach_simulated(self, descriptor: Mapping[str, FaultArgument]) -> SimulatedCell:
        """The simulated cell that another process started."""
