"""One story with a violent end: a motion is asked for, confirmed and, somewhere on the way, the agent is killed.

Then another life begins on the same journal, every message is sent again by somebody who means harm, and the three
witnesses are heard.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections import Counter
from dataclasses import dataclass, field

from edge_agent.run.journal import Kind
from edge_agent.safety.command import FINAL, CommandState
from tests.chaos.checker import Evidence, violations
from tests.chaos.site import POLL_S, WITHIN_S, Lane, NotReached, Site
from tests.chaos.visitor import HOME, PARK, PICK, PICK_AND_PLACE, Message, Visitor, ask, confirmation, move, visitor

ACTIONS = {"home": HOME, "pick-and-place": PICK_AND_PLACE}
EVERY_ACTION = ACTIONS | {
    "park": PARK,
    "move": "action=move station=A device=arm_01",
    "pick": PICK,
    "place": "action=place bin=2 device=arm_01",
    "open": "action=open_gripper device=arm_01",
    "close": "action=close_gripper device=arm_01",
}
FIRST = {"home": PARK, "place": PICK}
"""The way home begins somewhere else, and a part must be held to be placed: the second command is cut off."""
LIMIT_S = 12.0
"""A step that was not reached by then is not on the way of that story."""


@dataclass(frozen=True, slots=True)
class Story:
    """`kill_at`: a step's name; None: `kill_after_s` the confirmation was sent. `stop_after_s`: somebody stops it.
    `fresh`: the first life begins in an interpreter of its own."""

    arrival: str
    action: str
    kill_at: str | None = None
    kill_after_s: float = 0.0
    stop_at_phase: str | None = None
    stop_after_s: float | None = None
    fault: str | None = None
    broken: str | None = None
    fresh: bool = False


@dataclass(slots=True)
class Tally:
    """Sums over stories, for the table."""

    kills: int = 0
    requests: int = 0
    sent_again: int = 0
    frames: Counter[int] = field(default_factory=Counter)
    """How many commands left in 1, 2, … frames."""
    executed: int = 0
    doubles: int = 0
    unknown: int = 0
    unknown_had_run: int = 0

    def add(self, found: Evidence, sent_again: int) -> None:
        self.kills += 1
        self.requests += len(found.of(Kind.REQUEST))
        self.sent_again += sent_again
        started = Counter(motion.command_id for motion in found.executed)
        self.executed += len(started)
        self.doubles += sum(times - 1 for times in started.values())
        self.frames.update(Counter(sight.command_id for sight in found.motions).values())
        lost = [i for i, rows in found.ends.items() if rows[0].body["state"] == CommandState.UNKNOWN.value]
        self.unknown += len(lost)
        self.unknown_had_run += sum(i in started for i in lost)

    def __iadd__(self, other: Tally) -> Tally:
        for name in ("kills", "requests", "sent_again", "executed", "doubles", "unknown", "unknown_had_run"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.frames.update(other.frames)
        return self


@dataclass(frozen=True, slots=True)
class Told:
    """`reached`: the agent died where it should. `wrong`: the sentences of the checker."""

    reached: bool
    wrong: list[str]
    evidence: Evidence


async def tell(story: Story, lane: Lane, tally: Tally) -> Told:
    site = await lane.fresh()
    try:
        return await _tell(story, site, tally)
    finally:
        await site.leave()


async def _tell(story: Story, site: Site, tally: Tally) -> Told:
    of_command = 2 if story.action in FIRST else 1
    await site.start(kill_at=story.kill_at, of_command=of_command, broken=story.broken, fresh=story.fresh)
    await site.ready("READY")
    async with visitor(story.arrival, site) as who:
        if story.action in FIRST:
            await move(who, FIRST[story.action])
        if story.fault is not None:
            await site.cell.put_fault(story.fault)
        asked, prompt = await ask(who, EVERY_ACTION[story.action])
        answer = confirmation(who, prompt)
        reached = await _until_killed(story, site, who, answer)
        await site.cell.clear_faults()
        await site.start(broken=story.broken)
        state = await site.ready()
        for again in (asked, answer, answer):
            await who.send(again)
        await site.until_rows(3, Kind.REJECTION)
        await all_ended(site)
    found = await site.evidence(state)
    tally.add(found, sent_again=3)
    return Told(reached, violations(found), found)


async def _until_killed(story: Story, site: Site, who: Visitor, answer: Message) -> bool:
    """True when the agent died of SIGKILL."""
    doing = [asyncio.create_task(who.send(answer))]
    if story.stop_at_phase is not None:
        doing.append(asyncio.create_task(_stop_at(story.stop_at_phase, site, who, answer.run)))
    if story.stop_after_s is not None:
        doing.append(asyncio.create_task(_stop_after(story.stop_after_s, who)))
    if story.kill_at is None:
        await asyncio.sleep(story.kill_after_s)
        status = await site.kill()
    elif (status := await site.ended(LIMIT_S)) is None:
        await site.kill()
    for task in doing:
        task.cancel()
    await asyncio.gather(*doing, return_exceptions=True)
    return status == -signal.SIGKILL


async def _stop_at(phase: str, site: Site, who: Visitor, run: str) -> None:
    while True:
        await asyncio.sleep(POLL_S)
        if any(row.body["event"].get("phase") == phase for row in site.rows(Kind.EVENT, run=run)):
            await who.stop()
            return


async def _stop_after(seconds: float, who: Visitor) -> None:
    await asyncio.sleep(seconds)
    await who.stop()


async def all_ended(site: Site) -> None:
    """Every request has its end, and every command."""
    deadline_s = time.monotonic() + WITHIN_S
    while left := _open(site):
        if time.monotonic() > deadline_s:
            raise NotReached(f"without an end: {left}\n{site.agent_log()}")
        await asyncio.sleep(POLL_S)


def _open(site: Site) -> list[str]:
    ended = {row.run for row in site.rows(Kind.TERMINAL)}
    requests = [f"request {row.run}" for row in site.rows(Kind.REQUEST) if row.run not in ended]
    newest = {row.body["command_id"]: CommandState(row.body["state"]) for row in site.rows(Kind.COMMAND)}
    return requests + [f"command {number}" for number, state in newest.items() if number and state not in FINAL]
