"""The cell-modbus controller as its profile has it: judges a whole mailbox, keeps the stop level, counts, forgets
session, level, counters and receipt at power-up, and keeps the last command id over it."""

from __future__ import annotations

from collections.abc import Iterator

from drivers.contract import ReceiptState
from tests.safety.search.world import NO_ECHO, Ctl, Echo, Message, World, with_fate

COUNT_MAX = 2
"""Duplicates are counted up to here: one more than what is noticed says nothing new."""
SESSION_WRONG, ID_NOT_NEWER, BUSY, MODE, LOCKED, STOPPED = 0x0104, 0x0105, 0x0201, 0x0202, 0x0204, 0x0206
UNREACHABLE, AGENT_SILENT, GUARD = 0x0302, 0x0401, 0x0503
REJECTED, ABORTED = int(ReceiptState.REJECTED), int(ReceiptState.ABORTED)
ACCEPTED, EXECUTING, DONE = int(ReceiptState.ACCEPTED), int(ReceiptState.EXECUTING), int(ReceiptState.DONE)

Moves = Iterator[tuple[str, World]]


def take(w: World, message: Message) -> Moves:
    """A message arrived; more than one outcome where the controller may refuse for reasons of its own."""
    kind, command, session, owner = message
    if kind == "S":
        yield "the stop word arrives", take_stop(w)
        return
    echo = Echo(command, session, owner, ACCEPTED, 0)
    code = _unfit(w, command, session)
    if code == ID_NOT_NEWER:
        w = w._replace(duplicates=min(w.duplicates + 1, COUNT_MAX))
    if code:
        judged = code not in (SESSION_WRONG, ID_NOT_NEWER, BUSY)
        yield f"the mailbox arrives, refused {code:04x}", _refuse(w, echo, code, judged)
        return
    yield "the mailbox arrives, accepted", w._replace(ctl=Ctl.ACCEPTED, last_id=command, echo=echo)
    yield "the mailbox arrives, unreachable", _refuse(w, echo, UNREACHABLE, True)


def _unfit(w: World, command: int, session: int) -> int:
    """The first reason against a mailbox, in the controller's order; 0 when there is none."""
    checks = (
        (w.ctl_session == 0 or session != w.ctl_session, SESSION_WRONG),
        (command <= w.last_id, ID_NOT_NEWER),
        (not w.auto, MODE),
        (w.ctl == Ctl.PROTECTIVE, LOCKED),
        (w.level or w.ctl in (Ctl.STOPPED, Ctl.COASTING), STOPPED),
        (w.ctl != Ctl.IDLE, BUSY),
    )
    return next((code for fails, code in checks if fails), 0)


def _refuse(w: World, echo: Echo, code: int, judged: bool) -> World:
    """A refusal never writes over the receipt of a command under way, nor of the same or a newer one."""
    w = w._replace(last_id=echo.command) if judged else w
    if w.ctl in (Ctl.ACCEPTED, Ctl.EXECUTING, Ctl.COASTING) or echo.command <= w.echo.command:
        return w
    return w._replace(echo=echo._replace(state=REJECTED, code=code))


def take_stop(w: World) -> World:
    w = w._replace(level=True)
    if w.ctl == Ctl.ACCEPTED:
        return w._replace(ctl=Ctl.STOPPED, echo=w.echo._replace(state=REJECTED, code=STOPPED))
    if w.ctl == Ctl.EXECUTING:
        return w._replace(ctl=Ctl.COASTING)
    return w._replace(ctl=Ctl.STOPPED) if w.ctl == Ctl.IDLE else w


def take_release(w: World) -> World:
    w = w._replace(level=False)
    return w._replace(ctl=Ctl.IDLE) if w.ctl == Ctl.STOPPED else w


def open_session(w: World, session: int) -> World:
    return w._replace(ctl_session=session)


def runs(w: World) -> Moves:
    """What the controller does by itself with the command it has."""
    if w.ctl == Ctl.ACCEPTED:
        yield "the motion starts", start_motion(w)
    elif w.ctl == Ctl.EXECUTING:
        fate = w.fates[w.echo.command - 1]
        fates = with_fate(w, w.echo.command, fate._replace(done=True))
        yield "the motion ends", w._replace(ctl=Ctl.IDLE, echo=w.echo._replace(state=DONE), fates=fates)
        silent = w.echo._replace(state=ABORTED, code=AGENT_SILENT)
        yield "the dead-man stops the arm", w._replace(ctl=Ctl.STOPPED, echo=silent, calm=False)
    elif w.ctl == Ctl.COASTING:
        yield "the arm comes to rest", w._replace(ctl=Ctl.STOPPED, echo=w.echo._replace(state=ABORTED, code=STOPPED))


def start_motion(w: World) -> World:
    fate = w.fates[w.echo.command - 1]
    bad = w.bad
    if fate.motions:
        bad = bad or "I1 one command moved twice"
    elif fate.fenced:
        bad = bad or "I5 an old command moved after a proved stop or a reset"
    elif not fate.confirmed:
        bad = bad or "I2 a motion without its own confirmation"
    fates = with_fate(w, w.echo.command, fate._replace(motions=fate.motions + 1))
    echo = w.echo._replace(state=EXECUTING)
    return w._replace(ctl=Ctl.EXECUTING, executed=w.executed + 1, echo=echo, fates=fates, bad=bad)


def reboots(w: World) -> Moves:
    if w.left.crashes:
        yield (
            "the controller loses power",
            w._replace(
                boot=w.boot + 1,
                ctl=Ctl.IDLE,
                level=False,
                ctl_session=0,
                echo=NO_ECHO,
                executed=0,
                duplicates=0,
                left=w.left._replace(crashes=w.left.crashes - 1),
                calm=False,
            ),
        )


def oddities(w: World) -> Moves:
    """Guard, mode switch, and a controller that is itself at fault: a receipt garbled, a motion claimed."""
    if w.left.oddities:
        odd = w._replace(left=w.left._replace(oddities=w.left.oddities - 1), calm=False)
        yield "the guard is opened", odd._replace(ctl=Ctl.PROTECTIVE, echo=_cut_off(w))
        if w.auto:
            yield "the mode switch leaves remote automatic", odd._replace(auto=False)
        if w.ctl == Ctl.EXECUTING:
            garbled = w.echo._replace(state=DONE, owner=0)
            yield "the receipt of another order is shown as done", odd._replace(ctl=Ctl.IDLE, echo=garbled)
        if w.ctl == Ctl.ACCEPTED:
            yield "done is claimed without a motion", odd._replace(ctl=Ctl.IDLE, echo=w.echo._replace(state=DONE))
    if not w.auto:
        yield "the mode switch returns", w._replace(auto=True)
    if w.ctl == Ctl.PROTECTIVE:
        after = Ctl.STOPPED if w.level else Ctl.IDLE
        yield "the guard is closed and the key turned", w._replace(ctl=after)


def _cut_off(w: World) -> Echo:
    if w.ctl == Ctl.ACCEPTED:
        return w.echo._replace(state=REJECTED, code=GUARD)
    if w.ctl in (Ctl.EXECUTING, Ctl.COASTING):
        return w.echo._replace(state=ABORTED, code=GUARD)
    return w.echo
