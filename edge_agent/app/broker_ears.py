"""What the broker brings, as the agent takes it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from edge_agent.adapters.log import log
from edge_agent.adapters.mqtt.traffic import Inbound
from edge_agent.agent import Agent
from edge_agent.app import disturbed
from edge_agent.desk.arrival import Arrival, ReplyTo
from edge_agent.messages.parse import parse_stop
from edge_agent.messages.rejection import Rejection
from edge_agent.messages.topics import PRESENCE_EXPIRY_S, PRESENCE_HERE, Topics
from edge_agent.parts import nothing_struck
from edge_agent.run.journal import JournalFault

_log = log("app")


@dataclass(slots=True)
class BrokerEars:
    """Stops and presences are taken as they come. A request has to wait for its turn, which may be eight slow disk
    writes away; a stop word in it is heard at once.

    `max_waiting`: as many requests as the link keeps. It may drop one more that was heard on arrival, so that what is
    remembered here is bounded by itself.
    """

    topics: Topics
    agent: Agent
    max_waiting: int
    fires: Callable[[str], bool] = nothing_struck
    """Whether a fault of the transport that was put in strikes now."""
    _served: deque[Inbound] = field(init=False)

    def __post_init__(self) -> None:
        self._served = deque(maxlen=2 * self.max_waiting)

    def stop(self, inbound: Inbound) -> None:
        """Whatever its form: a doubtful stop is a stop. Nothing at all is somebody clearing the topic; what was kept
        by the broker from before is not sent to this subscription."""
        spoken = self.topics.read(inbound.topic)
        if spoken is None or not inbound.payload:
            return
        parsed = parse_stop(inbound.payload)
        request = None if isinstance(parsed, Rejection) else parsed
        self.agent.stop(spoken.user, request, _reply_to(inbound))

    def presence(self, inbound: Inbound) -> None:
        spoken = self.topics.read(inbound.topic)
        if spoken is None:
            return
        if inbound.payload == PRESENCE_HERE:
            self.agent.here(spoken.user, spoken.client, float(inbound.message_expiry or PRESENCE_EXPIRY_S))
        else:
            self.agent.left(spoken.user, spoken.client)

    def request(self, inbound: Inbound) -> None:
        """On arrival: its stop word alone."""
        if self.agent.intake.stop_word(self._arrival(inbound)):
            self._served.append(inbound)

    async def take(self, inbound: Inbound) -> None:
        """The request has its turn. One that can't be stored is not acknowledged: the broker brings it again, and the
        cell is locked out by the same fault."""
        try:
            arrival = self._arrival(inbound, stop_served=self._was_served(inbound))
            await disturbed.receive(arrival, self.agent.receive, self.fires)
        except JournalFault as fault:
            _log.error("request_not_stored", why=str(fault))

    def _was_served(self, inbound: Inbound) -> bool:
        for place, each in enumerate(self._served):
            if each is inbound:
                del self._served[place]
                return True
        return False

    def _arrival(self, inbound: Inbound, *, stop_served: bool = False) -> Arrival:
        spoken = self.topics.read(inbound.topic)
        return Arrival(
            inbound.payload,
            spoken.user if spoken is not None else None,
            "mqtt",
            inbound.retained,
            _reply_to(inbound),
            inbound.ack,
            stop_served=stop_served,
        )


def _reply_to(inbound: Inbound) -> ReplyTo:
    return ReplyTo(inbound.response_topic, inbound.correlation)
