"""Cancel and stop: what is on the arm is stopped whatever else is open, and nobody is left without a word."""

from __future__ import annotations

import asyncio

import pytest

from edge_agent.adapters.journal.store import SqliteJournal
from edge_agent.messages.request import StopRequest
from edge_agent.run.journal import Duplicate, Entry, JournalFault, Kind
from edge_agent.safety.cell import CellState
from tests.stages.site import DEADLINE_S, USER, OneAgent, one_agent

pytestmark = pytest.mark.net

MOVE = "action=move station=C device=arm_01"


async def moving(site: OneAgent) -> asyncio.Task[object]:
    """A confirmed motion that is under way."""
    task = await site.send(site.yes(await site.card(MOVE)))
    await site.until(CellState.EXECUTING)
    return task


async def test_a_cancel_stops_the_arm_though_a_question_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    async with one_agent(slow=monkeypatch) as site:
        motion = await moving(site)
        asked = await site.ask("ask", text="帮我处理一下")
        assert asked[-2]["kind"] == "clarification"
        told = await site.ask("cancel")
        assert (told[-2]["kind"], told[-2]["proved"]) == ("stop", True)
        await asyncio.wait_for(motion, DEADLINE_S)
        assert site.agent.supervisor.view.state is CellState.STOPPED


async def test_a_cancel_takes_every_open_question_back() -> None:
    async with one_agent() as site:
        await site.ask("ask", text="帮我处理一下")
        card = await site.card(MOVE)
        assert (await site.ask("cancel"))[-2]["kind"] == "done_ack"
        assert site.agent.supervisor.view.state is CellState.READY
        late = site.yes(card)
        await asyncio.wait_for(await site.send(late), DEADLINE_S)
        assert site.told(late["id"])[-2]["kind"] == "rejection"


def failing(monkeypatch: pytest.MonkeyPatch, kind: Kind | None, times: int = 1_000) -> None:
    """Rows of this kind, or all, cannot be written, so many times."""
    left, real = [times], SqliteJournal.append

    async def append(self: SqliteJournal, *entries: Entry, deadline_s: float = 1.0) -> tuple[int, ...] | Duplicate:
        if left[0] > 0 and (kind is None or any(entry.kind is kind for entry in entries)):
            left[0] -= 1
            raise JournalFault("database or disk is full")
        return await real(self, *entries, deadline_s=deadline_s)

    monkeypatch.setattr(SqliteJournal, "append", append)


async def test_a_stop_is_answered_though_nothing_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    async with one_agent() as site:
        failing(monkeypatch, None)
        run = site.new_id()
        await asyncio.wait_for(site.agent.stop(USER, StopRequest(v=1, id=run, lang="en")), DEADLINE_S)
        *_, failure, done = site.told(run)
        assert "The stop request went to the controller" in failure["text"]
        assert done["type"] == "done"
        assert site.agent.supervisor.view.state is CellState.LOCKED_OUT


async def test_a_stop_word_whose_request_cannot_be_written_is_not_told_as_nothing_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with one_agent() as site:
        failing(monkeypatch, Kind.REQUEST)
        said = site.request("ask", text="stop")
        with pytest.raises(JournalFault):
            await site.send(said)
        *_, failure, done = site.told(said["id"])
        assert "The stop request went to the controller" in failure["text"]
        assert done["type"] == "done"


async def test_a_confirmation_whose_row_cannot_be_written_moves_nothing_and_locks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with one_agent() as site:
        yes = site.yes(await site.card(MOVE))
        failing(monkeypatch, Kind.PROMPT_CLOSED, times=1)
        await asyncio.wait_for(await site.send(yes), DEADLINE_S)
        assert site.told(yes["id"])[-2]["code"] == "RUN_PERSISTENCE_FAILED"
        await site.until(CellState.LOCKED_OUT)
        assert await site.agent.parts.journal.rows(kinds=(Kind.COMMAND_ID,)) == ()


async def test_a_refusal_that_cannot_be_written_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async with one_agent() as site:
        said = site.request("ask", text="查一下 glass 的分拣规则", epoch=9)
        failing(monkeypatch, Kind.EVENT)
        await asyncio.wait_for(await site.send(said), DEADLINE_S)
        assert [event["type"] for event in site.told(said["id"])] == ["metadata", "content", "done"]


async def test_an_id_has_one_end_however_often_it_is_refused() -> None:
    async with one_agent() as site:
        said = site.request("ask", text="查一下 glass 的分拣规则", epoch=9)
        for _ in range(2):
            await asyncio.wait_for(await site.send(said), DEADLINE_S)
        taken = said | {"epoch": site.agent.parts.journal.epoch}
        await asyncio.wait_for(await site.send(taken), DEADLINE_S)
        reasons = [event["reason"] for event in site.told(said["id"]) if event["type"] == "content"]
        assert reasons == ["stale_epoch", "duplicate", "duplicate"]
        ends = await site.agent.parts.journal.rows(kinds=(Kind.TERMINAL,))
        assert [row.key for row in ends] == [f"{USER}/{said['id']}"]
