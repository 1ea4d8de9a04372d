"""What the agent says, on the broker: event streams, the cell's state, alarms, and where a reloaded page catches up."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from drivers.contract import Mode
from edge_agent.adapters.log import log
from edge_agent.adapters.mqtt.line import LinkState
from edge_agent.adapters.mqtt.link import MqttLink
from edge_agent.adapters.mqtt.traffic import NotConnected, Published
from edge_agent.control.view import CellView
from edge_agent.control.words import arm_words
from edge_agent.desk.stream import Address
from edge_agent.messages.alarm import AlarmMessage
from edge_agent.messages.cell_state import CellStateMessage, InjectedFault
from edge_agent.messages.encode import EventTooLarge, encode, encode_event
from edge_agent.messages.event import Done, Envelope, Event
from edge_agent.messages.states import ModeWord
from edge_agent.messages.topics import TOPICS, TopicKind, Topics
from edge_agent.outbox import Outbox, Saying
from edge_agent.safety.cell_spec import CellSpec

MODE_WORDS: dict[Mode, ModeWord] = {
    Mode.UNKNOWN: "UNKNOWN",
    Mode.MANUAL: "MANUAL",
    Mode.AUTO_LOCAL: "AUTO_LOCAL",
    Mode.AUTO_REMOTE: "AUTO_REMOTE",
}


_log = log("outlet")


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
        self._outbox = Outbox(self._send)

    def event(self, address: Address, event: Event) -> None:
        if isinstance(event.body, Done):
            self._audit(address, event.envelope, event.body)
        if address.channel != "mqtt":
            return
        topic = self._topics.answer(address.user, address.level, address.reply_to.topic)
        try:
            payload = encode_event(event)
        except EventTooLarge as fault:
            _log.error("not_said", topic=topic, why=str(fault))
            return
        self._outbox.say(Saying(topic, payload, correlation=address.reply_to.correlation))

    def _audit(self, address: Address, told: Envelope, done: Done) -> None:
        """For a historian, now or never: who, which run, how it ended. Words of people are not in it."""
        fallback = done.fallback_type.value if done.fallback_type is not None else "-"
        line = (
            f"{told.at.isoformat(timespec='milliseconds')} epoch={told.epoch} user={address.user}"
            f" channel={address.channel} run={told.run} outcome={done.outcome.value} fallback={fallback}"
            f" state={done.run_state}"
        )
        if self.link is not None:
            self.link.publish(self._topics.of(TopicKind.AUDIT), line.encode(), qos=0)

    def cell(self, view: CellView) -> None:
        self.retain(TopicKind.STATE_CELL, encode(self._cell_message(view)))

    def alarm(self, message: AlarmMessage) -> None:
        topic = self._topics.of(TopicKind.ALARM, alarm=message.id)
        self._outbox.retain(Saying(topic, encode(message) if message.retained else b"", retain=True))

    def session_changed(self, user: str) -> None:
        topic = self._topics.of(TopicKind.LAST, user=user)
        try:
            payload = self.session(user)
        except EventTooLarge as fault:
            _log.error("not_said", topic=topic, why=str(fault))
            return
        self._outbox.retain(Saying(topic, payload, retain=True, expiry_s=TOPICS[TopicKind.LAST].expiry_s))

    def retain(self, kind: TopicKind, payload: bytes) -> None:
        self._outbox.retain(Saying(self._topics.of(kind), payload, retain=True))

    def online(self) -> bool:
        """Whether what is said here reaches anybody right now."""
        return self.link is not None and self.link.state is LinkState.ONLINE

    def link_changed(self, state: LinkState) -> None:
        if state is LinkState.ONLINE:
            self._outbox.again()

    def _send(self, said: Saying) -> Published | NotConnected:
        if self.link is None:
            return NotConnected("offline")
        return self.link.publish(
            said.topic, said.payload, retain=said.retain, expiry_s=said.expiry_s, correlation=said.correlation
        )

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
