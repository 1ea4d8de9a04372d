"""A command from its prompt to its receipt, step by step as the supervision's command task waits."""

from __future__ import annotations

from edge_agent.safety.cell import CellEvent, CellState
from tests.safety.search.acting import OWN_BUSY, feed, link_down, observe, take, void
from tests.safety.search.controller import Moves
from tests.safety.search.engine import Engine
from tests.safety.search.wire import has_room, post
from tests.safety.search.world import PAST, USERS, Asked, Path, Seen, Underway, World, glance, seen, with_fate

S, E = CellState, CellEvent
PROMPTS_KEPT = 2
NOT_GENUINE, ENDED = 2, 2
"""Added to the user whose answer should not have counted, so that the observer knows."""


def asks(e: Engine, w: World) -> Moves:
    """A motion is proposed and its prompt shown; the cell and its last look must allow it."""
    if not (w.left.prompts and w.known and w.known.fit and e.cell(w.machine) is S.READY):
        return
    proposed = e.proposed(w.machine)
    fed = e.feed(proposed, E.PROMPT_OPENED)
    if fed.refused:
        return
    left = w.left._replace(prompts=w.left.prompts - 1)
    for user in USERS if w.prompts else USERS[:1]:  # users differ only from one another
        prompts = (*void(w.prompts), Asked(user, 0))[-PROMPTS_KEPT:]
        yield f"user {user} is shown a prompt", w._replace(machine=fed.machine, prompts=prompts, left=left)


def answers(e: Engine, w: World) -> Moves:
    forsaken = w.path == Path.STORE and w.under is None  # its task still waits for its row
    if w.path != Path.NONE and not forsaken:
        return
    for index, asked in enumerate(w.prompts):
        for user in USERS:
            if e.answered(asked, user):
                genuine = index == len(w.prompts) - 1 and asked == (user, 0)
                used = (*w.prompts[:index], asked._replace(status=1), *w.prompts[index + 1 :])
                asker = user if genuine else user + NOT_GENUINE
                yield f"user {user} confirms", w._replace(prompts=used, path=Path.LOOK, asker=asker)


def closes(e: Engine, w: World) -> Moves:
    if w.prompts and w.prompts[-1].status == 0:
        shut = w._replace(prompts=(*w.prompts[:-1], w.prompts[-1]._replace(status=1)))
        yield "the prompt is declined", feed(e, shut, E.PROMPT_CLOSED)
        yield "the prompt expires", feed(e, shut, E.PROMPT_EXPIRED)


def last_look(e: Engine, w: World) -> Moves:
    if w.path == Path.LOOK and w.bus is None:
        yield "the last look is read", w._replace(bus=("last", False, glance(w)))
    if w.bus is not None and w.bus[0] == "last":
        look = w.bus[2]
        assert look is not None
        yield "the last look comes back", _looked(e, w._replace(bus=None), look)
        yield "the command is called off at the last look", _called_off(e, observe(e, w._replace(bus=None), look))
        yield "the last look times out", link_down(e, w._replace(path=Path.NONE, asker=0))


def _looked(e: Engine, w: World, look: Seen) -> World:
    w = observe(e, w, look)
    if e.refused_now(look):
        return _called_off(e, w)
    return _confirmed(e, w)


def _called_off(e: Engine, w: World) -> World:
    return feed(e, w._replace(path=Path.NONE, asker=0), E.PROMPT_CLOSED)


def _confirmed(e: Engine, w: World) -> World:
    own = w.prompts and w.prompts[-1] == (w.asker, 1)
    if e.feed(w.machine, E.CONFIRMED).refused:
        return w._replace(path=Path.NONE, asker=0)
    asker = w.asker if own or w.asker > NOT_GENUINE else w.asker + NOT_GENUINE
    return feed(e, w._replace(path=Path.DRAW, asker=asker), E.CONFIRMED)


def draws(e: Engine, w: World) -> Moves:
    """The next number, on the disk before it is given; then the intent's row, unless the cell moved on meanwhile."""
    if w.path != Path.DRAW or w.disk_broken:
        return
    command = w.drawn + 1 if e.supervision.number_rises else max(w.drawn, 1)
    if e.cell(w.machine) is not S.DISPATCHING or w.known is None:
        journal = (*w.journal[: command - 1], ENDED, *w.journal[command:])
        fates = with_fate(w, command, PAST)
        given_up = w._replace(path=Path.NONE, asker=0, drawn=command, journal=journal, fates=fates)
        yield "the command is given up before its number", given_up
        return
    owner = (w.asker - 1) % len(USERS) + 1
    under = Underway(0, False, w.session, owner, w.known.boot, w.known.executed, w.known.duplicates)
    fate = w.fates[command - 1]._replace(confirmed=w.asker in USERS, fenced=False)
    numbered = w._replace(
        machine=e.numbered(w.machine, command),
        drawn=command,
        under=under,
        path=Path.STORE,
        rows=(*w.rows, ("I", command, 0)),
        fates=with_fate(w, command, fate),
    )
    yield "the command gets its number", numbered if e.supervision.intent_before_send else dispatch(e, numbered)


