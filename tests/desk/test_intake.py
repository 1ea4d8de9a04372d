"""What a message becomes: a stop word first, then one durable row, then its acknowledgement; or a named rejection."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from edge_agent.desk.arrival import Arrival
from edge_agent.desk.intake import Intake, Refused, Taken
from edge_agent.messages.rate import RateLimit, Rates
from edge_agent.messages.rejection import RejectionName
from edge_agent.messages.states import CellStateWord
from edge_agent.messages.wire import utc_text
from edge_agent.run.journal import Entry, JournalFault, Kind
from edge_agent.safety.permission import Role
from offline_rules.router import Router
from tests.tools.desk import NOW, MemoryJournal

ROUTER = Router.load()
ID = "01M8P4K5FJFYX602N84P8GV11H"


@dataclass
class Around:
    """The moment, as a test wants it."""

    state: CellStateWord = "READY"
    there: bool = True
    now_s: float = 0.0
    wall: datetime = NOW
    crowded: bool = False

    def cell_state(self) -> CellStateWord:
        return self.state

    def attached_here(self, user: str, client: str | None) -> bool:
        del user
        return self.there and client is not None

    def full(self) -> bool:
        return self.crowded

    def monotonic_s(self) -> float:
        return self.now_s

    def now(self) -> datetime:
        return self.wall


@dataclass
class Desk:
    journal: MemoryJournal = field(default_factory=MemoryJournal)
    around: Around = field(default_factory=Around)
    stops: list[str] = field(default_factory=list)
    acked: list[str] = field(default_factory=list)
    limit: RateLimit = field(default_factory=RateLimit)

    def __post_init__(self) -> None:
        self.intake = Intake(
            self.journal,
            self.around,
            ROUTER.read,
            self.stops.append,
            {"op1": Role.OPERATOR},
            simulated=True,
            default_lang="zh",
            rates=Rates(self.limit),
        )

    async def take(self, payload: bytes, user: str | None = "op1", **more: Any) -> Taken | Refused:
        return await self.intake.take(Arrival(payload, user, "mqtt", ack=lambda: self.acked.append("ack"), **more))


def ask(text: str = "查一下 glass 的分拣规则", **fields: Any) -> bytes:
    said = {"v": 1, "id": ID, "type": "ask", "issued_at": utc_text(NOW), "ttl_ms": 5000, "text": text, **fields}
    return json.dumps(said).encode()


def name_of(taken: Taken | Refused) -> RejectionName:
    assert isinstance(taken, Refused), taken
    return taken.rejection.name


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def test_a_request_is_written_down_and_then_acknowledged(desk: Desk) -> None:
    taken = await desk.take(ask())
    assert isinstance(taken, Taken)
    assert (taken.speaker.user, taken.speaker.role) == ("op1", Role.OPERATOR)
    assert [row.key for row in desk.journal.written if row.kind is Kind.REQUEST] == [f"op1/{ID}"]
    assert desk.acked == ["ack"]


async def test_what_cannot_be_written_down_is_not_acknowledged(desk: Desk) -> None:
    desk.journal.broken.add("append")
    with pytest.raises(JournalFault):
        await desk.take(ask())
    assert desk.acked == []


REFUSED: tuple[tuple[RejectionName, bytes, dict[str, Any]], ...] = (
    (RejectionName.MALFORMED, b'{"id":', {}),
    (RejectionName.MALFORMED, ask(user="root"), {}),
    (RejectionName.TOO_LARGE, b"x" * 9000, {}),
    (RejectionName.IDENTITY, ask(), {"user": None}),
    (RejectionName.RETAINED, ask(), {"retained": True}),
    (RejectionName.STALE_EPOCH, ask(epoch=7), {}),
    (RejectionName.EXPIRED, ask(issued_at=utc_text(NOW - timedelta(seconds=60))), {}),
    (RejectionName.CLOCK, ask(issued_at=utc_text(NOW + timedelta(seconds=60))), {}),
)


@pytest.mark.parametrize(("name", "payload", "how"), REFUSED, ids=[f"{r[0].value}-{i}" for i, r in enumerate(REFUSED)])
async def test_a_refusal_is_named_written_down_and_acknowledged(
    name: RejectionName, payload: bytes, how: dict[str, Any], desk: Desk
) -> None:
    assert name_of(await desk.take(payload, **how)) is name
    assert [body["name"] for body in desk.journal.bodies(Kind.REJECTION)] == [name.value]
    assert desk.journal.bodies(Kind.REQUEST) == []
    assert desk.acked == ["ack"]


async def test_the_same_id_runs_once_and_is_told_how_the_first_stands(desk: Desk) -> None:
    await desk.take(ask())
    again = await desk.take(ask())
    assert name_of(again) is RejectionName.DUPLICATE
    assert isinstance(again, Refused)
    assert again.first_state == "RUNNING"
    await desk.journal.append(Entry(Kind.TERMINAL, {"outcome": "SUCCESS"}, ID, key=f"op1/{ID}"))
    over = await desk.take(ask())
    assert isinstance(over, Refused)
    assert over.first_state == "SUCCESS"


async def test_what_was_refused_under_an_id_is_not_taken_under_it_later(desk: Desk) -> None:
    """Its refusal was its end: another run would give the id a second one."""
    assert name_of(await desk.take(ask(epoch=7))) is RejectionName.STALE_EPOCH
    await desk.journal.append(Entry(Kind.TERMINAL, {"outcome": "FALLBACK"}, ID, key=f"op1/{ID}"))
    again = await desk.take(ask())
    assert isinstance(again, Refused)
    assert (again.rejection.name, again.first_state) == (RejectionName.DUPLICATE, "FALLBACK")
    assert desk.journal.bodies(Kind.REQUEST) == []


async def test_no_more_run_at_once_than_there_is_room_for_but_what_makes_room_is_heard(desk: Desk) -> None:
    desk.around.crowded = True
    assert name_of(await desk.take(ask())) is RejectionName.BUSY
    cancel = json.loads(ask(type="cancel", id="01M8P4K5FJFYX602N84P8GV11A"))
    del cancel["text"]
    assert isinstance(await desk.take(json.dumps(cancel).encode()), Taken)
    assert name_of(await desk.take(ask("停", id="01M8P4K5FJFYX602N84P8GV11B"))) is RejectionName.BUSY
    assert desk.stops == ["op1"]


async def test_another_user_may_have_the_same_id_and_learns_nothing_of_the_first(desk: Desk) -> None:
    await desk.take(ask())
    assert isinstance(await desk.take(ask(), user="op2"), Taken)


STOPPED_ANYWAY: tuple[tuple[str, bytes], ...] = (
    ("as it is", ask("停！")),
    ("expired", ask("stop", issued_at=utc_text(NOW - timedelta(seconds=60)))),
    ("of an older life", ask("急停", epoch=7)),
    ("with a field too many", ask("stop the arm!", colour="red")),
)


@pytest.mark.parametrize(("how", "payload"), STOPPED_ANYWAY, ids=[row[0] for row in STOPPED_ANYWAY])
async def test_a_stop_word_stops_whatever_becomes_of_the_request(how: str, payload: bytes, desk: Desk) -> None:
    del how
    await desk.take(payload)
    assert desk.stops == ["op1"]


async def test_a_stop_word_beyond_the_rate_stops(desk: Desk) -> None:
    desk = Desk(limit=RateLimit(burst=1, per_s=0.001))
    await desk.take(ask(id="01M8P4K5FJFYX602N84P8GV11A"))
    assert name_of(await desk.take(ask("停"))) is RejectionName.RATE_LIMITED
    assert desk.stops == ["op1"]


@pytest.mark.parametrize("text", ["为什么停了？", "non-stop", "why did the arm stop"])
async def test_a_question_about_a_stop_is_none(text: str, desk: Desk) -> None:
    await desk.take(ask(text))
    assert desk.stops == []


async def test_a_retained_stop_word_is_nobodys_wish_of_now(desk: Desk) -> None:
    await desk.take(ask("停"), retained=True)
    assert desk.stops == []


async def test_a_flood_leaves_one_row_a_second_with_a_count(desk: Desk) -> None:
    desk = Desk(limit=RateLimit(burst=1, per_s=0.001))
    told = [await desk.take(ask(id=f"01M8P4K5FJFYX602N84P8GV1{n:02}")) for n in range(6)]
    assert [isinstance(each, Refused) and each.told for each in told] == [False, True, False, False, False, False]
    desk.around.now_s = 1.5
    await desk.take(ask(id="01M8P4K5FJFYX602N84P8GV1ZZ"))
    assert [body["beyond_rate"] for body in desk.journal.bodies(Kind.REJECTION)] == [0, 4]
    assert len(desk.acked) == 7


@pytest.mark.parametrize(("text", "lang"), [("查一下 glass 的分拣规则", "zh"), ("what is the rule for glass", "en")])
async def test_the_answer_speaks_as_the_question_did(text: str, lang: str, desk: Desk) -> None:
    taken = await desk.take(ask(text))
    assert isinstance(taken, Taken)
    assert taken.speaker.lang == lang


async def test_a_login_without_a_role_may_only_look(desk: Desk) -> None:
    taken = await desk.take(ask(), user="stranger")
    assert isinstance(taken, Taken)
    assert taken.speaker.role is Role.VIEWER


CHANGED: tuple[tuple[str, dict[str, Any], RejectionName], ...] = (
    ("too old by now", {"wall": NOW + timedelta(seconds=60)}, RejectionName.EXPIRED),
    ("who asked has left", {"there": False}, RejectionName.NOT_LIVE),
)


@pytest.mark.parametrize(("what", "change", "name"), CHANGED, ids=[row[0] for row in CHANGED])
async def test_what_changed_since_is_seen_before_anything_is_sent(
    what: str, change: dict[str, Any], name: RejectionName, desk: Desk
) -> None:
    del what
    yes: dict[str, Any] = {
        "type": "confirm",
        "epoch": 1,
        "prompt_id": "prompt-0001",
        "digest": "0" * 64,
        "confirm": True,
    }
    desk.around.state = "AWAITING_CONFIRMATION"
    said = {k: v for k, v in json.loads(ask(**yes, attached="page")).items() if k != "text"}
    taken = await desk.take(json.dumps(said).encode())
    assert isinstance(taken, Taken), taken
    assert desk.intake.recheck(taken) is None
    for key, value in change.items():
        setattr(desk.around, key, value)
    stale = desk.intake.recheck(taken)
    assert stale is not None
    assert stale.name is name


async def test_a_proved_role_goes_before_the_list(desk: Desk) -> None:
    arrival = replace(Arrival(ask(), "tech1", "console"), role=Role.TECHNICIAN)
    taken = await desk.intake.take(arrival)
    assert isinstance(taken, Taken)
    assert taken.speaker.role is Role.TECHNICIAN


async def test_a_stop_word_that_was_heard_on_arrival_is_not_asked_for_again(desk: Desk) -> None:
    waiting = Arrival(ask("停"), "op1", "mqtt")
    assert desk.intake.stop_word(waiting)
    assert desk.stops == ["op1"]
    taken = await desk.intake.take(replace(waiting, stop_served=True))
    assert isinstance(taken, Taken)
    assert taken.stopped
    assert desk.stops == ["op1"]


def test_a_request_without_a_stop_word_stops_nothing(desk: Desk) -> None:
    assert not desk.intake.stop_word(Arrival(ask(), "op1", "mqtt"))
    assert desk.stops == []
