"""An agent that judges requests as the real one does and answers by a script: for sessions and rejections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from edge_agent.adapters.mqtt.broker import Broker
from edge_agent.adapters.mqtt.link import MqttLink
from edge_agent.adapters.mqtt.traffic import Inbound
from edge_agent.messages.acceptance import Accepted, Facts, accept
from edge_agent.messages.codes import FallbackType, Phase, ReleaseOutcome
from edge_agent.messages.content import Answer, DoneAck, Stop
from edge_agent.messages.encode import encode_event
from edge_agent.messages.event import Body, Done, Envelope, Event, Metadata, Status, Termination, Usage
from edge_agent.messages.parse import parse_request, parse_stop
from edge_agent.messages.prompt import Candidate, Clarification, Confirmation
from edge_agent.messages.rate import RateLimit, Rates
from edge_agent.messages.rejection import Rejection
from edge_agent.messages.request import Ask, Confirm, Reply, Request
from edge_agent.messages.states import CellStateWord
from edge_agent.messages.topics import Topics
from edge_agent.release.audience import Audience
from edge_agent.release.page import Page, Traces
from edge_agent.release.rejections import rejection
from edge_agent.release.texts import texts
from tests.adapters.mqtt.peers import WITHIN_S, settings

EPOCH = 1742
ORDINARY = RateLimit()
TRACES: dict[str, Any] = {"trace_id": "t", "parse_trace_id": "p"}
DIGEST = "ab" * 32


def bodies(request: Request) -> tuple[Body, ...]:
    """The script: what each request is answered with."""
    match request:
        case Ask(text="move"):
            return (
                Confirmation(
                    text="[bold]home?", prompt_id="prompt-0001", digest=DIGEST, action="home", device="arm_01",
                    slots={}, expires_in_s=30.0, **TRACES,
                ),
            )  # fmt: skip
        case Ask(text="vague"):
            one = Candidate(n=1, intent="QUERY_RULE", label="rule", example="glass rule", score=0.41)
            return (
                Clarification(
                    text="which?", reason="margin_low", candidates=(one,), prompt_id="prompt-0002", expires_in_s=30.0,
                    **TRACES,
                ),
            )  # fmt: skip
        case Ask(text="silent"):
            return ()
        case Ask() | Reply():
            return Status(phase=Phase.QUERYING), Answer(text=f"you said {request.text}", **TRACES)
        case Confirm():
            return (DoneAck(text="confirmed" if request.confirm else "declined", what="confirm", **TRACES),)
        case _:
            return (DoneAck(text="done", what=request.type, **TRACES),)


@dataclass
class ScriptedAgent:
    link: MqttLink
    topics: Topics
    facts: Facts
    rates: Rates
    times: int = 1
    """2: each event is sent again, as after a reconnect."""
    seen: dict[str, str] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    presences: list[bytes] = field(default_factory=list)

    async def serve(self) -> None:
        while True:
            inbound = await self.link.inbound.get()
            self.judge(inbound)
            inbound.ack()

    def judge(self, inbound: Inbound) -> None:
        spoken = self.topics.read(inbound.topic)
        parsed = parse_request(inbound.payload, spoken.user if spoken else None)
        user = inbound.topic.split("/")[-2]
        if not isinstance(parsed, Rejection):
            facts = replace(
                self.facts,
                retained=inbound.retained,
                first_state=self.seen.get(parsed.id),
                within_rate=self.rates.within(user, inbound.received_monotonic_s),
                now=datetime.now(UTC),
                attached_here=parsed.attached is not None,
            )
            judged = accept(parsed, facts)
            if isinstance(judged, Accepted):
                self.seen[parsed.id] = "SUCCESS"
                self.requests.append(parsed)
                return self.answer(user, parsed.id, parsed.id, bodies(parsed))
            parsed = judged
        page, traces = Page(texts("en"), Audience()), Traces(TRACES["trace_id"], TRACES["parse_trace_id"])
        content = rejection(page, traces, reason=parsed.name.value, code=parsed.error_code)
        return self.answer(user, parsed.answer_level, parsed.key, (content,))

    def answer(self, user: str, level: str, run: str, content: tuple[Body, ...]) -> None:
        if not content:
            return
        first = Metadata(request_id=run, parse_trace_id="p", lang="en", agent="test", rules_version="1")
        question = isinstance(content[-1], Clarification | Confirmation)
        last = Done(
            outcome=ReleaseOutcome.FALLBACK if question else ReleaseOutcome.SUCCESS,
            fallback_type=FallbackType.CLARIFICATION if question else None,
            run_state="SUCCESS",
            termination=Termination(state="SUCCESS", reason="released", at=datetime.now(UTC)),
            usage=Usage(),
        )
        topic = f"{self.topics.prefix}/op/{user}/run/{level}"
        for seq, body in enumerate((first, *content, last)):
            event = Event(Envelope(run=run, seq=seq, at=datetime.now(UTC), epoch=EPOCH), body)
            for _ in range(self.times):
                self.link.publish(topic, encode_event(event))

    def stop(self, inbound: Inbound) -> None:
        parsed = parse_stop(inbound.payload)
        if not isinstance(parsed, Rejection) and parsed.id is not None:
            said = Stop(text="stopped", command_id=None, command_state=None, frames_on_wire=0, proved=True, **TRACES)
            self.answer(inbound.topic.split("/")[-2], parsed.id, parsed.id, (said,))


@asynccontextmanager
async def scripted_agent(
    broker: Broker, *, cell_state: CellStateWord = "READY", rate: RateLimit = ORDINARY
) -> AsyncIterator[ScriptedAgent]:
    presences: list[bytes] = []

    def stop(inbound: Inbound) -> None:
        one.stop(inbound)

    link = MqttLink(
        settings(broker, "agent"),
        epoch=EPOCH,
        versions={},
        on_stop=stop,
        on_presence=lambda inbound: presences.append(inbound.payload),
    )
    facts = Facts(
        retained=False,
        first_state=None,
        within_rate=True,
        epoch=EPOCH,
        now=datetime.now(UTC),
        role="operator",
        permitted=True,
        channel="mqtt",
        attached_here=True,
        cell_state=cell_state,
    )
    one = ScriptedAgent(link, Topics(broker.prefix), facts, Rates(rate), presences=presences)
    await link.start()
    serving = asyncio.create_task(one.serve())
    try:
        assert await link.wait_online(WITHIN_S), link.reason
        yield one
    finally:
        serving.cancel()
        await asyncio.wait({serving})
        await link.stop()
