"""Each tool: what it finds, what it looked at, which of its values are facts, and how its store's trouble is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from edge_agent.messages.codes import ErrorCode
from edge_agent.run.journal import Entry, Kind
from edge_agent.run.lifecycle import RunState
from edge_agent.run.retry import RetryPolicy
from edge_agent.safety.permission import Role
from edge_agent.tools.alarm_history import alarm_history
from edge_agent.tools.arm_status import arm_status
from edge_agent.tools.command_history import command_history
from edge_agent.tools.feedback import feedback
from edge_agent.tools.knowledge_search import knowledge_search
from edge_agent.tools.ports import Page, Rule, StoreError, Task
from edge_agent.tools.result import ToolResult
from edge_agent.tools.sorting_rules import sorting_rules
from edge_agent.tools.task_status import task_status
from edge_agent.tools.tool import Caller, Tool
from tests.tools.desk import NOW_MS, OPERATOR, Desk, MemoryJournal

POLICY = RetryPolicy()


@dataclass
class Stores:
    fails: ErrorCode | None = None
    arms: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    def _or_fail(self) -> None:
        if self.fails is not None:
            raise StoreError(self.fails, "down")

    async def rule(self, item_type: str) -> Rule | None:
        self._or_fail()
        return Rule("R-GLASS-01", "glass", "2") if item_type == "glass" else None

    async def task(self, task_id: str) -> Task | None:
        self._or_fail()
        return Task("t014", "glass", "2", "arm_01", "failed", "0601") if task_id == "t014" else None

    async def search(self, words: str, limit: int) -> tuple[Page, ...]:
        self._or_fail()
        return (Page("grip.md#no-part", "No part", "look"),)[:limit] if "glass" in words else ()

    def arm(self, device: str) -> Mapping[str, Any] | None:
        return self.arms.get(device)


def every_tool(stores: Stores, journal: MemoryJournal) -> list[Tool]:
    return [
        sorting_rules(stores, POLICY),
        task_status(stores, POLICY),
        arm_status(stores, POLICY),
        alarm_history(journal, POLICY),
        command_history(journal, POLICY),
        knowledge_search(stores, POLICY),
        feedback(journal),
    ]


async def call(name: str, args: dict[str, Any], stores: Stores | None = None, *rows: Entry) -> ToolResult:
    journal = MemoryJournal()
    desk = Desk(every_tool(stores or Stores(), journal), journal=journal)
    for row in rows:
        await journal.append(row)
    return await desk.boundary.call(desk.run, OPERATOR, name, args)


def facts(result: ToolResult) -> dict[tuple[str, str], str]:
    return {(f.subject, f.attribute): f.value for f in result.facts}


async def test_rule() -> None:
    result = await call("sorting_rules", {"item_type": "glass"})
    assert result.data["rule_id"] == "R-GLASS-01"
    assert facts(result) == {("glass", "rule_id"): "R-GLASS-01", ("glass", "bin"): "2"}
    assert result.scope == "item_type=glass"


async def test_task() -> None:
    result = await call("task_status", {"task_id": "t014"})
    assert facts(result)[("t014", "code")] == "0601"
    assert ("t014", "command_id") not in facts(result)


async def test_arm() -> None:
    stores = Stores(arms={"arm_01": {"cell_state": "LOCKED_OUT", "guard_closed": False, "pose": "1,2,3", "reason": ""}})
    result = await call("arm_status", {"device": "arm_01"}, stores)
    assert facts(result) == {("arm_01", "cell_state"): "LOCKED_OUT", ("arm_01", "guard_closed"): "false"}


async def test_knowledge() -> None:
    result = await call("knowledge_search", {"words": "glass slips"})
    assert facts(result) == {("grip.md#no-part", "title"): "No part"}


EMPTY = [
    ("sorting_rules", {"item_type": "wood"}),
    ("task_status", {"task_id": "t999"}),
    ("arm_status", {"device": "arm_09"}),
    ("alarm_history", {}),
    ("command_history", {"command_id": 9}),
    ("knowledge_search", {"words": "banana"}),
]


@pytest.mark.parametrize(("name", "args"), EMPTY)
async def test_an_empty_scope_is_told_with_its_scope(name: str, args: dict[str, Any]) -> None:
    result = await call(name, args)
    assert (result.ok, result.hits, result.facts) == (True, 0, ())
    assert result.scope


@pytest.mark.parametrize("name", ["sorting_rules", "task_status", "knowledge_search"])
async def test_a_stores_trouble_keeps_its_code(name: str) -> None:
    args = {"sorting_rules": {"item_type": "glass"}, "task_status": {"task_id": "t1"}}.get(name, {"words": "glass"})
    result = await call(name, args, Stores(fails=ErrorCode.RATE_LIMIT))
    assert (result.code, result.attempt) == (ErrorCode.RATE_LIMIT, 3)


WRONG = [
    ("task_status", {"task_id": "../etc"}),
    ("arm_status", {"device": "Arm 01"}),
    ("alarm_history", {"since_ms": 5, "until_ms": 4}),
    ("alarm_history", {"since_ms": -1}),
    ("command_history", {"command_id": 2**32}),
    ("knowledge_search", {"words": ""}),
    ("feedback", {"task_id": "t1"}),
]


@pytest.mark.parametrize(("name", "args"), WRONG)
async def test_arguments_out_of_bounds(name: str, args: dict[str, Any]) -> None:
    assert (await call(name, args)).code is ErrorCode.INPUT_INVALID


def alarm(**more: Any) -> Entry:
    body = {"id": "a1", "type": "arm.link_lost", "source": "arm_01", "severity": "high", "raised_at": "t1"}
    return Entry(Kind.ALARM, {**body, "active": True, "acked": False, "message": "m", "cause": "c", **more})


async def test_alarms_one_an_occurrence_newest_state() -> None:
    rows = (alarm(), alarm(active=False), alarm(id="a2", type="journal.fault", source="agent"))
    result = await call("alarm_history", {}, None, *rows)
    assert [(a["id"], a["active"]) for a in result.data["alarms"]] == [("a2", True), ("a1", False)]
    assert facts(result)[("a1", "type")] == "arm.link_lost"
    of_arm = await call("alarm_history", {"source": "arm_01"}, None, *rows)
    assert of_arm.hits == 1
    active = await call("alarm_history", {"active_only": True}, None, *rows)
    assert [a["id"] for a in active.data["alarms"]] == ["a2"]


async def test_alarms_of_a_window() -> None:
    before = await call("alarm_history", {"until_ms": NOW_MS - 1}, None, alarm())
    assert before.hits == 0
    assert before.scope == "alarms source=any 24 h before to 2026-03-01 07:59"
    after = await call("alarm_history", {"since_ms": NOW_MS + 1}, None, alarm())
    assert after.hits == 0


ORDER = {"action": "pick", "item_class": 1, "bin": 0, "station": 0}
COMMAND = (
    Entry(Kind.COMMAND, {"command_id": 7, "state": "JOURNALLED", "user": "wang", "order": ORDER}),
    Entry(Kind.COMMAND, {"command_id": 7, "state": "SENT", "why": "sent"}),
    Entry(Kind.COMMAND, {"command_id": 7, "state": "REJECTED", "reason": "no_part", "receipt": {"code": 0x0601}}),
    Entry(Kind.COMMAND, {"command_id": 8, "state": "VERIFIED", "order": ORDER}),
    Entry(Kind.LOCKOUT, {"reason": "receipt_missing", "command_id": 8}),
    Entry(Kind.STOP, {"by": "wang", "command_id": 8}),
    Entry(Kind.COMMAND, {"command_id": None, "state": "PROPOSED"}),
)


async def test_commands_folded() -> None:
    result = await call("command_history", {}, None, *COMMAND)
    eight, seven = result.data["commands"]
    assert (seven["state"], seven["controller_code"], seven["action"], seven["user"]) == (
        "REJECTED",
        "0601",
        "pick",
        "wang",
    )
    assert eight["lockout"] == "receipt_missing"
    assert facts(result)[("command 7", "controller_code")] == "0601"
    one = await call("command_history", {"command_id": 7}, None, *COMMAND)
    assert one.hits == 1
    failed = await call("command_history", {"failed_only": True}, None, *COMMAND)
    assert [c["command_id"] for c in failed.data["commands"]] == [7]


async def test_a_journal_that_can_not_be_read_is_an_unavailable_source() -> None:
    desk = Desk()
    desk.journal.broken.add("rows")
    asked = Desk(every_tool(Stores(), desk.journal), journal=desk.journal)
    result = await asked.boundary.call(asked.run, OPERATOR, "alarm_history", {}, policy=RetryPolicy(max_attempts=1))
    assert result.code is ErrorCode.SERVICE_UNAVAILABLE
    assert asked.run.state is RunState.RUNNING


FEEDBACK = {"request_id": "r1", "task_id": "t001", "text": "玻璃破损"}


async def test_feedback_is_kept_once() -> None:
    desk = Desk()
    asked = Desk(every_tool(Stores(), desk.journal), journal=desk.journal)
    first = await asked.boundary.call(asked.run, OPERATOR, "feedback", FEEDBACK)
    again = await asked.boundary.call(asked.run, OPERATOR, "feedback", {**FEEDBACK, "text": "another"})
    assert (first.data["repeated"], again.data["repeated"]) == (False, True)
    assert first.data["record_id"] == again.data["record_id"]
    assert again.data["text"] == "玻璃破损"
    assert desk.journal.bodies(Kind.FEEDBACK) == [{"task_id": "t001", "text": "玻璃破损", "user": "wang"}]


async def test_a_viewer_files_no_feedback() -> None:
    desk = Desk(every_tool(Stores(), MemoryJournal()))
    result = await desk.boundary.call(desk.run, Caller("li", Role.VIEWER), "feedback", FEEDBACK)
    assert result.code is ErrorCode.PERMISSION_DENIED


async def test_feedback_that_can_not_be_kept_ends_the_run() -> None:
    desk = Desk()
    desk.journal.broken.add("append")
    asked = Desk(every_tool(Stores(), desk.journal), journal=desk.journal)
    result = await asked.boundary.call(asked.run, OPERATOR, "feedback", FEEDBACK)
    assert result.code is ErrorCode.STORE_FAILED
    assert asked.run.state is RunState.FAILED
