"""The simulated controller: a state machine driven by the time it is given. No I/O, no clock.

It acts only on a whole mailbox (28 words in one write, CRC and commit word right), never on an id that is not newer
than the last one it judged, keeps the stop level until it is written back, stops by itself when the agent's
heartbeat stands, and remembers every motion it really started. `now_ms` must not run backwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from drivers.cell_modbus.faults import FaultPort
from drivers.cell_modbus.registers import MAILBOX_WORDS, Code, EndBit, SessionOp, StopLevel
from drivers.cell_modbus.simulator import profile as cell
from drivers.cell_modbus.simulator.arm import Arm, Motion, plan
from drivers.cell_modbus.simulator.command import Command, integrity_fault, request_fault
from drivers.cell_modbus.simulator.profile import Profile
from drivers.cell_modbus.simulator.receipt_slot import Publication, ReceiptSlot
from drivers.cell_modbus.simulator.strikes import Strike, take_strikes
from drivers.cell_modbus.simulator.words import join_u32
from drivers.contract import Action, ControllerState, Mode, ReceiptState
from drivers.package import StartedMotion

MAX_HISTORY = 100_000
"""Ground truth is never thrown away: past this the controller refuses to move."""

STATE_CODES: dict[ControllerState, Code] = {
    ControllerState.INIT: Code.BUSY,
    ControllerState.EXECUTING: Code.BUSY,
    ControllerState.HOLDING: Code.BUSY,
    ControllerState.STOPPING: Code.BUSY,
    ControllerState.STOPPED: Code.STOPPED_BY_REQUEST,
    ControllerState.PROTECTIVE: Code.LOCKOUT,
    ControllerState.CONTROLLER_ESTOP: Code.LOCKOUT,
    ControllerState.FAULT: Code.LOCKOUT,
    ControllerState.LOCKOUT: Code.LOCKOUT,
}
"""Why a command is refused in a state other than idle."""

INPUTS: dict[str, tuple[Code, ControllerState]] = {
    "estop": (Code.ESTOP, ControllerState.CONTROLLER_ESTOP),
    "guard": (Code.GUARD, ControllerState.PROTECTIVE),
    "protective": (Code.COLLISION, ControllerState.PROTECTIVE),
    "drives": (Code.DRIVES, ControllerState.FAULT),
}
"""An input, the code with which its opening ends a motion, and the state it leaves until the key."""
INPUT_OF_FAULT = {"controller_estop": "estop", "guard_open": "guard"}

GRIPPING = frozenset({Action.PICK, Action.PICK_PLACE})


@dataclass(slots=True)
class Counters:
    duplicates: int = 0
    accepted: int = 0
    executed: int = 0
    rejected: int = 0


@dataclass(slots=True)
class Running:
    """The command under way."""

    command: Command
    motion: Motion
    started_ms: float
    strikes: list[Strike]
    stalled: bool = False

    def duration_ms(self, now_ms: float) -> int:
        return round(now_ms - self.started_ms)


@dataclass(slots=True)
class Controller:
    """One controller from power-up on."""

    profile: Profile
    faults: FaultPort
    boot_id: int
    booted_ms: float
    on_reboot: Callable[[], None] = lambda: None
    state: ControllerState = ControllerState.INIT
    mode: Mode = Mode.AUTO_REMOTE
    open_inputs: set[str] = field(default_factory=set)
    reset_required: bool = False
    fault_code: int = 0
    fault_counter: int = 0
    counters: Counters = field(default_factory=Counters)
    arm: Arm = field(default_factory=Arm)
    stop_level: int = StopLevel.RELEASED
    session_words: tuple[int, int, int] = (0, 0, 0)
    session: int = 0
    agent_heartbeat: int = 0
    frozen_ms: float | None = None
    """Since when the controller's own heartbeat stands; None = it beats."""
    last_id: int = 0
    """Kept over power-up: an old command stays old."""
    mailbox: tuple[int, ...] = (0,) * MAILBOX_WORDS
    running: Running | None = None
    history: list[StartedMotion] = field(default_factory=list)
    slot: ReceiptSlot = field(init=False)
    _heard_ms: float = 0
    _moved_ms: float = 0
    _brake_until_ms: float = 0

    def __post_init__(self) -> None:
        self.slot = ReceiptSlot(self.faults)

    def advance(self, now_ms: float) -> None:
        """Everything that happens by itself up to `now_ms`."""
        if self.state is ControllerState.INIT and now_ms >= self.booted_ms + cell.BOOT_MS:
            self.rest()
        if self.running is not None:
            self._advance(self.running, now_ms)
        self._moved_ms = now_ms

    def take_mailbox(self, words: tuple[int, ...], now_ms: float) -> None:
        """A whole mailbox arrived in one write."""
        self.advance(now_ms)
        command = Command(words)
        code = self._integrity_fault(command)
        if code is None:
            code = self._unready() or self._request_fault(command)
            if code is not Code.BUSY:
                self.last_id = command.command_id
        if code is None:
            self._accept(command, now_ms)
        else:
            self._refuse(command, code, now_ms)

    def take_heartbeat(self, value: int, now_ms: float) -> None:
        if value != self.agent_heartbeat:
            self._heard_ms = now_ms
        self.agent_heartbeat = value

    def take_session(self, words: tuple[int, int, int]) -> None:
        """Nonce and op; a nonce of 0 opens nothing."""
        high, low, op = self.session_words = words
        if op == SessionOp.OPEN:
            self.session = join_u32(high, low)
        elif op == SessionOp.CLOSE:
            self.session = 0

    def take_stop(self, level: int, now_ms: float) -> None:
        """A level: kept until it is written back; 0 makes a stopped controller idle again and moves nothing."""
        self.advance(now_ms)
        self.stop_level = level
        if level == StopLevel.RELEASED:
            self._release_stop()
        elif level == StopLevel.HOLD and self.state is ControllerState.EXECUTING:
            self.state = ControllerState.HOLDING
        elif level != StopLevel.HOLD and self.state in (ControllerState.EXECUTING, ControllerState.HOLDING):
            self.state = ControllerState.STOPPING
            self._brake_until_ms = now_ms + cell.STOP_MS * min(1.0, self.profile.time_scale)
        elif self.state is ControllerState.IDLE:
            self.state = ControllerState.STOPPED

    def open_input(self, name: str, now_ms: float) -> None:
        """Ends what runs and asks for the key. Raises `KeyError`."""
        code, state = INPUTS[name]
        self.open_inputs.add(name)
        self.reset_required = True
        self.abort(code, state, now_ms)

    def abort(self, code: Code, state: ControllerState, now_ms: float) -> None:
        """Ends whatever runs, with its receipt, and leaves the controller in `state`."""
        running, self.running = self.running, None
        self.state = state
        if code is not Code.STOPPED_BY_REQUEST:
            self.fault_code = code
            self.fault_counter += 1
        if running is not None:
            self._publish(running, ReceiptState.ABORTED, code, now_ms)

    def reboot(self, now_ms: float) -> None:
        """Power off and on: new boot id, no session, no receipt, counters at 0; the arm stays where it is."""
        self.running = None
        self.boot_id = self.boot_id % 0xFFFF + 1
        self.booted_ms = now_ms
        self.state = ControllerState.INIT
        self.counters = Counters()
        self.session_words = (0, 0, 0)
        self.session = self.agent_heartbeat = self.fault_code = 0
        self.stop_level = StopLevel.RELEASED
        self.reset_required = bool(self.open_inputs)
        self.mailbox = (0,) * MAILBOX_WORDS
        self.slot.clear()
        self.on_reboot()

    def rest(self) -> None:
        """Idle, or stopped while the stop level stands."""
        stopped = self.stop_level != StopLevel.RELEASED
        self.state = ControllerState.STOPPED if stopped else ControllerState.IDLE

    def _integrity_fault(self, command: Command) -> Code | None:
        code = integrity_fault(command, device_id=self.profile.device_id, session=self.session)
        if code is None and command.command_id <= self.last_id:
            self.counters.duplicates += 1
            return Code.ID_NOT_NEWER
        return code

    def _unready(self) -> Code | None:
        if len(self.history) >= MAX_HISTORY:
            return Code.INTERNAL
        for name in INPUTS:
            if name in self.open_inputs:
                return INPUTS[name][0]
        if self.mode is not Mode.AUTO_REMOTE:
            return Code.MODE
        if self.reset_required:
            return Code.LOCKOUT
        if self.stop_level != StopLevel.RELEASED:
            return Code.STOPPED_BY_REQUEST
        return STATE_CODES.get(self.state)

    def _request_fault(self, command: Command) -> Code | None:
        fault = request_fault(command, self.profile, holding=self.arm.holding)
        if fault is not None:
            return fault
        if self.faults.take("unreachable"):
            return Code.UNREACHABLE
        if self.faults.take("ttl_exceeded"):
            return Code.TTL
        if command.action in GRIPPING and (self.faults.take("no_part") or not self.arm.has_part_at(command.target)):
            return Code.NO_PART
        return None

    def _refuse(self, command: Command, code: Code, now_ms: float) -> None:
        """A refusal never writes over the receipt of a command under way, of the same or of a newer one."""
        self.counters.rejected += 1
        if self.running is None and command.command_id > self.slot.command_id:
            self.slot.open(command)
            self.slot.publish(Publication(command, ReceiptState.REJECTED, code), now_ms)

    def _accept(self, command: Command, now_ms: float) -> None:
        self.counters.accepted += 1
        self.slot.open(command)
        if command.validate_only:
            checked = Publication(command, ReceiptState.DONE, progress=100, end_bits=self._end_bits(False))
            self.slot.publish(checked, now_ms)
        else:
            self._start(command, now_ms)

    def _start(self, command: Command, now_ms: float) -> None:
        assert command.action is not None
        self.counters.executed += 1
        self.history.append(StartedMotion(command.command_id, command.action, round(now_ms), self.boot_id))
        motion = plan(command, self.arm, time_scale=self.profile.time_scale)
        grips = command.action in GRIPPING
        strikes = take_strikes(self.faults, motion, holding=self.arm.holding, grips=grips)
        self.running = Running(command, motion, now_ms, strikes)
        self.state = ControllerState.EXECUTING
        self._publish(self.running, ReceiptState.EXECUTING, Code.NONE, now_ms)

    def _advance(self, running: Running, now_ms: float) -> None:
        if self.state is ControllerState.STOPPING:
            self._brake(running, now_ms)
        elif self._move(running, now_ms):
            self.running = None
            self.state = ControllerState.IDLE
            self._publish(running, ReceiptState.DONE, Code.NONE, now_ms)
        elif self.running is not None:
            self._supervise(running, now_ms)

    def _move(self, running: Running, now_ms: float) -> bool:
        """True when the motion is complete; a fault that is due strikes first."""
        if running.stalled or self.state is not ControllerState.EXECUTING:
            return False
        until_share = running.strikes[0].at_share if running.strikes else 1.0
        complete = running.motion.run(self.arm, now_ms - self._moved_ms, until_share=until_share)
        if running.strikes and running.strikes[0].is_due(running.motion.progress):
            self.strike(running.strikes.pop(0).name, now_ms)
            return False
        return complete

    def strike(self, name: str, now_ms: float) -> None:
        """A fault of the cell happens now."""
        match name:
            case "controller_estop" | "guard_open":
                self.open_input(INPUT_OF_FAULT[name], now_ms)
            case "controller_reboot":
                self.reboot(now_ms)
            case "heartbeat_frozen":
                self.frozen_ms = now_ms
            case "never_finishes" if self.running is not None:
                self.running.stalled = True
            case "part_lost":
                self.arm.holding = False
                self.abort(Code.PART_LOST, ControllerState.STOPPED, now_ms)

    def _brake(self, running: Running, now_ms: float) -> None:
        if now_ms >= self._brake_until_ms:
            self.abort(Code.STOPPED_BY_REQUEST, ControllerState.STOPPED, now_ms)
        elif not running.stalled:
            running.motion.run(self.arm, (now_ms - self._moved_ms) / 2)

    def _supervise(self, running: Running, now_ms: float) -> None:
        """Dead-man and the command's own limit; a stalled motion has lost its limit too."""
        if now_ms - max(self._heard_ms, running.started_ms) > self.profile.heartbeat_timeout_ms:
            self.abort(Code.AGENT_HEARTBEAT, ControllerState.STOPPED, now_ms)
        elif not running.stalled and now_ms - running.started_ms > running.command.max_duration_ms:
            self.abort(Code.DURATION, ControllerState.STOPPED, now_ms)

    def _release_stop(self) -> None:
        if self.state is ControllerState.HOLDING:
            self.state = ControllerState.EXECUTING
        elif self.state is ControllerState.STOPPED and not self.reset_required:
            self.fault_code = 0
            self.rest()

    def _publish(self, running: Running, state: ReceiptState, code: Code, now_ms: float) -> None:
        done = state is ReceiptState.DONE
        self.slot.publish(
            Publication(
                running.command,
                state,
                code,
                progress=round(running.motion.progress * 100),
                duration_ms=running.duration_ms(now_ms),
                end_bits=EndBit(0) if state is ReceiptState.EXECUTING else self._end_bits(done),
            ),
            now_ms,
        )

    def _end_bits(self, at_target: bool) -> EndBit:
        bits = EndBit.AT_TARGET if at_target else EndBit(0)
        bits |= EndBit.HOLDING if self.arm.holding else EndBit(0)
        return bits | (EndBit.RELEASED if self.arm.gripper_open else EndBit(0))
