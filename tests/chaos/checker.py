"""What must be true after anything that was done to the agent, as a table of rules over plain evidence. Pure.

Three witnesses that know nothing of each other: the journal's rows, the frames that the proxy saw leave the agent,
and the motions that the simulated controller really started. A rule yields one sentence for each thing that does
not add up.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from drivers.contract import ReceiptState
from drivers.package import StartedMotion
from edge_agent.run.journal import Kind, Row
from edge_agent.safety.command import FINAL, CommandState

CLOCK_SLACK_MS = 3.0
"""Rows have whole milliseconds of the wall clock, frames and motions fractions of the monotonic one."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A motion or stop frame that left the agent; `at_ms` on the wall clock."""

    kind: Literal["motion", "stop"]
    command_id: int
    at_ms: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """`executed` has its times on the wall clock too. `cell_state`: what the last life of the agent showed."""

    rows: tuple[Row, ...]
    sights: tuple[Sight, ...]
    executed: tuple[StartedMotion, ...]
    cell_state: str
    chain_break: str | None = None

    def of(self, *kinds: Kind) -> list[Row]:
        return [row for row in self.rows if row.kind in kinds]

    @property
    def intents(self) -> dict[int, Row]:
        """The row that must stand before anything is sent, by command id."""
        stored = CommandState.JOURNALLED.value
        return {r.body["command_id"]: r for r in self.of(Kind.COMMAND) if r.body["state"] == stored}

    @property
    def ends(self) -> dict[int, list[Row]]:
        """The rows that say how a command ended."""
        found: dict[int, list[Row]] = defaultdict(list)
        for row in self.of(Kind.COMMAND):
            if row.body.get("command_id") is not None and CommandState(row.body["state"]) in FINAL:
                found[row.body["command_id"]].append(row)
        return found

    @property
    def motions(self) -> list[Sight]:
        return [sight for sight in self.sights if sight.kind == "motion"]


Rule = Callable[[Evidence], Iterator[str]]


def _once(found: Evidence) -> Iterator[str]:
    for command_id, times in Counter(motion.command_id for motion in found.executed).items():
        if times > 1:
            yield f"command {command_id} was executed {times} times"


def _one_frame(found: Evidence) -> Iterator[str]:
    for command_id, times in Counter(sight.command_id for sight in found.motions).items():
        if times > 1 or command_id == 0:
            yield f"command {command_id} left in {times} frames"


def _rising(found: Evidence) -> Iterator[str]:
    for before, after in pairwise(found.motions):
        if after.command_id <= before.command_id:
            yield f"command {after.command_id} left after command {before.command_id}"


def _stored_before_sent(found: Evidence) -> Iterator[str]:
    intents = found.intents
    for sight in found.motions:
        row = intents.get(sight.command_id)
        if row is None:
            yield f"command {sight.command_id} was sent and its intent is not in the journal"
        elif row.at_ms > sight.at_ms + CLOCK_SLACK_MS:
            yield f"command {sight.command_id} was sent {row.at_ms - sight.at_ms:.1f} ms before its intent was stored"


def _sent_before_executed(found: Evidence) -> Iterator[str]:
    sent = {sight.command_id for sight in found.motions}
    for motion in found.executed:
        if motion.command_id not in sent:
            yield f"command {motion.command_id} was executed and no frame of it was seen"


def _receipt_of_this_order(found: Evidence) -> Iterator[str]:
    executed = {motion.command_id for motion in found.executed}
    for command_id, rows in found.ends.items():
        for row in rows:
            if row.body["state"] != CommandState.VERIFIED.value:
                continue
            if command_id not in executed:
                yield f"command {command_id} is VERIFIED and was never executed"
            if "receipt" in row.body:
                yield from _misfits(command_id, row.body["receipt"], found.intents)


def _misfits(command_id: int, receipt: Mapping[str, Any] | None, intents: Mapping[int, Row]) -> Iterator[str]:
    if receipt is None or receipt["state"] != ReceiptState.DONE:
        yield f"command {command_id} is VERIFIED without a receipt that says DONE"
        return
    order = intents[command_id].body["order"] if command_id in intents else {}
    differing = sorted(name for name, value in receipt["echo"].items() if order.get(name) != value)
    if differing:
        yield f"command {command_id} is VERIFIED and its receipt differs in {', '.join(differing)}"


