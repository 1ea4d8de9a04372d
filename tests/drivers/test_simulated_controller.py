"""The simulated controller with time as a number: what it refuses, when it stops by itself, what it never forgets."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count

import pytest

from drivers.cell_modbus.faults import FaultPort
from drivers.cell_modbus.mailbox import mailbox_words
from drivers.cell_modbus.receipt import decode_receipt
from drivers.cell_modbus.registers import BLOCKS, Code, EndBit, Reg
from drivers.cell_modbus.simulator import image
from drivers.cell_modbus.simulator.command import CRC
from drivers.cell_modbus.simulator.controller import Controller
from drivers.cell_modbus.simulator.hands import Hands
from drivers.cell_modbus.simulator.profile import BOOT_MS, HOME, STOP_MS, Profile, profile_from
from drivers.cell_modbus.simulator.words import crc16_words
from drivers.contract import Action, ControllerState, Job, Mode, Receipt, ReceiptState
from tests.drivers.bench import SESSION, TARGET, job_of


@dataclass
class Desk:
    """A controller whose clock is turned by hand."""

    controller: Controller = field(
        default_factory=lambda: Controller(Profile(), FaultPort(), boot_id=5, booted_ms=-BOOT_MS)
    )
    now_ms: float = 0
    beats: count[int] = field(default_factory=lambda: count(1))

    def __post_init__(self) -> None:
        self.write(Reg.SESSION, (SESSION >> 16, SESSION & 0xFFFF, 1))

    @property
    def hands(self) -> Hands:
        return Hands(self.controller)

    @property
    def state(self) -> ControllerState:
        return ControllerState(self.read(Reg.STATE, 1)[0])

    @property
    def pose(self) -> tuple[int, ...]:
        return self.read(Reg.POSE, 6)

    def read(self, address: int, words: int) -> tuple[int, ...]:
        return image.read(self.controller, address, words, self.now_ms)

    def write(self, address: int, words: tuple[int, ...]) -> None:
        image.write(self.controller, address, words, self.now_ms)

    def send(self, job: Job) -> None:
        self.write(Reg.MAILBOX, mailbox_words(job))

    def wait(self, span_ms: float, *, beating: bool = True) -> None:
        """Time goes by in steps of 50 ms, with the agent's heartbeat or without."""
        end_ms = self.now_ms + span_ms
        while self.now_ms < end_ms:
            self.now_ms = min(end_ms, self.now_ms + 50)
            if beating:
                self.write(Reg.AGENT_HEARTBEAT, (next(self.beats),))
            self.controller.advance(self.now_ms)

    def receipt(self) -> Receipt | None:
        return decode_receipt(self.read(Reg.RECEIPT, 32))

    def outcome(self) -> tuple[ReceiptState, int]:
        """Words 206 and 207 as they stand, whatever the rest of the receipt says."""
        state, code = self.read(Reg.RECEIPT + 6, 2)
        return ReceiptState(state), code


@pytest.fixture
def desk() -> Desk:
    return Desk()


JOB = job_of(Action.PICK_PLACE, 0x1092, max_duration_ms=6_000)
Words = tuple[int, ...]


def altered(words: Words, offset: int, value: int, *, whole: bool = True) -> Words:
    """One word changed; with `whole` the CRC is counted anew, so that only this word is wrong."""
    changed = [*words]
    changed[offset] = value
    if whole:
        changed[CRC] = crc16_words(changed[:CRC])
    return tuple(changed)


GOOD = mailbox_words(JOB)
INTEGRITY: dict[str, tuple[Words, Code]] = {
    "crc": (altered(GOOD, 8, 1, whole=False), Code.CRC),
    "format": (altered(GOOD, 0, 0x0102), Code.FORMAT),
    "word 123 not 0": (altered(GOOD, 23, 1), Code.FORMAT),
    "unknown flag": (altered(GOOD, 3, 2), Code.FORMAT),
    "device": (altered(GOOD, 1, 8), Code.DEVICE),
    "session": (altered(GOOD, 5, 1), Code.SESSION),
    "ttl 0": (altered(GOOD, 6, 0), Code.TTL),
    "commit": (altered(GOOD, 27, 0xB5C9, whole=False), Code.COMMIT),
}


