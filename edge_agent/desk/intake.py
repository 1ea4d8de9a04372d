"""A message becomes an accepted request, or a rejection that is journalled, answered and acknowledged.

Order: bytes and form → a stop word in it is served at once → the table of `messages.acceptance` → one durable row →
acknowledged → run. The row's key is the user and the id: the same id is never run twice, whatever a broker says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Protocol

from edge_agent.desk.arrival import Arrival, ReplyTo
from edge_agent.desk.speaker import Speaker
from edge_agent.messages.acceptance import Accepted, Facts, accept, accept_again
from edge_agent.messages.codes import Lang
from edge_agent.messages.parse import parse_request, refused, spoken_text
from edge_agent.messages.rate import Rates
from edge_agent.messages.rejection import Rejection, RejectionName
from edge_agent.messages.request import Request, StopRequest
from edge_agent.messages.states import CellStateWord
from edge_agent.run.journal import Duplicate, Entry, Journal, Kind
from edge_agent.safety.permission import Denied, Granted, Operation, Role, permit
from offline_rules.reading import Reading, StopSense

OPERATIONS: dict[str, Operation] = {
    "ask": Operation.ASK,
    "reply": Operation.ASK,
    "confirm": Operation.ASK,  # what is confirmed asks for its own role, then and there
    "cancel": Operation.ASK,
    "resync": Operation.ASK,
    "explain": Operation.ASK,
    "history": Operation.ASK,
    "ack_alarm": Operation.ACK_ALARM,
    "release_stop": Operation.RELEASE_STOP,
    "lab": Operation.INJECT_FAULT,
}


class Surroundings(Protocol):
    """What the acceptance asks about the moment."""

    def cell_state(self) -> CellStateWord: ...

    def attached_here(self, user: str, client: str | None) -> bool: ...

    def full(self) -> bool: ...

    def monotonic_s(self) -> float: ...

    def now(self) -> datetime: ...


@dataclass(frozen=True, slots=True)
class Taken:
    """An accepted request, durable. `stopped` says that a stop word in it was served already."""

    request: Request | StopRequest
    request_id: str
    speaker: Speaker
    reply_to: ReplyTo
    stopped: bool
    proved_role: Role | None = None
    """As `Arrival.role`."""


@dataclass(frozen=True, slots=True)
class Refused:
    rejection: Rejection
    user: str | None
    lang: Lang
    reply_to: ReplyTo
    first_state: str | None = None
    stopped: bool = False
    told: bool = True
    """False for what is beyond the rate: one row and one answer a user and second."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Of what the role may not do: `what`, and the lowest role that may (`needed`)."""


