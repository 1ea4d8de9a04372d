"""The real small model over what a simulated cell really leaves behind: faults at the controller, the supervision's own
rows, real stores and tools. Every cause it names must be the true one; where it names none, that is honest.

Prints the table that the room's README refers to (`pytest -s`), with the loop without a model beside it.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from edge_agent.adapters.model.assemble import default_model, installed
from edge_agent.adapters.model.client import ModelState, WorkerModel, WorkerSettings
from edge_agent.cases.cell import Setup
from edge_agent.cases.faults import parse_fault
from edge_agent.cases.live_cell import LiveCell, live_cell
from edge_agent.diagnose.diagnosis import Diagnosis, DiagnosisEnd, Site
from edge_agent.diagnose.model_gate import ModelTimes
from edge_agent.diagnose.target import Target
from edge_agent.run.budget import BudgetLimits
from edge_agent.run.context import Run, RunIds
from edge_agent.run.ids import ParseTraceId, RunId, TraceId, ulid
from edge_agent.run.journal import Kind
from edge_agent.tools.ports import Task
from edge_agent.understand.port import ModelPort
from edge_agent.understand.scores import ModelCause, NoUsableModel
from tests.diagnose.room import TABLE, WORDING
from tests.tools.desk import OPERATOR

pytestmark = [
    pytest.mark.model,
    pytest.mark.net,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not installed(), reason="the extra `model` is not installed"),
]

PICK = "夹取 glass 放到 2 号箱"
PATIENT = ModelTimes(choose_s=30.0, weigh_s=60.0)
"""What is tested is what it says, not how fast a busy machine lets it say it."""


@dataclass(frozen=True)
class Scenario:
    """`motions` are the faults of one motion each, in order; `now` is put in afterwards; the question comes last."""

    name: str
    motions: Sequence[str]
    question: Target
    true: str | None
    now: str | None = None
    two: bool = False


T014 = Target("为什么 t014 失败了？", task_id="t014")
ARM = Target("why did the arm stop?", device="arm_01", since_ms=1)

SCENARIOS = (
    Scenario("no part", ["no_part"], T014, "no_part"),
    Scenario("part lost", ["part_lost"], T014, "part_lost"),
    Scenario("out of reach", ["unreachable"], T014, "out_of_reach"),
    Scenario("too old", ["ttl_exceeded"], T014, "command_too_old"),
    Scenario("swallowed", ["command_swallowed"], T014, "not_accepted"),
    Scenario("never finishes", ["never_finishes"], T014, "never_finished"),
    Scenario("wrong receipt", ["receipt_wrong_id"], T014, "receipt_wrong"),
    Scenario("reply lost", ["reply_lost_after_execution"], T014, "reply_lost"),
    Scenario("guard open", [], replace(ARM, question="机械臂为什么不动"), "guard_open", now="guard_open"),
    Scenario(
        "stop button",
        [],
        replace(ARM, question="why is the arm not moving?"),
        "controller_estop",
        now="controller_estop",
    ),
    Scenario("no part, and the guard is open now", ["no_part"], T014, "no_part", now="guard_open", two=True),
    Scenario(
        "out of reach, and the button is in now",
        ["unreachable"],
        T014,
        "out_of_reach",
        now="controller_estop",
        two=True,
    ),
    Scenario("refused, then lost and locked out", ["unreachable", "part_lost"], ARM, "part_lost", two=True),
    Scenario(
        "an item, and the guard is open now",
        ["no_part"],
        Target("why does glass fail?", item_type="glass", since_ms=1),
        "no_part",
        now="guard_open",
        two=True,
    ),
    Scenario(
        "the arm, no part before, guard open now",
        ["no_part"],
        replace(ARM, question="why is the arm not moving now?"),
        "guard_open",
        now="guard_open",
        two=True,
    ),
    Scenario("nothing is wrong", ["none"], T014, None),
)


class Down:
    """No model."""

    def usable(self) -> NoUsableModel:
        return NoUsableModel(ModelCause.DOWN)

    async def choose(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("nobody is asked")

    write = choose


class AsQualified(WorkerModel):
    """Whether it may propose motions is another question than whether it may rank causes."""

    def usable(self) -> None:
        return None


@pytest.fixture
async def model(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[WorkerModel]:
    folder = Path(os.environ.get("EDGE_AGENT_TEST_MODELS", tmp_path_factory.mktemp("models")))
    small = AsQualified(WorkerSettings(default_model(folder), folder))
    await small.start(wait_s=120)
    assert small.state is ModelState.READY
    yield small
    await small.close()


def test_every_scenario_has_a_name_of_its_own() -> None:
    assert len({s.name for s in SCENARIOS}) == len(SCENARIOS)
    assert sum(s.two for s in SCENARIOS) >= 4


async def test_the_small_model_names_no_wrong_cause(model: WorkerModel) -> None:
    verdicts: dict[str, list[str]] = {"model": [], "none": []}
    async with live_cell() as cell:
        for scenario in SCENARIOS:
            await happened(cell, scenario)
            for name, asked in (("model", model), ("none", Down())):
                end, calls = await looked_into(cell, scenario, asked, name)
                verdicts[name].append(verdict(end, scenario))
                cause = end.cause.id if end.cause else "-"
                print(f"{name:6} {verdicts[name][-1]:9} {scenario.name:42} {cause:18} {end.ending:22} {calls} calls")
    for name, found in verdicts.items():
        print(name, dict(Counter(found)))
    assert "wrong" not in verdicts["model"]
    assert verdicts["model"].count("right") >= 10
    assert set(verdicts["none"]) == {"fallback"}


def verdict(end: DiagnosisEnd, scenario: Scenario) -> str:
    if end.cause is None:
        return "fallback"
    return "right" if end.cause.id == scenario.true else "wrong"


async def happened(cell: LiveCell, scenario: Scenario) -> None:
    await cell.begin(Setup())
    for fault in scenario.motions:
        if fault != "none":
            await cell.put(parse_fault(fault))
        await moved(cell)
    if scenario.now is not None:
        await cell.put(parse_fault(scenario.now))
    rows = (await cell.observe()).rows
    ids = [r.body["command_id"] for r in rows if r.kind is Kind.COMMAND and r.body.get("command_id")]
    state = "done" if scenario.true is None else "failed"
    await cell.stores.cell.put_task(Task("t014", "glass", "2", "arm_01", state, command_id=max(ids, default=0)))


async def moved(cell: LiveCell) -> None:
    """One motion, asked for and confirmed."""
    events = await cell.submit("operator", request(type="ask", epoch=cell.epoch, text=PICK))
    card = next(e for e in events if e["type"] == "content")
    assert card["kind"] == "confirmation", card
    answer = {"prompt_id": card["prompt_id"], "digest": card["digest"], "confirm": True, "epoch": cell.epoch}
    await cell.submit("operator", request(type="confirm", **answer))


def request(**more: Any) -> dict[str, object]:
    now = time.time()
    issued = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    head = {"v": 1, "id": ulid(int(now * 1000), os.urandom(10)), "issued_at": issued, "ttl_ms": 5000}
    return {**head, "attached": "case-runner", **more}


async def looked_into(cell: LiveCell, scenario: Scenario, model: ModelPort, name: str) -> tuple[DiagnosisEnd, int]:
    agent, journal = cell.agent, cell.journal
    site = Site(agent.parts.boundary, journal, model, TABLE, WORDING, "arm_01", "labels", PATIENT)
    ids = RunIds(RunId(f"ask-{name}"), TraceId("t"), ParseTraceId("p"))
    run = Run(ids, BudgetLimits(), time.monotonic() + 600, time.monotonic)
    end = await Diagnosis(site, run, OPERATOR, scenario.question, "en").run()
    await run.waiting.commit(journal)
    rows, usage = await journal.rows(kinds=[Kind.MODEL_CALL], run=ids.run), run.usage()
    assert (len(rows), sum(r.body["input_tokens"] for r in rows)) == (usage.model_calls, usage.input_tokens)
    return end, usage.model_calls
