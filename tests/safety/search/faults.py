"""Planted faults: one altered transition, one check left out, or one rule of the supervision forgotten each.

The search must find every one of them within its scope, and names the property that fell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from drivers.contract import Order, Receipt, ReceiptState, Snapshot
from edge_agent.safety.cell import TABLE, CellEvent, CellState, Effect, Transition
from edge_agent.safety.confirm import Answer, Confirmed, Prompt, PromptRejection, check
from edge_agent.safety.receipt import Baseline, Judgement, Verified, end_misfits, judge
from edge_agent.safety.watch import integrity
from tests.safety.search.engine import Rules, Supervision, Table
from tests.safety.search.world import Left, left

S, E, F = CellState, CellEvent, Effect
Change = tuple[CellState, CellEvent, Transition]


@dataclass(frozen=True, slots=True)
class Fault:
    """`breaks` begins the name of the property that must be seen to fall, within `left`."""

    name: str
    rules: Rules
    left: Left
    breaks: str


def to(state: CellState, *effects: Effect) -> Transition:
    return Transition(state, effects)


def altered(state: CellState, event: CellEvent, transition: Transition) -> Rules:
    table: Table = {**TABLE, (state, event): transition}
    assert table != TABLE, "an alteration that alters nothing"
    return Rules(table=table)


def without(effect: Effect, state: CellState, event: CellEvent) -> Rules:
    now = TABLE[state, event]
    return altered(state, event, replace(now, effects=tuple(x for x in now.effects if x is not effect)))


def _told_first() -> Rules:
    state, event = S.AWAITING_RECEIPT, E.DEADLINE
    return altered(state, event, to(S.LOCKED_OUT, F.END_UNKNOWN, F.LATCH, F.STOP, F.SILENCE))


def forgets(rule: str) -> Rules:
    return Rules(supervision=replace(Supervision(), **{rule: False}))


def _anyone(prompt: Prompt | None, answer: Answer, now_s: float) -> Confirmed | PromptRejection:
    return check(prompt, replace(answer, user=prompt.user) if prompt else answer, now_s)


def _again(prompt: Prompt | None, answer: Answer, now_s: float) -> Confirmed | PromptRejection:
    return check(replace(prompt, used=False) if prompt else None, answer, now_s)


def _void_counts(prompt: Prompt | None, answer: Answer, now_s: float) -> Confirmed | PromptRejection:
    return check(replace(prompt, void=None) if prompt else None, answer, now_s)


def _done_is_done(
    order: Order, fingerprint: int, receipt: Receipt | None, snapshot: Snapshot, before: Baseline
) -> Judgement:
    """The echo is not compared."""
    if receipt is not None and receipt.echo.command_id == order.command_id:
        receipt = replace(receipt, echo=order)
    return judge(order, fingerprint, receipt, snapshot, before)


def _uncounted(
    order: Order, fingerprint: int, receipt: Receipt | None, snapshot: Snapshot, before: Baseline
) -> Judgement:
    """The counters are not compared."""
    mine = receipt is not None and not receipt.differs_from(order, fingerprint)
    if receipt is not None and mine and receipt.state is ReceiptState.DONE:
        assert not end_misfits(order, receipt, snapshot, before)
        return Verified(receipt, snapshot)
    return judge(order, fingerprint, receipt, snapshot, before)


def _last_receipt(
    order: Order, fingerprint: int, receipt: Receipt | None, snapshot: Snapshot, before: Baseline
) -> Judgement:
    """The receipt of an older command is taken for this one's, and nothing else is compared."""
    if receipt is not None and receipt.state is ReceiptState.DONE:
        return Verified(receipt, snapshot)
    return judge(order, fingerprint, receipt, snapshot, before)


def _blind_to(name: str) -> Rules:
    def blind(snapshot: Snapshot, **known: int | bool | float) -> tuple[str, ...]:
        assert name in ("boot_id", "duplicates", "executed")
        known[name] = getattr(snapshot, name)
        return integrity(snapshot, **known)  # type: ignore[arg-type]

    return Rules(integrity=blind)


def _not_still(first: Snapshot, second: Snapshot, tolerance: int) -> bool:
    del first, tolerance
    return second.state.name == "STOPPED"


