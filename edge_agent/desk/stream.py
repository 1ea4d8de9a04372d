"""The events of one run, in order: journalled before they are published, gapless, and exactly one `done`.

An event that is out of order is refused here and written down as late; it is never published.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from edge_agent.desk.arrival import NO_WISH, ReplyTo
from edge_agent.messages.acceptance import Channel
from edge_agent.messages.event import Body, Done, Envelope, Event, Place, flat, next_place
from edge_agent.run.ids import RunId
from edge_agent.run.journal import Duplicate, Entry, Journal, Kind
from edge_agent.run.waiting import Waiting


@dataclass(frozen=True, slots=True)
class Address:
    """Whose stream, and where it is read. `level` is the last level of its topic: the run's id, or `-` for answers
    to what has no readable id or has a stream already."""

    user: str
    channel: Channel
    level: str
    reply_to: ReplyTo = NO_WISH


class Publisher(Protocol):
    def publish(self, address: Address, event: Event) -> None:
        """Hands the event to the transport. Never blocks, never raises; what cannot be sent now is kept for later."""


class Stream:
    """`waiting`: the rows of its run that go with the next event, in the same commit."""

    def __init__(
        self,
        run: RunId,
        address: Address,
        *,
        journal: Journal,
        publisher: Publisher,
        now: Callable[[], datetime],
        waiting: Waiting | None = None,
    ) -> None:
        self.run, self.address = run, address
        self._journal, self._publisher, self._now = journal, publisher, now
        self._place: Place = "start"
        self._seq = 0
        self._waiting = Waiting() if waiting is None else waiting
        self._turn = asyncio.Lock()
        self.silent = False
        """Set when the client is gone: events are still written down, and no longer sent."""

    @property
    def begun(self) -> bool:
        return self._place != "start"

    @property
    def ended(self) -> bool:
        return self._place == "ended"

    @property
    def released(self) -> bool:
        """A content or a failure is out; only `done` may follow."""
        return self._place in ("released", "ended")

    def along(self, entry: Entry) -> None:
        """A row that goes with the run's next commit."""
        self._waiting.put(entry)

    async def emit(self, *bodies: Body) -> bool:
        """Writes the bodies down in one commit, then publishes them. False, and nothing sent, where one of them is
        out of order, or the id has an end already. Raises `JournalFault`.

        One after the other: the run and the supervision of its command both tell, and neither may take the other's
        number while a commit is awaited.
        """
        async with self._turn:
            return await self._emit(bodies)

    async def _emit(self, bodies: tuple[Body, ...]) -> bool:
        events: list[Event] = []
        place = self._place
        for body in bodies:
            following = next_place(place, body.type)
            if following is None:
                return await self._late(body)
            place = following
            events.append(self._event(body, self._seq + len(events)))
        rows = (*(self._entry(e) for e in events), *self._terminal(bodies))
        if isinstance(await self._waiting.commit(self._journal, *rows), Duplicate):
            return await self._late(bodies[-1])
        self._place, self._seq = place, self._seq + len(events)
        if not self.silent:
            for event in events:
                self._publisher.publish(self.address, event)
        return True

    async def _late(self, body: Body) -> bool:
        await self._journal.append(Entry(Kind.EVENT, {"late": body.type}, self.run))
        return False

    def tell_unstored(self, *bodies: Body) -> None:
        """The one exception to "written down before it is published": that nothing can be written down. Whoever
        waits is told so; what is told here is in no journal, and says as much."""
        place = self._place
        for body in bodies:
            following = next_place(place, body.type)
            if following is None:
                continue
            place = following
            event = self._event(body, self._seq)
            self._seq += 1
            if not self.silent:
                self._publisher.publish(self.address, event)
        self._place = place

    def _event(self, body: Body, seq: int) -> Event:
        return Event(Envelope(run=self.run, seq=seq, at=self._now(), epoch=self._journal.epoch), body)

    def _entry(self, event: Event) -> Entry:
        to = self.address
        body = {"user": to.user, "channel": to.channel, "level": to.level, "sent": not self.silent}
        return Entry(Kind.EVENT, {**body, **_wish(to.reply_to), "event": flat(event)}, self.run)

    def _terminal(self, bodies: tuple[Body, ...]) -> tuple[Entry, ...]:
        """The one terminal row of an id goes with its `done`, in the same commit."""
        return tuple(
            Entry(
                Kind.TERMINAL,
                {**body.model_dump(mode="json"), "user": self.address.user},
                self.run,
                key=f"{self.address.user}/{self.run}",
            )
            for body in bodies
            if isinstance(body, Done) and self.address.level == self.run
        )


def _wish(reply_to: ReplyTo) -> dict[str, dict[str, str | None]]:
    """Where the sender wanted it, so that it can be told there again."""
    if reply_to == NO_WISH:
        return {}
    return {"reply_to": {"topic": reply_to.topic, "correlation": (reply_to.correlation or b"").hex()}}