class Intake:
    def __init__(
        self,
        journal: Journal,
        surroundings: Surroundings,
        read: Callable[[str], Reading],
        stop: Callable[[str], None],
        roles: Mapping[str, Role],
        *,
        simulated: bool,
        default_lang: Lang,
        rates: Rates,
    ) -> None:
        self._journal, self._around, self._read, self._stop = journal, surroundings, read, stop
        self._roles, self._simulated, self._lang, self._rates = roles, simulated, default_lang, rates
        self._flooded_at_s: dict[str, float] = {}
        self._flooded: dict[str, int] = {}

    def role(self, user: str) -> Role:
        """A login without a listed role may only look."""
        return self._roles.get(user, Role.VIEWER)

    def role_of(self, arrival: Arrival) -> Role:
        """What the transport proved goes before the list."""
        return self.role(arrival.user or "-") if arrival.role is None else arrival.role

    async def take(self, arrival: Arrival) -> Taken | Refused:
        """Raises `JournalFault`: then nothing was acknowledged and nothing runs."""
        parsed = parse_request(arrival.payload, arrival.user)
        stopped = arrival.stop_served or self._stop_first(arrival, parsed)
        if isinstance(parsed, Rejection):
            return await self._refuse(arrival, parsed, None, stopped)
        assert arrival.user is not None, "a request without a user does not parse"
        first_state = None if arrival.retained else await self._first_state(arrival.user, parsed.id)
        verdict = accept(parsed, self._facts(arrival, parsed, first_state))
        if isinstance(verdict, Rejection):
            answer = await self._refuse(arrival, verdict, first_state, stopped)
            return replace(answer, facts=self._who_may(arrival, parsed))
        return await self._store(arrival, verdict, stopped)

    def stop_word(self, arrival: Arrival) -> bool:
        """Whether a stop word stands in it; it is served when this returns. For a transport whose messages wait."""
        return self._stop_first(arrival, parse_request(arrival.payload, arrival.user))

    def recheck(self, taken: Taken) -> Rejection | None:
        """What may have changed since, asked once more just before anything is dispatched."""
        speaker, request = taken.speaker, taken.request
        arrival = Arrival(b"", speaker.user, speaker.channel, role=taken.proved_role)
        if isinstance(request, StopRequest):
            return None
        verdict = accept_again(request, self._facts(arrival, request, None, counted=False))
        return verdict if isinstance(verdict, Rejection) else None

    def asks_to_stop(self, arrival: Arrival, parsed: Request | Rejection) -> bool:
        """A stop word of somebody who is known, said now."""
        spoken = spoken_text(parsed)
        if spoken is None or arrival.retained or arrival.user is None:
            return False
        return self._read(spoken).stop is StopSense.STOP

    def _stop_first(self, arrival: Arrival, parsed: Request | Rejection) -> bool:
        if arrival.user is None or not self.asks_to_stop(arrival, parsed):
            return False
        self._stop(arrival.user)
        return True

    def _who_may(self, arrival: Arrival, request: Request) -> dict[str, str]:
        """Empty where this role may."""
        denied = permit(OPERATIONS[request.type], self.role_of(arrival), simulated=self._simulated)
        return {"what": request.type, "needed": denied.needed.word} if isinstance(denied, Denied) else {}

    def _facts(self, arrival: Arrival, request: Request, first_state: str | None, *, counted: bool = True) -> Facts:
        user = arrival.user or ""
        role = self.role_of(arrival)
        granted = permit(OPERATIONS[request.type], role, simulated=self._simulated)
        return Facts(
            retained=arrival.retained,
            first_state=first_state,
            within_rate=not counted or arrival.retained or self._rates.within(user, self._around.monotonic_s()),
            epoch=self._journal.epoch,
            now=self._around.now().astimezone(UTC),
            role=role.word,
            permitted=isinstance(granted, Granted),
            channel=arrival.channel,
            attached_here=self._around.attached_here(user, request.attached),
            cell_state=self._around.cell_state(),
            full=self._around.full(),
        )

    async def _first_state(self, user: str, request_id: str) -> str | None:
        """How the first run of this id stands; None when it was never seen. A refusal is an end too: what was refused
        under an id is not taken under the same id later, which would have two ends."""
        kinds, key = (Kind.REQUEST, Kind.TERMINAL), f"{user}/{request_id}"
        rows = await self._journal.rows(kinds=kinds, key=key, limit=len(kinds))
        ends = [str(row.body["outcome"]) for row in rows if row.kind is Kind.TERMINAL]
        return ends[0] if ends else "RUNNING" if rows else None

    async def _store(self, arrival: Arrival, accepted: Accepted, stopped: bool) -> Taken | Refused:
        request, user = accepted.request, arrival.user or ""
        body = {"user": user, "channel": arrival.channel, "request": request.model_dump(mode="json")}
        written = await self._journal.append(Entry(Kind.REQUEST, body, request.id, f"{user}/{request.id}"))
        if isinstance(written, Duplicate):
            first = await self._first_state(user, request.id)
            again = refused(request, RejectionName.DUPLICATE, "stored a moment ago")
            return await self._refuse(arrival, again, first, stopped)
        arrival.ack()
        lang = request.lang or self._lang_of(request)
        speaker = Speaker(user, self.role_of(arrival), arrival.channel, lang, request.attached)
        return Taken(request, request.id, speaker, arrival.reply_to, stopped, arrival.role)

    async def _refuse(self, arrival: Arrival, rejection: Rejection, first_state: str | None, stopped: bool) -> Refused:
        user = arrival.user
        told = rejection.name is not RejectionName.RATE_LIMITED or self._first_in_second(user or "")
        if told:
            body = {
                "user": user,
                "channel": arrival.channel,
                "name": rejection.name.value,
                "detail": rejection.detail,
                "beyond_rate": self._flooded.pop(user or "", 0),
            }
            await self._journal.append(Entry(Kind.REJECTION, body, rejection.key))
        arrival.ack()
        lang = rejection.lang or self._lang
        return Refused(rejection, user, lang, arrival.reply_to, first_state, stopped, told)

    def _first_in_second(self, user: str) -> bool:
        now_s = self._around.monotonic_s()
        if now_s - self._flooded_at_s.get(user, -1.0) < 1.0:
            self._flooded[user] = self._flooded.get(user, 0) + 1
            return False
        self._flooded_at_s[user] = now_s
        return True

    def _lang_of(self, request: Request) -> Lang:
        spoken = spoken_text(request)
        return self._lang if spoken is None else self._read(spoken).lang