TABLE_FAULTS = (
    Fault(
        "a stop asked for while stopped is not followed up",
        altered(S.STOPPED, E.STOP_ASKED, to(S.STOPPED, F.STOP)),
        left(0, stops=2),
        "I6",
    ),
    Fault(
        "a stop leaves the dispatch where it is",
        altered(S.DISPATCHING, E.STOP_ASKED, to(S.DISPATCHING, F.STOP, F.VOID_PROMPT)),
        left(stops=1),
        "I6",
    ),
    Fault(
        "a missed deadline means failed, try again",
        altered(S.AWAITING_RECEIPT, E.DEADLINE, to(S.READY, F.END_REJECTED)),
        left(),
        "I",
    ),
    Fault("a lost link while executing is only offline", altered(S.EXECUTING, E.LINK_DOWN, to(S.OFFLINE)), left(), "I"),
    Fault("a proved stop ends a lockout", altered(S.LOCKED_OUT, E.STOP_PROVED, to(S.STOPPED)), left(0, stops=1), "I5"),
    Fault("the mode switch ends a lockout", altered(S.LOCKED_OUT, E.MODE_LEFT, to(S.MANUAL)), left(oddities=1), "I5"),
    Fault("unknown is told before the lockout is stored", _told_first(), left(), "I4"),
    Fault("an unproved stop latches nothing", without(F.LATCH, S.STOPPING, E.STOP_UNPROVED), left(0, stops=1), "I4"),
    Fault("an unproved stop is let pass", altered(S.STOPPING, E.STOP_UNPROVED, to(S.STOPPED)), left(0, stops=1), "I6"),
    Fault("a stop writes no stop word", without(F.STOP, S.EXECUTING, E.STOP_ASKED), left(stops=1), "I6"),
    Fault(
        "a verified end is the end of the stop, too",
        altered(S.STOPPING, E.VERIFIED, to(S.READY, F.END_VERIFIED)),
        left(stops=1),
        "I6",
    ),
    Fault("a locked-out agent goes on beating", without(F.SILENCE, S.EXECUTING, E.LINK_DOWN), left(), "I4"),
    Fault("a reset leaves the heart silent", without(F.UNLATCH, S.LOCKED_OUT, E.RESET), left(resets=1, stops=1), "I4"),
    Fault(
        "what a restart finds unfinished is forgotten",
        altered(S.OFFLINE, E.FOUND_UNFINISHED, to(S.OFFLINE, F.END_UNKNOWN)),
        left(crashes=1),
        "I4",
    ),
    Fault(
        "a dead journal only cancels",
        altered(S.DISPATCHING, E.JOURNAL_FAULT, to(S.READY, F.END_CANCELLED)),
        left(disk_faults=1),
        "I4",
    ),
    Fault(
        "a wrong receipt means rejected",
        altered(S.EXECUTING, E.RECEIPT_WRONG, to(S.READY, F.END_REJECTED)),
        left(oddities=1),
        "I3",
    ),
    Fault(
        "an unanswered write means cancelled",
        altered(S.AWAITING_RECEIPT, E.SEND_FAILED, to(S.OFFLINE, F.END_CANCELLED)),
        left(),
        "I",
    ),
)

CHECK_FAULTS = (
    Fault("anyone may answer a prompt", Rules(answer=_anyone), left(), "I2"),
    Fault("a used prompt counts again", Rules(answer=_again), left(2), "I2"),
    Fault("a void prompt still counts", Rules(answer=_void_counts), left(2), "I2"),
    Fault("the echo of a receipt is not compared", Rules(judge=_done_is_done), left(oddities=1), "I3"),
    Fault("the counters of a receipt are not compared", Rules(judge=_uncounted), left(oddities=1), "I3"),
    Fault("the last receipt is taken for this one's", Rules(judge=_last_receipt), left(2), "I3"),
    Fault("a changed boot id is overlooked", _blind_to("boot_id"), left(0, crashes=1), "I4"),
    Fault("a counted duplicate is overlooked", _blind_to("duplicates"), left(copies=1), "I4"),
    Fault("a stop is proved by the state alone", Rules(stop_proved=_not_still), left(stops=1), "I6"),
)

SUPERVISION_FAULTS: Mapping[str, tuple[Left, str]] = {
    "intent_before_send": (left(crashes=1), "I2"),
    "intent_is_own": (left(2), "I"),
    "rechecks_before_send": (left(stops=1), "I6"),
    "stop_overtakes_release": (left(0, stops=2, releases=1), "I6"),
    "settles_with_proof": (left(stops=1), "Q"),
    "link_compares": (left(copies=1), "I4"),
    "recovers_unfinished": (left(crashes=1), "I4"),
    "recovers_lockout": (left(0, stops=1, crashes=1), "I4"),
    "release_opens_session": (left(resets=1), "I5"),
    "session_anew": (left(resets=1), "I5"),
    "number_rises": (left(2), "I1"),
}

FAULTS = (
    *TABLE_FAULTS,
    *CHECK_FAULTS,
    *(
        Fault(f"forgotten: {rule}", forgets(rule), scope, breaks)
        for rule, (scope, breaks) in SUPERVISION_FAULTS.items()
    ),
)
