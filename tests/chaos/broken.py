"""Agents that are broken on purpose, by name: each harness must catch its own. Used in a forked child alone."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from drivers.contract import ReceiptState
from edge_agent.adapters.mqtt.client import Connection
from edge_agent.adapters.mqtt.link import MqttLink
from edge_agent.control import dispatching, watching
from edge_agent.control.core import Core, Underway
from edge_agent.control.dispatching import Dispatching
from edge_agent.control.prompts import PromptBook
from edge_agent.control.supervisor import Supervisor
from edge_agent.desk.intake import Intake
from edge_agent.messages import strict_json
from edge_agent.messages.rate import Rates
from edge_agent.run.journal import Duplicate, Entry, Kind
from edge_agent.safety.cell import TABLE, CellEvent, CellState, Effect, Transition
from edge_agent.safety.confirm import Answer
from edge_agent.safety.permission import Role
from edge_agent.safety.receipt import Verified, judge


def _journal_after_send() -> None:
    """The intent is stored when the write is out already."""

    async def dispatch(self: Dispatching, under: Underway, *_: object) -> None:
        core = self._core
        core.steps("before_intent")
        core.feed(CellEvent.INTENT_STORED, "dispatched")
        await self._send_once(under)
        core.steps("intent_stored")
        body = dispatching._intent(under)
        await core.store(Kind.COMMAND, body, run=under.run, key=str(under.order.command_id))

    Dispatching._dispatch = dispatch  # type: ignore[assignment, method-assign]


def _sends_again() -> None:
    """An unanswered write is tried a second time, as a library might do by itself."""
    send_once = Dispatching._send_once

    async def twice(self: Dispatching, under: Underway) -> None:
        await send_once(self, under)
        await self._core.driver.send(under.job)

    Dispatching._send_once = twice  # type: ignore[method-assign]


def _deaf_to_the_journal() -> None:
    """A row that could not be written counts as written."""
    store = Core.store

    def deaf(self: Core, *row: Any, **more: Any) -> asyncio.Future[None]:
        settled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        store(self, *row, **more).add_done_callback(lambda _: settled.set_result(None))
        return settled

    def nothing(*_: object) -> None:
        """Not told."""

    Core.store = deaf  # type: ignore[method-assign]
    Core._row_fault = nothing  # type: ignore[method-assign, assignment]
    Supervisor.journal_fault = nothing  # type: ignore[method-assign, assignment]


def _stop_waits_for_its_row() -> None:
    """The stop is written down first, and then asked for."""
    request_stop = Supervisor.request_stop

    def slow(self: Supervisor, by: str) -> None:
        stored = self._core.store(Kind.STOP, {"by": by, "state": "first"})
        stored.add_done_callback(lambda _: request_stop(self, by))

    Supervisor.request_stop = slow  # type: ignore[method-assign]


def _everybody_is_an_operator() -> None:
    """The role is not the login's."""
    Intake.role = lambda *_: Role.OPERATOR  # type: ignore[method-assign]


def _believes_the_last_receipt() -> None:
    """Any receipt that says done is this command's."""

    def believe(order: Any, fingerprint: Any, receipt: Any, snapshot: Any, before: Any) -> Any:
        if receipt is not None and receipt.state is ReceiptState.DONE:
            return Verified(receipt, snapshot)
        return judge(order, fingerprint, receipt, snapshot, before)

    watching.__dict__["judge"] = believe


def _late_means_failed() -> None:
    """No receipt in time: then nothing happened, and the cell may go on."""
    for state in (CellState.AWAITING_RECEIPT, CellState.EXECUTING):
        TABLE[state, CellEvent.DEADLINE] = Transition(CellState.READY, (Effect.END_REJECTED,))


def _forgets_what_was_said() -> None:
    """An id is taken as often as it comes."""

    async def never_seen(*_: object) -> None:
        return None

    append = Intake._store

    async def anew(self: Intake, arrival: Any, accepted: Any, stopped: bool) -> Any:
        journal = self._journal

        class Forgetful:
            async def append(self, entry: Entry) -> tuple[int, ...] | Duplicate:
                return await journal.append(replace(entry, key=f"{entry.key}/{secrets.token_hex(4)}"))

        self._journal = Forgetful()  # type: ignore[assignment]
        try:
            return await append(self, arrival, accepted, stopped)
        finally:
            self._journal = journal

    Intake._first_state = never_seen  # type: ignore[method-assign, assignment]
    Intake._store = anew  # type: ignore[method-assign]


def _takes_what_is_retained() -> None:
    """What the broker kept is as good as what is said now."""
    take = Intake.take

    async def taken(self: Intake, arrival: Any) -> Any:
        return await take(self, replace(arrival, retained=False))

    Intake.take = taken  # type: ignore[method-assign]


def _anybody_may_answer() -> None:
    """A prompt is answered by whoever has read it."""
    answer = PromptBook.answer

    def as_its_user(self: PromptBook, given: Answer, now_s: float) -> Any:
        asked = self._find(given.prompt_id)
        return answer(self, given if asked is None else replace(given, user=asked.user), now_s)

    PromptBook.answer = as_its_user  # type: ignore[method-assign, assignment]


def _has_no_rate() -> None:
    """Whoever shouts is served first."""
    Rates.within = lambda *_: True  # type: ignore[method-assign]


def _ids_of_its_connections(client_id: Callable[[bool], str]) -> None:
    """`client_id`: of the connection that has a last will, and of the one that has none."""
    build = Connection._build

    def named(self: Connection, will: Any) -> Any:
        client = build(self, will)
        client._client_id = client_id(will is not None).encode()
        return client

    Connection._build = named  # type: ignore[method-assign]


def _keeps_its_client_ids() -> None:
    """Whoever threw it off once can do so for ever."""
    own = {with_will: secrets.token_hex(16) for with_will in (True, False)}
    _ids_of_its_connections(own.__getitem__)


def _shows_its_client_id() -> None:
    """The instance that everybody reads in the status is the client id, too."""
    shown, init = secrets.token_hex(16), MqttLink.__init__

    def with_instance(self: MqttLink, *arguments: Any, **more: Any) -> None:
        init(self, *arguments, **more)
        self._instance = shown

    MqttLink.__init__ = with_instance  # type: ignore[method-assign]
    _ids_of_its_connections(lambda with_will: shown if with_will else secrets.token_hex(16))


def _reads_doubtful_json() -> None:
    """Of a key that stands twice the last one counts."""
    strict_json.__dict__["_object"] = dict


BROKEN: dict[str, Callable[[], None]] = {
    "journal_after_send": _journal_after_send,
    "sends_again": _sends_again,
    "deaf_to_the_journal": _deaf_to_the_journal,
    "stop_waits_for_its_row": _stop_waits_for_its_row,
    "everybody_is_an_operator": _everybody_is_an_operator,
    "believes_the_last_receipt": _believes_the_last_receipt,
    "late_means_failed": _late_means_failed,
    "forgets_what_was_said": _forgets_what_was_said,
    "takes_what_is_retained": _takes_what_is_retained,
    "anybody_may_answer": _anybody_may_answer,
    "has_no_rate": _has_no_rate,
    "keeps_its_client_ids": _keeps_its_client_ids,
    "shows_its_client_id": _shows_its_client_id,
    "reads_doubtful_json": _reads_doubtful_json,
}
