"""A diagnosis with everything around it for tests: real boundary, real tools, a journal in memory, a scripted model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from edge_agent.diagnose.cause_table import CauseTable, load_causes
from edge_agent.diagnose.diagnosis import Diagnosis, DiagnosisEnd, Site, Stage
from edge_agent.diagnose.evidence_gate import Observation
from edge_agent.diagnose.model_gate import ModelGate
from edge_agent.diagnose.scripted_style import style_of_script
from edge_agent.diagnose.target import Target
from edge_agent.diagnose.thinker import Style
from edge_agent.diagnose.wording import load_wording
from edge_agent.messages.codes import ErrorCode
from edge_agent.run.budget import BudgetLimits
from edge_agent.run.journal import Entry, Kind
from edge_agent.run.retry import RetryPolicy
from edge_agent.tools.alarm_history import alarm_history
from edge_agent.tools.arm_status import arm_status
from edge_agent.tools.command_history import command_history
from edge_agent.tools.intercept import Scripted
from edge_agent.tools.knowledge_search import knowledge_search
from edge_agent.tools.ports import Page, Rule, StoreError, Task
from edge_agent.tools.sorting_rules import sorting_rules
from edge_agent.tools.task_status import task_status
from edge_agent.tools.tool import Failed, Found, Tool
from edge_agent.understand.port import ModelPort
from edge_agent.understand.scores import ModelCause, NoUsableModel
from edge_agent.understand.scripted import ScriptedModel
from offline_rules.reading import Intent, Match, Mood, Reading, StopSense
from tests.tools.desk import OPERATOR, Desk, MemoryJournal

TABLE: CauseTable = load_causes()
WORDING = {"zh": load_wording("zh"), "en": load_wording("en")}
POLICY = RetryPolicy()
T014 = Target("为什么 t014 失败了？", task_id="t014")
NO_TARGET = Target("昨天为什么停机", since_ms=1, until_ms=1_772_352_000_000)


def reading(text: str) -> Reading:
    match = Match(Intent.DIAGNOSE, 1.0, "why", "keyword_why")
    return Reading(text, text, "zh", StopSense.NONE, Mood.QUESTION, match)


class Hooked(ScriptedModel):
    """Tells `after` how many calls were answered, before the answer is handed on."""

    def __init__(self, *args: Any, after: Callable[[int], None], **more: Any) -> None:
        super().__init__(*args, **more)
        self.after = after

    async def choose(self, *args: Any, **more: Any) -> Any:
        answer = await super().choose(*args, **more)
        self.after(self.calls)
        return answer

    async def write(self, *args: Any, **more: Any) -> Any:
        answer = await super().write(*args, **more)
        self.after(self.calls)
        return answer


@dataclass
class CellStores:
    """What the cell's stores hold: a task that failed for want of a part, its rule, one page."""

    tasks: dict[str, Task] = field(
        default_factory=lambda: {"t014": Task("t014", "glass", "2", "arm_01", "failed", "0601", command_id=7)}
    )
    arms: dict[str, Mapping[str, Any]] = field(
        default_factory=lambda: {"arm_01": {"cell_state": "READY", "linked": True, "guard_closed": True}}
    )
    down: bool = False

    async def rule(self, item_type: str) -> Rule | None:
        return Rule("R-GLASS-01", "glass", "2") if item_type == "glass" else None

    async def task(self, task_id: str) -> Task | None:
        if self.down:
            raise StoreError(ErrorCode.TIMEOUT, "down")
        return self.tasks.get(task_id)

    async def search(self, words: str, limit: int) -> tuple[Page, ...]:
        return (Page("grip.md#no-part", "夹取无工件", "look at the feed"),)[:limit] if "工件" in words else ()

    def arm(self, device: str) -> Mapping[str, Any] | None:
        return self.arms.get(device)


