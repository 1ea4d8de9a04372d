"""What the agent itself runs, remembered for small numbers: the table and `step`, the judges of looks and receipts.

Nothing is decided here. Each function builds the real values from the search's small ones, asks the module the
agent asks, and keeps the answer. `Rules` is where a fault is planted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from drivers.contract import (
    Action,
    ControllerState,
    EndState,
    Interlocks,
    Mode,
    Order,
    PoseTenths,
    Receipt,
    ReceiptState,
    Snapshot,
)
from edge_agent.safety.cell import TABLE, CellEvent, CellState, Effect, Transition
from edge_agent.safety.cell_spec import CellSpec, Device
from edge_agent.safety.command import FINAL, CommandState
from edge_agent.safety.confirm import Answer, Confirmed, Prompt, PromptRejection, ReleaseStop, check
from edge_agent.safety.contract import Proposal, Refused, interlocks
from edge_agent.safety.contract import check as contract_check
from edge_agent.safety.machine import COMMAND_EFFECTS, Machine, Step, number, propose, step
from edge_agent.safety.receipt import Baseline, Judgement, judge
from edge_agent.safety.watch import integrity, interlock_open, posture, still, stop_proved
from tests.safety.search.world import Asked, Ctl, Row, Seen, Told, Underway

Table = Mapping[tuple[CellState, CellEvent], Transition]
STILL_TOLERANCE = 2


@dataclass(frozen=True, slots=True)
class Supervision:
    """What the supervision does besides the tables; each is a rule that can be left out to see what it is for."""

    intent_before_send: bool = True
    intent_is_own: bool = True
    rechecks_before_send: bool = True
    stop_overtakes_release: bool = True
    settles_with_proof: bool = True
    link_compares: bool = True
    recovers_unfinished: bool = True
    recovers_lockout: bool = True
    session_anew: bool = True
    release_opens_session: bool = True
    number_rises: bool = True


@dataclass(frozen=True, slots=True)
class Rules:
    table: Table = field(default_factory=lambda: TABLE)
    judge: Callable[[Order, int, Receipt | None, Snapshot, Baseline], Judgement] = judge
    answer: Callable[[Prompt | None, Answer, float], Confirmed | PromptRejection] = check
    integrity: Callable[..., tuple[str, ...]] = integrity
    interlocks: Callable[[Proposal, Snapshot], Refused | None] = interlocks
    interlock_open: Callable[[Snapshot], bool] = interlock_open
    posture: Callable[[Snapshot], CellEvent | None] = posture
    still: Callable[[Snapshot, Snapshot, int], bool] = still
    stop_proved: Callable[[Snapshot, Snapshot, int], bool] = stop_proved
    supervision: Supervision = Supervision()


class Fed(NamedTuple):
    """One event fed: the machine after it, and its effects as the supervision carries them out.

    A command that ended is left out of the machine: no event changes it any more.
    """

    machine: int
    command: int
    """The command the event was about, or 0."""
    before: CellState
    cell: CellState
    refused: bool
    sends: bool
    stops: bool
    silences: bool
    unlatches: bool
    voids: bool
    ends: bool
    rows: tuple[Row, ...]
    """What the effects write, in their order."""
    turned_unknown: bool
    turned_verified: bool


_TOLD = {state: getattr(Told, state.value) for state in FINAL}
_GOOD = Interlocks(True, True, True, True, False, False, False)
_GUARD = Interlocks(True, False, True, True, False, False, True)
_STATE = {
    Ctl.IDLE: ControllerState.IDLE,
    Ctl.EXECUTING: ControllerState.EXECUTING,
    Ctl.STOPPED: ControllerState.STOPPED,
    Ctl.PROTECTIVE: ControllerState.PROTECTIVE,
}
_AT_REST: PoseTenths = (0, 0, 0, 0, 0, 0)
_SPEC = CellSpec("cell", True, False, (Device("arm", 7, "any", {}),), (), (), ())
_PROPOSAL = contract_check(_SPEC, Action.HOME, {})
assert isinstance(_PROPOSAL, Proposal)


def _pose(moving: bool, nth: int) -> PoseTenths:
    """A moving arm is never twice at the same place."""
    return (100 * nth, 0, 0, 0, 0, 0) if moving else _AT_REST


def snapshot(seen: Seen, nth: int = 1) -> Snapshot:
    return Snapshot(
        boot_id=seen.boot,
        controller_heartbeat=0,
        agent_heartbeat_echo=0,
        mode=Mode.AUTO_REMOTE if seen.auto else Mode.MANUAL,
        state=_STATE[seen.shown],
        interlocks=_GUARD if seen.shown == Ctl.PROTECTIVE else _GOOD,
        fault_code=0,
        fault_detail=0,
        fault_counter=0,
        uptime_ms=0,
        pose=_pose(seen.moving, nth),
        gripper_state=0,
        gripper_position=0,
        part_bits=0,
        bin_bits=0,
        duplicates=seen.duplicates,
        accepted=0,
        executed=seen.executed,
        rejected=0,
        last_command_id=seen.echo.command,
    )


def _order(command: int, session: int, owner: int) -> Order:
    return Order(command, 7, session, Action.HOME, order_hash=owner)


def _receipt(seen: Seen) -> Receipt | None:
    echo = seen.echo
    if echo.state == ReceiptState.NONE:
        return None
    order = _order(echo.command, echo.session, echo.owner)
    done = echo.state == ReceiptState.DONE
    return Receipt(ReceiptState(echo.state), echo.code, order, 0, 0, 0, EndState(done, False, True))


class Engine:
    """The pure parts under one set of rules. Machines are numbered as they are met."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.supervision = rules, rules.supervision
        self.met: set[tuple[CellState, CellEvent]] = set()
        """Pairs of the table that were asked for: a search that never meets a row says nothing about it."""
        self._numbers: dict[Machine, int] = {}
        self._machines: list[Machine] = []
        self.first = self.of(Machine())
        self.feed = cache(self._feed)
        self.proposed = cache(self._proposed)
        self.numbered = cache(self._numbered)
        self.recovered = cache(self._recovered)
        self.judged = cache(self._judged)
        self.answered = cache(self._answered)
        self.misfits = cache(self._misfits)
        self.event_seen = cache(self._event_seen)
        self.refused_now = cache(self._refused_now)
        self.proved = cache(self._proved)
        self.at_rest = cache(self._at_rest)
        self.free = cache(self._free)

    def of(self, machine: Machine) -> int:
        if machine not in self._numbers:
            self._numbers[machine] = len(self._machines)
            self._machines.append(machine)
        return self._numbers[machine]

    def machine(self, index: int) -> Machine:
        return self._machines[index]

    def cell(self, index: int) -> CellState:
        return self._machines[index].cell

    def _feed(self, index: int, event: CellEvent) -> Fed:
        self.met.add((self._machines[index].cell, event))
        done = step(self._machines[index], event, self.rules.table)
        before, after, effects = done.before, done.after, done.effects
        return Fed(
            machine=self.of(Machine(after.cell) if after.command in FINAL else after),
            command=after.command_id or 0,
            before=before.cell,
            cell=after.cell,
            refused=done.refused,
            sends=Effect.SEND in effects,
            stops=Effect.STOP in effects,
            silences=Effect.SILENCE in effects,
            unlatches=Effect.UNLATCH in effects,
            voids=Effect.VOID_PROMPT in effects,
            ends=before.open_command and after.command in FINAL,
            rows=_rows(done),
            turned_unknown=_turned(done, CommandState.UNKNOWN),
            turned_verified=_turned(done, CommandState.VERIFIED),
        )

    def _proposed(self, index: int) -> int:
        return self.of(propose(self._machines[index]))

    def _numbered(self, index: int, command: int) -> int:
        return self.of(number(self._machines[index], command))

    def _recovered(self, command: int) -> int:
        """After a restart; `command` is the one without an end, or 0."""
        if command:
            return self.of(Machine(CellState.OFFLINE, command, CommandState.JOURNALLED))
        return self.of(Machine(CellState.OFFLINE))

    def _judged(self, command: int, under: Underway, seen: Seen) -> Judgement:
        order = _order(command, under.session, under.owner)
        before = Baseline(under.boot, under.executed, under.duplicates, pose_tolerance_tenths=10)
        return self.rules.judge(order, 0, _receipt(seen), snapshot(seen), before)

    def _answered(self, asked: Asked, user: int) -> bool:
        void = "stopped" if asked.status == 2 else None
        prompt = Prompt("p", str(asked.user), "d", 1, ReleaseStop(), 1.0, asked.status == 1, void)
        return isinstance(self.rules.answer(prompt, Answer("p", "d", str(user), 1), 0.0), Confirmed)

    def _misfits(self, seen: Seen, boot: int, duplicates: int, executed: int, may_execute: bool) -> bool:
        return bool(
            self.rules.integrity(
                snapshot(seen),
                boot_id=boot,
                duplicates=duplicates,
                executed=executed,
                may_execute=may_execute,
                heartbeat_age_s=0.0,
            )
        )

    def _event_seen(self, seen: Seen) -> CellEvent | None:
        now = snapshot(seen)
        return CellEvent.INTERLOCK_OPENED if self.rules.interlock_open(now) else self.rules.posture(now)

    def _refused_now(self, seen: Seen) -> bool:
        assert isinstance(_PROPOSAL, Proposal)
        return self.rules.interlocks(_PROPOSAL, snapshot(seen)) is not None

    def _proved(self, first: Seen, second: Seen) -> bool:
        return self.rules.stop_proved(snapshot(first, 1), snapshot(second, 2), STILL_TOLERANCE)

    def _at_rest(self, seen: Seen) -> bool:
        """The two looks of a reset, taken at one moment of the search."""
        return self.rules.still(snapshot(seen, 1), snapshot(seen, 2), STILL_TOLERANCE)

    def _free(self, seen: Seen) -> bool:
        now = snapshot(seen)
        return self.rules.posture(now) is CellEvent.IDENTIFIED and not self.rules.interlock_open(now)


def _turned(done: Step, state: CommandState) -> bool:
    return done.after.command is state and done.before.command is not state


def _rows(done: Step) -> tuple[Row, ...]:
    rows: list[Row] = []
    ends = done.before.open_command and done.after.command in FINAL and done.after.command_id is not None
    for effect in done.effects:
        if effect is Effect.LATCH:
            rows.append(("L", 0, 0))
        elif ends and effect in COMMAND_EFFECTS:
            assert done.after.command is not None
            assert done.after.command_id is not None
            rows.append(("E", done.after.command_id, _TOLD[done.after.command]))
            ends = False
    return tuple(rows)
