"""Faults of the agent's own edges: written down before they are in, counted, asleep where they would hit that row."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from edge_agent.lab_faults import KILL, KILLED_AT, LabFaults
from edge_agent.messages.codes import ErrorCode
from edge_agent.run.journal import JournalFault, Kind
from edge_agent.tools.tool import Failed, ToolName
from tests.tools.desk import MemoryJournal


async def put(
    name: str, args: Mapping[str, int | str] | None = None, count: int = 1
) -> tuple[LabFaults, MemoryJournal]:
    journal = MemoryJournal()
    faults = LabFaults(journal, {}, None)
    await faults.put(name, count=count, seed=1, args=args or {}, by="teacher")
    return faults, journal


async def test_a_fault_of_the_store_sleeps_until_a_record_is_due() -> None:
    faults, journal = await put("disk_full")
    assert [row.kind for row in journal.written] == [Kind.FAULT]
    assert not faults.fires("store.disk_full")
    faults.intercept(ToolName.SORTING_RULES, 1)
    assert faults.fires("store.disk_full")
    assert not faults.fires("store.disk_full"), "counted down"


@pytest.mark.parametrize(("step", "fires"), [("before_intent", True), ("sent", False)])
async def test_a_command_that_is_about_to_be_stored_wakes_it_too(step: str, fires: bool) -> None:
    faults, _ = await put("store.disk_full")
    faults.reached(step)
    assert faults.fires("store.disk_full") is fires


async def test_a_fault_that_could_not_be_written_down_is_not_in() -> None:
    journal = MemoryJournal(broken={"append"})
    faults = LabFaults(journal, {}, None)
    with pytest.raises(JournalFault):
        await faults.put("query.timeout", count=1, seed=0, args={}, by="teacher")
    assert faults.active() == ()


@pytest.mark.parametrize("args", [{"ms": 250}, {"delay_ms": 250}])
async def test_a_delay_has_two_spellings(args: dict[str, int | str]) -> None:
    faults, _ = await put("query.slow", args)
    struck = faults.intercept(ToolName.SORTING_RULES, 1)
    assert struck is not None
    assert struck.delay_s == 0.25


@pytest.mark.parametrize(
    ("args", "failed"), [({"percent": 0}, 0), ({"percent": 100}, 8), ({"probability": "1.0"}, 8), ({}, 4)]
)
async def test_a_flaky_tool_fails_as_often_as_asked_and_the_same_way_each_time(
    args: dict[str, int | str], failed: int
) -> None:
    faults, _ = await put("query.flaky", args, 8)
    struck = [faults.intercept(ToolName.SORTING_RULES, 1) for _ in range(8)]
    answers = [each.answer for each in struck if each is not None]
    assert len(answers) == failed
    assert all(isinstance(a, Failed) and a.code is ErrorCode.TIMEOUT for a in answers)


@pytest.mark.parametrize("name", ["nothing", "unavailable_", "arm.no_part"])
async def test_a_fault_that_this_cell_does_not_know(name: str) -> None:
    faults = LabFaults(MemoryJournal(), {}, None)
    with pytest.raises(LookupError):
        await faults.put(name, count=1, seed=0, args={}, by="teacher")


@pytest.mark.parametrize(
    ("args", "step", "dies"),
    [
        ({}, KILLED_AT, True),
        ({}, "sent", False),
        ({"step": "sent"}, "sent", True),
        ({"step": "sent"}, KILLED_AT, False),
    ],
)
async def test_an_agent_is_killed_at_its_step(args: dict[str, int | str], step: str, dies: bool) -> None:
    died: list[str] = []
    faults = LabFaults(MemoryJournal(), {}, None, die=lambda: died.append(step))
    await faults.put("kill_agent_at", count=1, seed=0, args=args, by="teacher")
    assert [fault.name for fault in faults.active()] == [KILL], "shown while it is in"
    faults.reached(step)
    assert died == [step] * dies


async def test_a_process_that_is_not_the_agents_alone_is_not_killed() -> None:
    faults = LabFaults(MemoryJournal(), {}, None)
    with pytest.raises(LookupError):
        await faults.put(KILL, count=1, seed=0, args={}, by="teacher")


async def test_a_step_that_is_none_is_refused() -> None:
    faults = LabFaults(MemoryJournal(), {}, None, die=lambda: None)
    with pytest.raises(LookupError):
        await faults.put(KILL, count=1, seed=0, args={"step": "lunch"}, by="teacher")
    assert faults.active() == ()
