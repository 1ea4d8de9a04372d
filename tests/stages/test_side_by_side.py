"""Several runs at once: each has its own budget, trace and stream; the arm has one at a time."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from edge_agent.cases import live_cell as room
from edge_agent.cases.cell import CLIENT, USERS, Flat, Setup
from edge_agent.desk.arrival import Arrival
from edge_agent.safety.cell import CellState
from edge_agent.tools.boundary import Boundary
from edge_agent.tools.tool import ToolName
from tests.ledger import disagreements
from tests.stages.site import DEADLINE_S, USER, OneAgent, one_agent

pytestmark = pytest.mark.net

QUESTIONS = (
    ("operator", "what is the rule for glass"),
    ("student", "what is the rule for metal"),
    ("technician", "is arm_01 busy"),
    ("operator", "what is the rule for paper"),
    ("viewer", "what is the rule for plastic"),
)


class Together:
    """Every tool call waits until as many are under way as there are runs: they overlap whatever the machine does."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
        real, here = Boundary.call, asyncio.Barrier(count)

        async def call(door: Boundary, *args: Any, **more: Any) -> Any:
            async with asyncio.timeout(DEADLINE_S):
                await here.wait()
            return await real(door, *args, **more)

        monkeypatch.setattr(Boundary, "call", call)


async def asked_at_once(site: OneAgent, questions: tuple[tuple[str, str], ...]) -> list[list[Flat]]:
    said = [(USERS[role], site.request("ask", text=text)) for role, text in questions]  # type: ignore[index]
    tasks = [await site.agent.receive(Arrival(json.dumps(s).encode(), user, "mqtt")) for user, s in said]
    await asyncio.wait_for(asyncio.gather(*tasks), DEADLINE_S)
    return [list(site.told(s["id"])) for _, s in said]


async def test_each_run_has_its_own_budget_trace_and_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit of one tool call a run: were it shared, only one of them would be answered."""
    async with room.live_cell() as cell:
        await cell.begin(Setup(budget={"tool_calls": 1, "model_calls": 1}))
        site = OneAgent(cell.agent, cell.outlet.streams)
        Together(monkeypatch, len(QUESTIONS))
        streams = await asked_at_once(site, QUESTIONS)
        contents = [stream[-2] for stream in streams]
        assert [c["kind"] for c in contents] == ["answer"] * len(QUESTIONS)
        for word, content in zip(("glass", "metal", "arm_01", "paper", "plastic"), contents, strict=True):
            assert word in content["text"]
        assert len({c["trace_id"] for c in contents}) == len(QUESTIONS)
        assert [stream[-1]["usage"]["tool_calls"] for stream in streams] == [1] * len(QUESTIONS)
        assert [[e["seq"] for e in stream] for stream in streams] == [list(range(len(s))) for s in streams]
        assert disagreements(await cell.agent.parts.journal.rows(limit=5_000)) == []


async def test_one_run_called_off_leaves_the_others_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async with one_agent() as site:
        real = Boundary.call

        async def call(door: Boundary, run: Any, caller: Any, name: str, args: Any, **more: Any) -> Any:
            if args.get("item_type") == "metal":
                run.cancel("operator_cancel")
            return await real(door, run, caller, name, args, **more)

        monkeypatch.setattr(Boundary, "call", call)
        streams = await asked_at_once(site, QUESTIONS)
        assert [s[-1]["outcome"] for s in streams] == ["SUCCESS", "CANCELLED", "SUCCESS", "SUCCESS", "SUCCESS"]


async def test_an_attached_person_who_goes_is_sent_nothing_more_and_the_other_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with one_agent() as site:
        real = Boundary.call

        async def call(door: Boundary, run: Any, caller: Any, name: str, args: Any, **more: Any) -> Any:
            if name == ToolName.SORTING_RULES and args["item_type"] == "glass":
                site.agent.runs.client_gone(USER, CLIENT)
            return await real(door, run, caller, name, args, **more)

        monkeypatch.setattr(Boundary, "call", call)
        gone, other = await asked_at_once(site, QUESTIONS[:2])
        assert {e["type"] for e in gone} == {"metadata", "status"}
        assert other[-1]["outcome"] == "SUCCESS"


async def test_a_query_goes_on_without_the_broker() -> None:
    async with one_agent() as site:
        site.agent.broker_changed(True)
        site.agent.broker_changed(False)
        assert (await site.ask("ask", text="what is the rule for glass"))[-1]["outcome"] == "SUCCESS"


async def test_one_at_a_time_on_the_arm(monkeypatch: pytest.MonkeyPatch) -> None:
    async with one_agent(slow=monkeypatch) as site:
        motion = await site.send(site.yes(await site.card("action=move station=C device=arm_01")))
        await site.until(CellState.EXECUTING)
        second = (await site.ask("ask", text="action=home device=arm_01"))[-2]
        assert second["kind"] == "rejection"
        assert second["error"]["code"] in ("INTERLOCK_OPEN", "SERVICE_UNAVAILABLE")
        query = await site.ask("ask", text="what is the rule for glass")
        assert query[-2]["kind"] == "answer"
        await asyncio.wait_for(motion, DEADLINE_S)
