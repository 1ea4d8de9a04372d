"""One page's presence at the broker: an ordinary user's session, kept up, and what was heard folded into two values.

Every page has a connection of its own with a random client id. When it breaks, a new one is made; what stands is
retained, and a `resync` brings back whatever question is open.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from typing import Any, Final, Literal, TypeAlias

from pydantic import ValidationError

from edge_agent.adapters.mqtt.say import Broken, RequestWord, Sent, Session, Unsent
from edge_agent.adapters.mqtt.settings import MqttSettings
from edge_agent.adapters.mqtt.traffic import Clock, Inbound, NotOpened
from edge_agent.hmi.now import Link, Now
from edge_agent.hmi.talk import Act, Talk
from edge_agent.messages.alarm import AlarmMessage
from edge_agent.messages.capabilities import CapabilitiesMessage
from edge_agent.messages.cell_state import CellStateMessage
from edge_agent.messages.codes import Lang
from edge_agent.messages.content import Content
from edge_agent.messages.content import Session as SessionContent
from edge_agent.messages.event import Event, Failure, NotAnEvent, parse_event
from edge_agent.messages.prompt import Confirmation
from edge_agent.messages.status import StatusMessage
from edge_agent.messages.topics import TopicKind, Topics

ALSO: Final = (TopicKind.STATE_CELL, TopicKind.CAPABILITIES, TopicKind.ALARM, TopicKind.LAST)
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 5.0
"""Between two tries to reach the broker; a person stands in front of the page."""
ANSWER_S: Final = 10.0
"""For what the page asks on its own account; the agent answers these from its journal in milliseconds."""
RUN_SILENCE_S: Final = 45.0
"""More than any deadline of a run."""
MAX_SAID: Final = 500
"""Characters of a sentence, as the agent takes them."""

NotSent: TypeAlias = Literal["too_large", "offline", "refused", "unacked", "idle", "long"]
"""Why a request did not leave: a key of the wording."""


class Visit:
    """`run` until cancelled. `changed` is called after everything that could show on the page."""

    def __init__(self, settings: MqttSettings, talk: Talk, clock: Clock, changed: Callable[[], None]) -> None:
        self._settings, self._clock, self._changed = settings, clock, changed
        self._topics = Topics(settings.prefix)
        self._session: Session | None = None
        self._following: set[asyncio.Task[None]] = set()
        self.talk, self.now = talk, Now(since_s=clock())
        self.lang: Lang = "zh"
        self.may: Callable[[], bool] = lambda: True
        """Asked before everything but a stop: whether this login still holds."""

    @property
    def user(self) -> str:
        return self._settings.username

    async def run(self) -> None:
        wait_s = FIRST_WAIT_S
        while True:
            session = self._new_session()
            opened = await session.open()
            try:
                if isinstance(opened, NotOpened):
                    self._link(Link.REFUSED if opened.refused else Link.DOWN, opened.reason)
                else:
                    wait_s = FIRST_WAIT_S
                    await self._stay(session)
            finally:
                self._session = None
                await session.close()
            await asyncio.sleep(wait_s)
            wait_s = min(LONGEST_WAIT_S, wait_s * 2)

    async def _stay(self, session: Session) -> None:
        self._session = session
        self._link(Link.UP)
        catching_up = asyncio.create_task(self._resync(), name="resync")
        try:
            why = await session.lost()
        finally:
            catching_up.cancel()
        self._link(Link.DOWN, why)

    # -- asking -----------------------------------------------------------------------------------------------

    async def ask(self, said: str) -> NotSent | None:
        """A sentence that is too long is not cut: what is left of one may mean something else."""
        return "long" if len(said) > MAX_SAID else await self._say("ask", said, "ask", text=said)

    async def reply(self, prompt_id: str, said: str, shown: str) -> NotSent | None:
        if len(said) > MAX_SAID:
            return "long"
        return await self._answer(prompt_id, self._say("reply", shown, "reply", prompt_id=prompt_id, text=said))

    async def confirm(self, prompt: Confirmation, *, yes: bool) -> NotSent | None:
        fields = {"prompt_id": prompt.prompt_id, "digest": prompt.digest, "confirm": yes}
        return await self._answer(prompt.prompt_id, self._say("yes" if yes else "no", "", "confirm", **fields))

    async def stop(self) -> NotSent | None:
        """Ahead of everything, on its own topic; nothing that is pending here is asked first."""
        session = self._session
        sent = Unsent("offline") if session is None else await session.stop()
        return self._begun(sent, "stop", "")

    async def release(self) -> NotSent | None:
        return await self._say("release", "", "release_stop")

    async def cancel(self) -> NotSent | None:
        return await self._say("cancel", "", "cancel")

    async def fetch(self, word: RequestWord, **fields: Any) -> Content | Failure | None:
        """Something for the page itself: history, a timeline, an acknowledgement. None: no answer came."""
        session = self._session
        if session is None:
            return None
        sent = await session.request(word, {"lang": self.lang, **fields})
        if isinstance(sent, Unsent):
            return None
        self.talk.put_aside(sent.run)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ANSWER_S):
                async for event in session.events(sent.run):
                    if isinstance(event, Broken):
                        return None
                    if isinstance(event.body, Failure) or event.body.type == "content":
                        return event.body
        return None

    async def _say(self, act: Act, shown: str, word: RequestWord, **fields: Any) -> NotSent | None:
        if not self.may():
            return "idle"
        session = self._session
        asked = {**fields, "lang": self.lang}
        sent = Unsent("offline") if session is None else await session.request(word, asked)
        return self._begun(sent, act, shown)

    def _begun(self, sent: Sent | Unsent, act: Act, shown: str) -> NotSent | None:
        if isinstance(sent, Unsent):
            return sent.reason
        self.talk.begin(sent.run, act, shown, datetime.now(UTC))
        if self._session is not None:
            self._keep(self._follow(self._session, sent.run), f"follow-{sent.run}")
        self._changed()
        return None

    def _keep(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._following.add(task)
        task.add_done_callback(self._following.discard)

    async def _answer(self, prompt_id: str, saying: Coroutine[Any, Any, NotSent | None]) -> NotSent | None:
        """A question is answered once: the second of two quick presses sends nothing."""
        if not self.talk.take(prompt_id):
            saying.close()
            return None
        unsent = await saying
        if unsent is not None:
            self.talk.give_back(prompt_id)
        self._changed()
        return unsent

    async def _follow(self, session: Session, run: str) -> None:
        """Notices that nothing more will come. The events themselves are heard by `_hear`."""
        async for event in session.events(run, RUN_SILENCE_S):
            if isinstance(event, Broken):
                self.talk.lose(run, event.reason)
                self._changed()

    async def _resync(self) -> None:
        content = await self.fetch("resync")
        if isinstance(content, SessionContent):
            self.now.session = content
            self.talk.open_are(content.open_prompts, self._clock())
            self._changed()

    # -- hearing ----------------------------------------------------------------------------------------------

    def _new_session(self) -> Session:
        return Session(
            self._settings,
            clock=self._clock,
            on_status=self._beat,
            on_event=self._hear,
            on_other=self._other,
            also=ALSO,
            kind="page",
        )

    def _link(self, link: Link, why: str = "") -> None:
        self.now.link_is(link, self._clock(), why)
        self._changed()

    def _beat(self, status: StatusMessage) -> None:
        before = self.now.status
        self.now.beat(status, self._clock())
        if before is not None and before.epoch != status.epoch:
            self.talk.agent_began_anew()
            self._keep(self._resync(), "resync")
        self._changed()

    def _hear(self, event: Event) -> None:
        now_s = self._clock()
        self.now.heard(now_s)
        self.talk.hear(event, now_s)
        self._changed()

    def _other(self, inbound: Inbound) -> None:
        """A message out of form is left aside: the page shows what it could read before."""
        with contextlib.suppress(ValidationError, NotAnEvent):
            self._take(inbound.topic, inbound.payload)
            self._changed()

    def _take(self, topic: str, payload: bytes) -> None:
        of = self._topics.of
        if topic == of(TopicKind.STATE_CELL):
            self.now.cell = CellStateMessage.model_validate_json(payload)
            self.talk.cell_is(self.now.cell.state, self._clock())
        elif topic == of(TopicKind.CAPABILITIES):
            self.now.capabilities = CapabilitiesMessage.model_validate_json(payload)
        elif topic == of(TopicKind.LAST, user=self.user):
            self._last(parse_event(payload))
        elif (head := of(TopicKind.ALARM, alarm="x").removesuffix("x")) and topic.startswith(head):
            name = topic.removeprefix(head)
            self.now.alarm(name, AlarmMessage.model_validate_json(payload) if payload else None)

    def _last(self, event: Event) -> None:
        """Retained, so perhaps old: it brings a question back at once, and the `resync` that follows corrects it."""
        status = self.now.status
        if not isinstance(event.body, SessionContent) or (status and status.epoch != event.envelope.epoch):
            return
        self.now.session = event.body
        if event.body.open_prompts:
            self.talk.open_are(event.body.open_prompts, self._clock())