def intent_stored(e: Engine, w: World, command: int) -> Moves:
    """An intent is on the disk: its own task asks a last time and sends, or calls off."""
    if w.path == Path.STORE and w.under is not None and command == w.drawn:
        yield "the intent is on the disk", dispatch(e, w)
        yield "the intent is on the disk, the command called off", _called_off(e, w)
        return
    task_ends = w._replace(path=Path.NONE) if w.path == Path.STORE and w.under is None else w
    if e.supervision.intent_is_own or not e.feed(w.machine, E.INTENT_STORED).sends:
        yield "the intent of an ended command is on the disk", task_ends
    else:
        yield "the intent of an ended command is on the disk", dispatch(e, w)


def dispatch(e: Engine, w: World) -> World:
    sends = e.feed(w.machine, E.INTENT_STORED).sends
    return feed(e, w._replace(path=Path.SEND if sends else Path.NONE), E.INTENT_STORED)


def sends(e: Engine, w: World) -> Moves:
    if w.path == Path.SEND and w.bus is None:
        unsent = w._replace(path=Path.NONE, asker=0, under=w.under and w.under._replace(frames=0))
        if e.supervision.rechecks_before_send and e.cell(w.machine) is not S.AWAITING_RECEIPT:
            yield "the send is given up", feed(e, unsent, E.NOT_SENT)
            return
        yield "nothing left this machine", feed(e, unsent._replace(linked=False, calm=False), E.NOT_SENT)
        if has_room(w):
            yield "the mailbox is written", _write(e, w)
    if w.bus is not None and w.bus[0] == "send":
        ended = w._replace(bus=None, path=Path.NONE, asker=0)
        if w.bus[1]:
            yield "the write is acknowledged", feed(e, ended._replace(under=_sent(w.under)), E.SENT)
        yield "the write is not acknowledged in time", feed(e, ended._replace(calm=False), E.SEND_FAILED)


def _sent(under: Underway | None) -> Underway | None:
    return under and under._replace(sent=True)


def _write(e: Engine, w: World) -> World:
    command = w.drawn
    owner = (w.asker - 1) % len(USERS) + 1
    fate = w.fates[command - 1]
    return w._replace(
        wire=post(w, ("M", command, w.session, owner)),
        bus=("send", False, None),
        path=Path.NONE,
        under=w.under and w.under._replace(frames=1),
        fates=with_fate(w, command, fate._replace(writes=fate.writes + 1)),
        bad=w.bad or _wrong_write(e, w, command),
    )


def _wrong_write(e: Engine, w: World, command: int) -> str:
    if w.fates[command - 1].writes:
        return "I1 a second mailbox write"
    if w.journal[command - 1] != 1:
        return "I2 a mailbox write without a stored open intent"
    if not w.fates[command - 1].confirmed:
        return "I2 a mailbox write without its own confirmation"
    if w.stop_open:
        return "I6 a mailbox write after a stop was asked for"
    if e.cell(w.machine) is not S.AWAITING_RECEIPT or w.locked:
        return "I2 a mailbox write from a cell that is not waiting for it"
    return ""


def deadline(e: Engine, w: World) -> Moves:
    if w.under is not None and w.under.sent and e.cell(w.machine) in OWN_BUSY:
        yield "the receipt's deadline passes", feed(e, w._replace(calm=False), E.DEADLINE)


def forget(e: Engine, w: World) -> World:
    """Closed prompts that no answer can open are dropped; one stays while its own command looks a last time."""
    if w.prompts and w.path != Path.LOOK:
        kept = tuple(a for a in w.prompts if a.status == 0 or any(e.answered(a, user) for user in USERS))
        return w if kept == w.prompts else w._replace(prompts=kept)
    return w


def somebody_waits(w: World) -> bool:
    """Whoever waits for the wire goes before the next look."""
    return w.path in (Path.LOOK, Path.SEND) or (w.stopping is not None and w.stopping.writes)


def looks(e: Engine, w: World) -> Moves:
    """The control loop's look: receipt, then status."""
    if w.linked and w.bus is None and not somebody_waits(w):
        with_receipt = w.under is not None and w.under.sent
        yield "the control loop reads", w._replace(bus=("tick", with_receipt, seen(w) if with_receipt else glance(w)))
    if w.bus is not None and w.bus[0] == "tick":
        _, with_receipt, look = w.bus
        assert look is not None
        back = w._replace(bus=None)
        yield "the look comes back", observe(e, take(e, back, look) if with_receipt else back, look)
        yield "the look times out", link_down(e, w)