COMMAND_7 = (
    Entry(
        Kind.COMMAND,
        {"command_id": 7, "state": "JOURNALLED", "user": "wang", "order": {"action": "pick", "item_class": 1}},
    ),
    Entry(
        Kind.COMMAND,
        {
            "command_id": 7,
            "state": "REJECTED",
            "reason": "controller_refused",
            "code": "RECEIPT_REJECTED",
            "receipt": {"code": 0x0601, "echo": {"command_id": 7}},
        },
    ),
)


@dataclass
class Room:
    """`results` answer a tool's calls in place of the tool, one a call, the last repeats."""

    script: Sequence[Mapping[str, object]] = ()
    limits: BudgetLimits = BudgetLimits(model_calls=24)  # noqa: RUF009 - frozen
    target: Target = T014
    rows: Sequence[Entry] = COMMAND_7
    results: dict[str, list[Scripted]] = field(default_factory=dict)
    no_model: bool = False
    style: Style | None = None
    lang: str = "zh"
    stores: CellStores = field(default_factory=CellStores)
    after_call: Callable[[int], None] = lambda _calls: None
    at_stage: Callable[[Stage], None] = lambda _stage: None
    at_intercept: Callable[[], object] = lambda: None
    stages: list[str] = field(default_factory=list)
    looks: list[Observation] = field(default_factory=list)
    journal: MemoryJournal = field(default_factory=MemoryJournal)

    def __post_init__(self) -> None:
        down = NoUsableModel(ModelCause.DOWN) if self.no_model else None
        self.model = Hooked(reading, no_model=down, after=self._answered)
        self.model.script.extend(self.script)
        self.desk = Desk(self.tools(), self.limits, journal=self.journal)
        self.world = replace(self.desk.boundary._world, intercept=self._intercept)
        self.desk.boundary._world = self.world
        self.run = self.desk.run
        site = Site(
            boundary=self.desk.boundary,
            journal=self.journal,
            model=self.model,
            table=TABLE,
            wording=WORDING,
            only_device="arm_01",
            style=self.style or style_of_script(self.script),
        )
        self.diagnosis = Diagnosis(
            site, self.run, OPERATOR, self.target, self.lang, on_stage=self._stage, on_look=self._look
        )

    def use(self, model: ModelPort) -> None:
        """Another model in place of the scripted one."""
        gate = self.diagnosis._model
        self.diagnosis._model = ModelGate(gate.run, model, gate.journal, gate.times)

    def _answered(self, calls: int) -> None:
        self.after_call(calls)

    def tools(self) -> list[Tool]:
        return [
            task_status(self.stores, POLICY),
            command_history(self.journal, POLICY),
            alarm_history(self.journal, POLICY),
            arm_status(self.stores, POLICY),
            sorting_rules(self.stores, POLICY),
            knowledge_search(self.stores, POLICY),
        ]

    async def end(self) -> DiagnosisEnd:
        await self.journal.append(*self.rows)
        end = await self.diagnosis.run()
        await self.run.waiting.commit(self.journal)  # what is published takes them along
        return end

    def _intercept(self, tool: str, _attempt: int) -> Scripted | None:
        self.at_intercept()
        left = self.results.get(tool)
        return None if not left else (left.pop(0) if len(left) > 1 else left[0])

    async def _stage(self, stage: Stage) -> None:
        self.stages.append(stage)
        self.at_stage(stage)

    async def _look(self, observation: Observation) -> None:
        self.looks.append(observation)


def choose(*tools: str) -> list[dict[str, object]]:
    return [{"choose": tool} for tool in tools]


def draft(cause: str | None, *clauses: tuple[str, list[str]], steps: Sequence[str] = ()) -> dict[str, object]:
    told = [{"text": text, "evidence": evidence} for text, evidence in clauses]
    return {"draft": {"cause": cause, "clauses": told, "next_steps": list(steps)}}


def failed(code: ErrorCode) -> list[Scripted]:
    return [Scripted(Failed(code, "m"))]


def nothing(*_: object) -> list[Scripted]:
    return [Scripted(Found({}, 0))]