def _every_intent_ends(found: Evidence) -> Iterator[str]:
    ends = found.ends
    for command_id, intent in found.intents.items():
        rows = ends.get(command_id, [])
        states = {row.body["state"] for row in rows}
        if not rows:
            yield f"command {command_id} was stored and has no end"
        elif len(states) > 1:
            yield f"command {command_id} has more than one end: {', '.join(sorted(states))}"
        elif rows[0].epoch > intent.epoch and states != {CommandState.UNKNOWN.value}:
            yield f"command {command_id} was left open by an earlier life and ended {states.pop()}, not UNKNOWN"


def _unknown_locks(found: Evidence) -> Iterator[str]:
    """The lockout stands before the outcome, and until a reset the cell is locked out."""
    locks = [row.seq for row in found.of(Kind.LOCKOUT)]
    resets = [row.seq for row in found.of(Kind.RESET)]
    for command_id, rows in found.ends.items():
        first = rows[0]
        if first.body["state"] != CommandState.UNKNOWN.value:
            continue
        if not any(seq < first.seq for seq in locks):
            yield f"command {command_id} is UNKNOWN and no lockout was stored before"
        if not any(seq > first.seq for seq in resets) and found.cell_state != "LOCKED_OUT":
            yield f"command {command_id} is UNKNOWN and the cell is {found.cell_state}"


def _one_end_a_request(found: Evidence) -> Iterator[str]:
    """A request is known by its user and its id."""
    ends = Counter((row.body["user"], row.run) for row in found.of(Kind.TERMINAL))
    done = Counter(
        (row.body["user"], row.run)
        for row in found.of(Kind.EVENT)
        if row.body.get("level") == row.run and row.body.get("event", {}).get("type") == "done"
    )
    for row in found.of(Kind.REQUEST):
        whose = (row.body["user"], row.run)
        if ends[whose] != 1:
            yield f"request {row.run} has {ends[whose]} ends"
        if done[whose] > 1:
            yield f"request {row.run} was told done {done[whose]} times"


def _quiet_after(what: str, begins: list[float], freed: list[float], found: Evidence) -> Iterator[str]:
    for began_ms in begins:
        until_ms = next((at for at in freed if at >= began_ms), float("inf"))
        for sight in found.motions:
            if began_ms + CLOCK_SLACK_MS < sight.at_ms < until_ms:
                yield f"command {sight.command_id} left {sight.at_ms - began_ms:.1f} ms after {what}"
        for motion in found.executed:
            if began_ms + CLOCK_SLACK_MS < motion.at_ms < until_ms:
                yield f"command {motion.command_id} began {motion.at_ms - began_ms:.1f} ms after {what}"


def _quiet_while_locked_out(found: Evidence) -> Iterator[str]:
    begins = [float(row.at_ms) for row in found.of(Kind.LOCKOUT)]
    freed = [float(row.at_ms) for row in found.of(Kind.RESET)]
    yield from _quiet_after("a lockout was stored", begins, freed, found)


def _quiet_after_a_stop(found: Evidence) -> Iterator[str]:
    begins = [sight.at_ms for sight in found.sights if sight.kind == "stop"]
    freed = [float(row.at_ms) for row in found.of(Kind.RESET, Kind.RELEASE_STOP)]
    yield from _quiet_after("the stop word", begins, freed, found)


def _chain(found: Evidence) -> Iterator[str]:
    if found.chain_break is not None:
        yield f"the journal's chain is broken: {found.chain_break}"


RULES: Mapping[str, Rule] = {
    "executed at most once": _once,
    "one frame a command": _one_frame,
    "ids rise on the wire": _rising,
    "stored before it was sent": _stored_before_sent,
    "sent before it was executed": _sent_before_executed,
    "verified means a matching receipt": _receipt_of_this_order,
    "every stored intent has one end": _every_intent_ends,
    "an unknown outcome locks the cell out": _unknown_locks,
    "one end a request": _one_end_a_request,
    "no motion while locked out": _quiet_while_locked_out,
    "no motion after a stop": _quiet_after_a_stop,
    "the chain holds": _chain,
}


def violations(found: Evidence) -> list[str]:
    """Empty when everything adds up."""
    return [f"{name}: {what}" for name, rule in RULES.items() for what in rule(found)]
