"""What the agent says, on the broker: event streams, the cell's state, alarms, and where a reloaded page catches up.

The journal is the outbox. What the broker has not acknowledged is kept here, in order and bounded, and said again
after a reconnect; a reader knows a repeated event by its `seq`.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from drivers.contract import Mode
from edge_agent.adapters.mqtt.link import LinkState, MqttLink
from edge_agent.adapters.mqtt.traffic import Published
from edge_agent.control.view import CellView
from edge_agent.control.words import arm_words
from edge_agent.desk.stream import Address
from edge_agent.messages.alarm import AlarmMessage
from edge_agent.messages.cell_state import CellStateMessage, InjectedFault
from edge_agent.messages.encode import encode, encode_event
from edge_agent.messages.event import Event
from edge_agent.messages.states import ModeWord
from edge_agent.messages.topics import TOPICS, TopicKind, Topics
from edge_agent.safety.cell_spec import CellSpec

MAX_KEPT = 1_000
"""Events of a broker's absence; the oldest go first, and the journal still has them."""

MODE_WORDS: dict[Mode, ModeWord] = {
    Mode.UNKNOWN: "UNKNOWN",
    Mode.MANUAL: "MANUAL",
    Mode.AUTO_LOCAL: "AUTO_LOCAL",
    Mode.AUTO_REMOTE: "AUTO_REMOTE",
}


@dataclass(frozen=True, slots=True)
class _Said:
    topic: str
    payload: bytes
    retain: bool
    expiry_s: int | None


class MqttOutlet:
    """An `Outlet`. `link` and `session` are set once the rest of the agent is there."""

    def __init__(
        self,
        topics: Topics,
        spec: CellSpec,
        epoch: int,
        now: Callable[[], datetime],
        faults: Callable[[], tuple[InjectedFault, ...]],
        lockout_text: Callable[[str], str],
    ) -> None:
        self._topics, self._spec, self._epoch, self._now = topics, spec, epoch, now
        self._faults, self._lockout_text = faults, lockout_text
        self.link: MqttLink | None = None
        self.session: Callable[[str], bytes] = lambda _user: b""
        self.active_run: Callable[[], str | None] = lambda: None
        self._kept: OrderedDict[int, _Said] = OrderedDict()
        self._count = 0
        self._retained: dict[str, _Said] = {}

    def event(self, address: Address, event: Event) -> None:
        if address.channel != "mqtt":
            return
        topic = self._topics.answer(address.user, address.level, address.response_topic)
        self._say(_Said(topic, encode_event(event), retain=False, expiry_s=None))

    def cell(self, view: CellView) -> None:
        self._retain(self._topics.of(TopicKind.STATE_CELL), encode(self._cell_message(view)))

    def alarm(self, message: AlarmMessage) -> None:
        topic = self._topics.of(TopicKind.ALARM, alarm=message.id)
        self._retain(topic, encode(message) if message.retained else b"")

    def session_changed(self, user: str) -> None:
        topic = self._topics.of(TopicKind.LAST, user=user)
        self._retain(topic, self.session(user), TOPICS[TopicKind.LAST].expiry_s)

    def retain(self, kind: TopicKind, payload: bytes) -> None:
        self._retain(self._topics.of(kind), payload)

    def link_changed(self, state: LinkState) -> None:
        """Online again: what stands is said anew, and then everything that was not acknowledged."""
        if state is not LinkState.ONLINE:
            return
        for said in self._retained.values():
            self._send(said)
        waiting = list(self._kept.values())
        self._kept.clear()
        for said in waiting:
            self._say(said)

    def _retain(self, topic: str, payload: bytes, expiry_s: int | None = None) -> None:
        """Of what is retained only the newest counts."""
        self._retained[topic] = _Said(topic, payload, retain=True, expiry_s=expiry_s)
        self._send(self._retained[topic])

    def _say(self, said: _Said) -> None:
        self._count += 1
        number = self._count
        self._kept[number] = said
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        sent = self._send(said)
        if isinstance(sent, Published):
            sent.acked.add_done_callback(lambda acked: self._acknowledged(number, acked))

    def _acknowledged(self, number: int, acked: asyncio.Future[bool]) -> None:
        if not acked.cancelled() and acked.result():
            self._kept.pop(number, None)

    def _send(self, said: _Said) -> object:
        if self.link is None:
            return None
        return self.link.publish(said.topic, said.payload, retain=said.retain, expiry_s=said.expiry_s)

    def _cell_message(self, view: CellView) -> CellStateMessage:
        return CellStateMessage(
            at=self._now(),
            epoch=self._epoch,
            state=view.state.value,
            mode=MODE_WORDS[view.read_back.mode] if view.read_back and view.linked else "UNKNOWN",
            simulated=self._spec.simulated,
            active_run=self.active_run(),
            active_command=view.command_id,
            unknown_outcomes=view.unknown_outcomes,
            lockout_reason=view.lockout,
            lockout_text=None if view.lockout is None else self._lockout_text(view.lockout)[:500],
            faults_injected=self._faults(),
            arm=arm_words(view),
        )
