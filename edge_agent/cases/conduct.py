"""One line, from its beginning to its record: turns, text, replies, and what is asked afterwards.

Every reply is a request of its own that answers the last open prompt; without one it goes out with an invented id.
Faults of the transport are played by the messages themselves: the last one planned is sent twice, too late, or
retained.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from drivers.contract import DriverError
from edge_agent.cases.cell import CLIENT, CellUnderTest, Observed, Script, Setup
from edge_agent.cases.line import CaseLine
from edge_agent.cases.mechanisms import Mechanism
from edge_agent.cases.record import CaseRecord, RunSeen
from edge_agent.cases.spoken import ConfirmReply, Reply, Spoken
from edge_agent.messages.codes import Role
from edge_agent.messages.wire import utc_text
from edge_agent.run.journal import JournalFault, Kind
from edge_agent.safety.cell import CellState

LINE_DEADLINE_S: Final = 120.0
"""Two runs of 30 s are the longest a line can take, on a machine with time for it; more is a run that did not end."""
TTL_MS: Final = 30_000
"""As long as a run may take: whether a message is too old is tried by those that are made so."""
SHORT_PROMPT_MS: Final = 100
LATE_S: Final = 0.2
"""A prompt that is to be answered too late lives shorter than any other, so that nobody waits half a minute."""
STALE_S: Final = 60
INVENTED_PROMPT: Final = "invented-0000"
INVENTED_DIGEST: Final = "0" * 64
BROKEN: Final = (TimeoutError, OSError, LookupError, ValueError, JournalFault, DriverError)
"""What a cell may raise: the line has failed, with this as its trouble, and the next one is run."""
PROBE: Final[Mapping[str, str]] = {"zh": "动作=回零 设备=arm_01", "en": "action=home device=arm_01"}
"""The next control line after a lockout."""


@dataclass(frozen=True, slots=True)
class Hands:
    """Clock and chance of the runner: new ULIDs, wall-clock time for messages, monotonic seconds for durations."""

    new_id: Callable[[], str]
    now: Callable[[], datetime]
    monotonic_s: Callable[[], float]


@dataclass(slots=True)
class Talk:
    """One conversation with the cell; `runs` grow by one a message."""

    cell: CellUnderTest
    line: CaseLine
    hands: Hands
    began_s: float
    faults: frozenset[str]
    runs: list[RunSeen] = field(default_factory=list)

    async def say(self, message: dict[str, object], *, last: bool, by: Role | None = None) -> RunSeen:
        """Sends one message, disturbed where it is the last one planned and the line wants that."""
        if last and "stale_message" in self.faults:
            issued = self.hands.now() - timedelta(seconds=STALE_S)
            message = {**message, "issued_at": utc_text(issued)}
        run = await self._send(message, retained=last and "retained_command" in self.faults, by=by)
        if last and "duplicate_message" in self.faults:
            run = await self._send(message, retained=False)
        return run

    async def _send(self, message: Mapping[str, object], *, retained: bool, by: Role | None = None) -> RunSeen:
        at_s = self.hands.monotonic_s()
        events = await self.cell.submit(by or self.line.role, message, retained=retained)
        took_s = self.hands.monotonic_s() - at_s
        run = RunSeen(dict(message), tuple(events), (at_s - self.began_s) * 1000, took_s * 1000)
        self.runs.append(run)
        return run

    def message(self, kind: str, **fields: object) -> dict[str, object]:
        head: dict[str, object] = {"v": 1, "id": self.hands.new_id(), "type": kind, "ttl_ms": TTL_MS}
        head |= {"issued_at": utc_text(self.hands.now()), "attached": CLIENT, "epoch": self.cell.epoch}
        return head | {"lang": self.line.spoken_lang} | fields


async def conduct(
    cell: CellUnderTest, line: CaseLine, hands: Hands, without: frozenset[Mechanism] = frozenset()
) -> CaseRecord:
    """Runs one line on `cell`. A line that does not end, or whose cell breaks, is a record with `trouble`."""
    faults = frozenset(f.name for f in line.put_in() if f.group == "transport")
    talk = Talk(cell, line, hands, hands.monotonic_s(), faults)
    turns, trouble = 0, None
    try:
        async with asyncio.timeout(LINE_DEADLINE_S):
            await cell.begin(setup_of(line, without))
            talk.began_s = hands.monotonic_s()
            for turn in line.turns:
                await cell.script(script_of(turn))
                await _converse(talk, turn, turn.replies or [], disturbed=False)
            turns = len(talk.runs)
            await cell.script(script_of(line))
            await _converse(talk, line, line.replies, disturbed=True)
    except BROKEN as error:
        trouble = _named(error)
    try:
        return await _recorded(talk, turns, trouble)
    except BROKEN as error:
        return _record(talk, UNSEEN, turns, trouble or _named(error), 0.0)


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


UNSEEN: Final = Observed(frames=0, stop_words=0, cell_state=CellState.OFFLINE, rows=())


def setup_of(line: CaseLine, without: frozenset[Mechanism]) -> Setup:
    played_here = {"duplicate_message", "stale_message", "retained_command"}
    return Setup(
        role=line.role,
        llm_available=line.llm_available,
        cell_state=line.cell_state,
        faults=tuple(f for f in line.put_in() if f.name not in played_here),
        budget=line.budget.limits() if line.budget else None,
        deadline_ms=line.deadline_ms,
        cancel_at=line.cancel_at,
        client_gone_at=line.client_gone_at,
        prompt_ms=SHORT_PROMPT_MS if line.answers_late else None,
        without=without,
    )


def script_of(spoken: Spoken) -> Script:
    scores = spoken.intent_scores
    return Script(
        own_results=spoken.own_results(),
        named_results=spoken.named_results() or None,
        model_items=tuple(spoken.model_script),
        scores=None if scores is None else tuple(scores),
    )


async def _converse(talk: Talk, spoken: Spoken, replies: Sequence[Reply] | None, *, disturbed: bool) -> None:
    planned = [reply for reply in replies or [] if reply is not None]
    run = await talk.say(_first(talk, spoken), last=disturbed and not planned)
    if replies is None and _confirmed_by_the_runner(talk.line) and run.kind == "confirmation":
        planned = [ConfirmReply(confirm=True)]
    for number, reply in enumerate(planned, start=1):
        answered = await _reply(talk, reply, run, last=disturbed and number == len(planned))
        run = run if answered.refused_as_prompt else answered  # the question that was not answered stays open


async def _reply(talk: Talk, reply: Reply, asked: RunSeen, *, last: bool) -> RunSeen:
    if not isinstance(reply, ConfirmReply):
        return await talk.say(_answer(talk, reply, asked), last=last)
    for fault in reply.put_in():
        await talk.cell.put(fault)
    if reply.late:
        await asyncio.sleep(LATE_S)
    run = await talk.say(_answer(talk, reply, asked), last=last and not reply.again, by=reply.by)
    return await talk.say(_answer(talk, reply, asked), last=last, by=reply.by) if reply.again else run


def _first(talk: Talk, spoken: Spoken) -> dict[str, object]:
    own = spoken.request if isinstance(spoken, CaseLine) else {}
    kind = str(own.get("type", "ask"))
    text: dict[str, object] = {"text": spoken.text} if kind == "ask" else {}
    return talk.message(kind, **text) | own


def _confirmed_by_the_runner(line: CaseLine) -> bool:
    """A control line with a tool result or an arm fault and no replies is confirmed once."""
    return line.scripts_tools or any(fault.on_the_arm for fault in line.put_in())


def _answer(talk: Talk, reply: Reply, asked: RunSeen) -> dict[str, object]:
    prompt = asked.content if asked.kind in ("confirmation", "clarification") else {}
    prompt_id = prompt.get("prompt_id", INVENTED_PROMPT)
    if isinstance(reply, ConfirmReply):
        digest = prompt.get("digest", INVENTED_DIGEST)
        return talk.message("confirm", prompt_id=prompt_id, digest=digest, confirm=reply.confirm)
    return talk.message("reply", prompt_id=prompt_id, text=reply)


async def _recorded(talk: Talk, turns: int, trouble: str | None) -> CaseRecord:
    took_ms = (talk.hands.monotonic_s() - talk.began_s) * 1000
    seen = await talk.cell.observe()
    record = _record(talk, seen, turns, trouble, took_ms)
    if trouble is not None:
        return record
    probe = await _probe(talk, seen)
    again, rows = await _again(talk, record)
    return _record(talk, seen, turns, trouble, took_ms, probe=probe, again=again, rows_after_again=rows)


def _record(
    talk: Talk,
    seen: Observed,
    turns: int,
    trouble: str | None,
    took_ms: float,
    *,
    probe: RunSeen | None = None,
    again: RunSeen | None = None,
    rows_after_again: int = 0,
) -> CaseRecord:
    extra = sum(run is not None for run in (probe, again))
    runs = talk.runs[: len(talk.runs) - extra] if extra else talk.runs
    return CaseRecord(
        line=talk.line,
        turns=tuple(runs[:turns]),
        runs=tuple(runs[turns:]),
        frames=seen.frames,
        stop_words=seen.stop_words,
        cell_state=seen.cell_state,
        rows=seen.rows,
        took_ms=took_ms,
        probe=probe,
        again=again,
        feedback_rows_after_again=rows_after_again,
        trouble=trouble,
    )


async def _probe(talk: Talk, seen: Observed) -> RunSeen | None:
    if seen.cell_state is not CellState.LOCKED_OUT:
        return None
    text = PROBE[talk.line.spoken_lang]
    return await talk.say(talk.message("ask", text=text), last=False)


async def _again(talk: Talk, record: CaseRecord) -> tuple[RunSeen | None, int]:
    """The request of a stored record once more, with its own id."""
    if record.judged.kind != "record":
        return None, 0
    sent: dict[str, Any] = dict(record.judged.request)
    again = await talk.say(sent, last=False)
    rows = (await talk.cell.observe()).rows
    return again, sum(row.kind is Kind.FEEDBACK for row in rows)
