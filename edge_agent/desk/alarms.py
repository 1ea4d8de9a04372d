"""The alarms of a cell: raised by what is so, acknowledged by a person, cleared when neither holds any more.

One alarm a type, active while any of its sources says so; its `event_id` changes with every change, so that an
acknowledgement cannot meet another alarm than the one that was read. The words are data; every alarm says what to do.

A flood (ISA-18.2: more than ten in ten minutes, until fewer than five) is one alarm: while `alarm.flood` is active what
is less than urgent is written down, and told in the state it then has when the flood is over.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from edge_agent.desk.alarm_texts import TEXTS
from edge_agent.messages.alarm import SEVERITY, AlarmMessage, AlarmType
from edge_agent.messages.codes import Lang
from edge_agent.run.journal import Entry, Journal, Kind

FLOOD: Final[AlarmType] = "alarm.flood"
FLOOD_WINDOW: Final = timedelta(minutes=10)
FLOOD_ABOVE, FLOOD_BELOW = 10, 5


@dataclass(frozen=True, slots=True)
class Standing:
    type: AlarmType
    source: str
    active: bool
    acked: bool
    event_id: str
    raised_at: datetime
    detail: str


class AlarmBoard:
    """`tell` is given every change; an alarm that is neither active nor unacknowledged is told once more and gone."""

    def __init__(
        self,
        journal: Journal,
        lang: Lang,
        now: Callable[[], datetime],
        new_id: Callable[[], str],
        tell: Callable[[AlarmMessage], None],
    ) -> None:
        self._journal, self._lang, self._now, self._new_id, self._tell = journal, lang, now, new_id, tell
        self._standing: dict[AlarmType, Standing] = {}
        self._sources: dict[AlarmType, dict[str, str]] = {}
        """Who says so now, each with its detail: what one of them takes back, another may still see."""
        self._raised_at: deque[datetime] = deque(maxlen=FLOOD_ABOVE + 1)
        self._untold: dict[AlarmType, AlarmMessage] = {}

    def standing(self) -> list[AlarmMessage]:
        return [self._message(each) for each in self._standing.values()]

    def flood(self) -> str | None:
        """How many were raised lately, where they are too many for a person."""
        lately = sum(self._now() - at <= FLOOD_WINDOW for at in self._raised_at)
        return f"{lately}+" if lately >= (FLOOD_BELOW if self._flooded else FLOOD_ABOVE + 1) else None

    async def set(self, kind: AlarmType, active: bool, source: str, detail: str = "") -> None:
        """What `source` sees now. Raising an active alarm again changes nothing; it ends with the last of its sources,
        and shows one that still holds. Raises `JournalFault`."""
        sources, before = self._sources.setdefault(kind, {}), self._standing.get(kind)
        if active:
            sources.setdefault(source, detail)
        else:
            sources.pop(source, None)
        if before is None or not before.active:
            if active:
                await self._raise(kind, source, detail)
        elif not sources:
            await self._put(replace(before, active=False, event_id=self._new_id()))
        elif before.source not in sources:
            source, detail = next(iter(sources.items()))
            await self._put(replace(before, source=source, detail=detail, event_id=self._new_id()))

    async def _raise(self, kind: AlarmType, source: str, detail: str) -> None:
        if kind != FLOOD:
            self._raised_at.append(self._now())
        await self._put(Standing(kind, source, True, False, self._new_id(), self._now(), detail))

    async def acknowledge(self, alarm: str, event_id: str, by: str) -> bool:
        found = next((s for s in self._standing.values() if s.type == alarm and s.event_id == event_id), None)
        if found is None or found.acked:
            return False
        await self._put(replace(found, acked=True, event_id=self._new_id()), by)
        return True

    async def _put(self, standing: Standing, by: str = "") -> None:
        """Stands before its row is awaited, so that two who see the same thing at once raise it once."""
        message = self._message(standing)
        if message.retained:
            self._standing[standing.type] = standing
        else:
            self._standing.pop(standing.type, None)
        await self._journal.append(Entry(Kind.ALARM, {**message.model_dump(mode="json"), "by": by}))
        self._say(message, read=bool(by))

    @property
    def _flooded(self) -> bool:
        return FLOOD in self._standing and self._standing[FLOOD].active

    def _say(self, message: AlarmMessage, *, read: bool) -> None:
        if self._flooded and not read and message.type != FLOOD and message.severity != "urgent":
            self._untold[message.type] = message
            return
        self._untold.pop(message.type, None)
        self._tell(message)
        while self._untold and not self._flooded:
            self._tell(self._untold.popitem()[1])

    def _message(self, standing: Standing) -> AlarmMessage:
        text = TEXTS[standing.type][self._lang]
        return AlarmMessage(
            id=standing.type,
            type=standing.type,
            source=standing.source,
            severity=SEVERITY[standing.type],
            active=standing.active,
            acked=standing.acked,
            event_id=standing.event_id,
            raised_at=standing.raised_at,
            message=text.message,
            cause=f"{text.cause} {standing.detail}".strip()[:500],
            consequence=text.consequence,
            response=text.response,
        )
