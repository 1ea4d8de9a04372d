"""What the broker has not acknowledged yet, in order and bounded; said when there is room, and again after a reconnect.

The journal holds every event; this holds what of them somebody may still be waiting for. A reader knows a repeated
event by its `seq`. Of what is retained only the newest counts.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from edge_agent.adapters.log import log
from edge_agent.adapters.mqtt.traffic import NotConnected, Published

MAX_KEPT: Final = 1_000
"""Events of a broker's absence; the oldest go first, and the journal still has them."""
MAX_TRIES: Final = 3
"""A message that one connection's broker did not take so often is one that it never takes: logged and let go."""

_log = log("outbox")


@dataclass(frozen=True, slots=True)
class Saying:
    topic: str
    payload: bytes
    retain: bool = False
    expiry_s: int | None = None
    correlation: bytes | None = None


@dataclass(slots=True)
class _Kept:
    saying: Saying
    sent: bool = False
    tries: int = 0


Send: TypeAlias = Callable[[Saying], Published | NotConnected]


class Outbox:
    """`send` hands one message over, or says why not; nothing here waits or raises."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._kept: OrderedDict[int, _Kept] = OrderedDict()
        self._retained: dict[str, _Kept] = {}
        self._count = 0

    def say(self, saying: Saying) -> None:
        self._count += 1
        self._kept[self._count] = _Kept(saying)
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        self.flush()

    def retain(self, saying: Saying) -> None:
        self._retained[saying.topic] = _Kept(saying)
        self.flush()

    def again(self) -> None:
        """Online anew: what stands is said anew, and then everything that was not acknowledged."""
        for kept in (*self._retained.values(), *self._kept.values()):
            kept.sent, kept.tries = False, 0
        self.flush()

    def flush(self) -> None:
        """Hands over what was not, oldest first, until there is no more room; each acknowledgement makes some."""
        for topic, kept in self._retained.items():
            if not kept.sent and not self._hand(kept, partial(self._of_retained, topic, kept)):
                return
        for number, kept in list(self._kept.items()):
            if not kept.sent and not self._hand(kept, partial(self._of_kept, number)):
                return

    def _hand(self, kept: _Kept, heard: Callable[[bool], None]) -> bool:
        """False where nothing more can be handed over now."""
        answer = self._send(kept.saying)
        match answer:
            case Published(acked=acked):
                kept.sent = True
                acked.add_done_callback(lambda done: heard(_taken(done)))
                return True
            case NotConnected(reason="too_large"):
                kept.sent = True  # and never taken: a reader gets what comes after it
                _log.error("not_said", topic=kept.saying.topic, why="too large for this broker")
                return True
            case _:
                return False

    def _of_retained(self, topic: str, kept: _Kept, acked: bool) -> None:
        if acked:
            self.flush()
        elif self._retained.get(topic) is kept:
            self._not_taken(kept)

    def _of_kept(self, number: int, acked: bool) -> None:
        if acked:
            self._kept.pop(number, None)
            self.flush()
        elif (kept := self._kept.get(number)) is not None and self._not_taken(kept):
            del self._kept[number]

    def _not_taken(self, kept: _Kept) -> bool:
        """Refused, or the connection was lost first: said again with what comes next. True where it is let go."""
        kept.tries += 1
        if kept.tries >= MAX_TRIES:
            _log.error("not_said", topic=kept.saying.topic, why="not taken by the broker")
            return True
        kept.sent = False
        return False


def _taken(done: asyncio.Future[bool]) -> bool:
    return not done.cancelled() and done.result()