@pytest.mark.parametrize("name", INTEGRITY)
def test_integrity(desk: Desk, name: str) -> None:
    words, code = INTEGRITY[name]
    desk.write(Reg.MAILBOX, words)
    assert desk.outcome() == (ReceiptState.REJECTED, code)
    assert desk.controller.history == []
    desk.send(JOB)
    assert desk.state is ControllerState.EXECUTING, "a broken one does not use up the id"


FAR = (9000, 0, 0, 0, 0, 0)
PILLAR = (-3000, 0, 500, 0, 0, 0)
REQUESTS: dict[str, tuple[Job, Code]] = {
    "speed 0": (job_of(Action.HOME, 1, speed_pct=0), Code.RANGE),
    "speed 101": (job_of(Action.HOME, 1, speed_pct=101), Code.RANGE),
    "home with a target": (job_of(Action.HOME, 1, target=TARGET), Code.RANGE),
    "pick with a station": (job_of(Action.PICK, 1, station=1), Code.RANGE),
    "gripper with a speed": (job_of(Action.OPEN_GRIPPER, 1, speed_pct=10), Code.RANGE),
    "bin 7": (job_of(Action.PICK_PLACE, 1, bin=7), Code.RANGE),
    "no bin": (job_of(Action.PICK_PLACE, 1, bin=0), Code.RANGE),
    "no max duration": (job_of(Action.HOME, 1, max_duration_ms=0), Code.RANGE),
    "longer than the longest": (job_of(Action.HOME, 1, max_duration_ms=60_001), Code.RANGE),
    "out of reach": (job_of(Action.MOVE, 1, target=FAR), Code.UNREACHABLE),
    "keep-out zone": (job_of(Action.PICK, 1, target=PILLAR), Code.ZONE),
    "place with an empty gripper": (job_of(Action.PLACE, 1), Code.NO_PART),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_legal_refusal_moves_nothing_and_uses_up_the_id(desk: Desk, name: str) -> None:
    job, code = REQUESTS[name]
    desk.send(job)
    assert desk.outcome() == (ReceiptState.REJECTED, code)
    assert (desk.state, desk.pose) == (ControllerState.IDLE, HOME)
    desk.send(job_of(Action.HOME, 1))
    assert desk.controller.counters.duplicates == 1
    assert desk.controller.history == []


def test_unknown_action_is_refused(desk: Desk) -> None:
    desk.write(Reg.MAILBOX, altered(GOOD, 2, 9))
    assert desk.read(Reg.RECEIPT + 6, 2) == (ReceiptState.REJECTED, Code.ACTION)


READINESS: dict[str, Code] = {
    "estop": Code.ESTOP,
    "guard": Code.GUARD,
    "protective": Code.COLLISION,
    "drives": Code.DRIVES,
}


@pytest.mark.parametrize("name", READINESS)
def test_open_input_ends_the_motion_and_refuses_the_next_until_the_key(desk: Desk, name: str) -> None:
    desk.send(JOB)
    desk.wait(200)
    desk.hands.set_input(name, False, desk.now_ms)
    assert desk.outcome() == (ReceiptState.ABORTED, READINESS[name])
    where = desk.pose
    desk.hands.press_key(desk.now_ms)
    desk.hands.set_input(name, True, desk.now_ms)
    desk.send(job_of(Action.HOME, 0x1093))
    assert desk.outcome() == (ReceiptState.REJECTED, Code.LOCKOUT)
    desk.hands.press_key(desk.now_ms)
    desk.wait(1_000)
    assert (desk.state, desk.pose) == (ControllerState.IDLE, where)


def test_mode_switch_ends_the_motion(desk: Desk) -> None:
    desk.send(JOB)
    desk.hands.set_mode(Mode.MANUAL, desk.now_ms)
    assert desk.outcome() == (ReceiptState.ABORTED, Code.MODE)
    desk.send(job_of(Action.HOME, 0x1093))
    assert desk.outcome() == (ReceiptState.REJECTED, Code.MODE)


def test_h34_dead_man_stops_a_motion_whose_agent_is_silent(desk: Desk) -> None:
    desk.send(JOB)
    desk.wait(500, beating=False)
    assert desk.state is ControllerState.EXECUTING
    desk.wait(50, beating=False)
    assert desk.outcome() == (ReceiptState.ABORTED, Code.AGENT_HEARTBEAT)
    where = desk.pose
    desk.wait(1_000)
    assert (desk.state, desk.pose) == (ControllerState.STOPPED, where)


def test_a_heartbeat_that_repeats_its_number_is_silence(desk: Desk) -> None:
    desk.send(JOB)
    for _ in range(12):
        desk.write(Reg.AGENT_HEARTBEAT, (9,))
        desk.wait(50, beating=False)
    assert desk.outcome() == (ReceiptState.ABORTED, Code.AGENT_HEARTBEAT)


def test_stop_is_a_level_that_outlives_the_key_and_moves_nothing_when_released(desk: Desk) -> None:
    desk.send(JOB)
    desk.wait(200)
    desk.write(Reg.STOP, (2,))
    assert desk.state is ControllerState.STOPPING
    desk.wait(STOP_MS + 10)
    assert (desk.state, desk.outcome()) == (ControllerState.STOPPED, (ReceiptState.ABORTED, Code.STOPPED_BY_REQUEST))
    where = desk.pose
    desk.hands.press_key(desk.now_ms)
    desk.send(job_of(Action.HOME, 0x1093))
    assert desk.outcome() == (ReceiptState.REJECTED, Code.STOPPED_BY_REQUEST)
    assert desk.read(Reg.STOP, 2) == (2, 2)
    desk.write(Reg.STOP, (0,))
    desk.wait(1_000)
    assert (desk.state, desk.pose) == (ControllerState.IDLE, where)


def test_release_while_braking_does_not_cancel_the_stop(desk: Desk) -> None:
    desk.send(JOB)
    desk.wait(200)
    desk.write(Reg.STOP, (2,))
    desk.write(Reg.STOP, (0,))
    desk.wait(500)
    assert desk.outcome() == (ReceiptState.ABORTED, Code.STOPPED_BY_REQUEST)
    assert desk.state is ControllerState.STOPPED


def test_stop_while_idle_shows_stopped(desk: Desk) -> None:
    desk.write(Reg.STOP, (2,))
    assert desk.state is ControllerState.STOPPED


def test_hold_pauses_and_goes_on(desk: Desk) -> None:
    desk.send(JOB)
    desk.wait(100)
    desk.write(Reg.STOP, (1,))
    where = desk.pose
    desk.wait(300)
    assert (desk.state, desk.pose) == (ControllerState.HOLDING, where)
    desk.write(Reg.STOP, (0,))
    desk.wait(5_000)
    assert desk.outcome() == (ReceiptState.DONE, 0)


def test_hold_can_not_outlast_the_commands_own_limit(desk: Desk) -> None:
    desk.send(job_of(Action.PARK, 1, max_duration_ms=400))
    desk.write(Reg.STOP, (1,))
    desk.wait(450)
    assert desk.outcome() == (ReceiptState.ABORTED, Code.DURATION)


@pytest.mark.parametrize("limit_ms", [50, 200, 1_000])
def test_motion_fits_its_own_limit(desk: Desk, limit_ms: int) -> None:
    desk.send(replace(JOB, max_duration_ms=limit_ms))
    desk.wait(limit_ms)
    receipt = desk.receipt()
    assert receipt is not None
    assert (receipt.state, receipt.duration_ms <= limit_ms) == (ReceiptState.DONE, True)


def test_the_same_frame_twice_moves_once_and_is_counted(desk: Desk) -> None:
    desk.send(JOB)
    desk.send(JOB)
    desk.wait(5_000)
    desk.send(JOB)
    counters = desk.controller.counters
    assert (counters.executed, counters.duplicates, len(desk.controller.history)) == (1, 2, 1)
    assert desk.outcome() == (ReceiptState.DONE, 0), "a duplicate does not write over the receipt"


def test_an_older_id_is_refused_after_a_reboot_too(desk: Desk) -> None:
    desk.send(JOB)
    desk.wait(200)
    desk.controller.reboot(desk.now_ms)
    assert desk.read(Reg.RECEIPT, 32) == (0,) * 32
    desk.wait(BOOT_MS)
    desk.write(Reg.SESSION, (0, 9, 1))
    desk.send(job_of(Action.HOME, 0x1092, session=9))
    assert desk.outcome() == (ReceiptState.REJECTED, Code.ID_NOT_NEWER)
    assert desk.read(Reg.BOOT_ID, 1) == (6,)
    assert len(desk.controller.history) == 1


def test_command_while_one_runs_is_refused_and_leaves_its_receipt(desk: Desk) -> None:
    desk.send(JOB)
    desk.send(job_of(Action.HOME, 0x1093))
    receipt = desk.receipt()
    assert receipt is not None
    assert (receipt.echo.command_id, receipt.state) == (0x1092, ReceiptState.EXECUTING)
    assert desk.controller.counters.rejected == 1


@pytest.mark.parametrize(("first", "length"), [(100, 27), (101, 27), (127, 1)])
def test_a_mailbox_that_is_not_whole_is_no_command(desk: Desk, first: int, length: int) -> None:
    """Even when the missing words stand there from before."""
    desk.write(Reg.MAILBOX, altered(GOOD, 27, 0, whole=False))
    rejected = desk.controller.counters.rejected
    desk.write(first, GOOD[first - 100 : first - 100 + length])
    assert desk.controller.history == []
    assert desk.controller.counters.rejected == rejected


def test_blocks_are_readable_whole_and_nothing_beyond(desk: Desk) -> None:
    for first, length in BLOCKS:
        assert len(desk.read(first, length)) == length
        with pytest.raises(image.IllegalAddress):
            desk.read(first, length + 1)
    for address in (0, 69, 200, 63):
        with pytest.raises(image.IllegalAddress):
            desk.write(address, (1,))


def test_parts_lie_where_they_were_put(desk: Desk) -> None:
    desk.hands.place_part((0, 3000, 1000, 0, 0, 0))
    desk.send(job_of(Action.PICK, 1))
    assert desk.outcome() == (ReceiptState.REJECTED, Code.NO_PART)
    desk.send(job_of(Action.PICK, 2, target=(50, 3000, 1000, 0, 0, 0)))
    desk.wait(2_500)
    assert desk.outcome() == (ReceiptState.DONE, 0)
    assert desk.read(Reg.RECEIPT + 29, 1) == (EndBit.AT_TARGET | EndBit.HOLDING,)
    desk.send(job_of(Action.PICK, 3))
    assert desk.outcome() == (ReceiptState.REJECTED, Code.UNEXPECTED_PART)


def test_h10_new_power_up_new_boot_id_and_no_session(desk: Desk) -> None:
    desk.controller.reboot(desk.now_ms)
    assert desk.state is ControllerState.INIT
    desk.wait(BOOT_MS)
    desk.send(JOB)
    assert desk.outcome() == (ReceiptState.REJECTED, Code.SESSION)


@pytest.mark.parametrize(
    ("values", "named"), [({"unit": 0}, "unit"), ({"speed": 1}, "speed"), ({"time_scale": 0}, "time")]
)
def test_bad_profile_is_refused_by_name(values: dict[str, object], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        profile_from(values)
