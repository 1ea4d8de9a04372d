"""One diagnosis from the question to a value that the release table understands.

    look (model and tools) -> at the edge: draft, stopped -> outside: legal or not -> evidence guard -> semantic guard

`run()` raises `RunAborted` (cancelled, overdue, store failed) and `ExecutionFailed`; whoever catches it asks `ended()`
for what the records still allow to be said. No model is asked after a terminal state.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

from edge_agent.diagnose.cause_table import Cause, CauseTable
from edge_agent.diagnose.controlled import Stopped, controlled
from edge_agent.diagnose.dossier import Dossier
from edge_agent.diagnose.draft import Clause, Draft, DraftInvalid, parse_draft
from edge_agent.diagnose.evidence_gate import EvidenceGate
from edge_agent.diagnose.evidence_guard import failing
from edge_agent.diagnose.loop import Search, Told, search, sweep, unheard
from edge_agent.diagnose.model_gate import ModelGate, ModelTimes
from edge_agent.diagnose.progress import Progress, ProgressLimits
from edge_agent.diagnose.repair import repaired
from edge_agent.diagnose.semantic_guard import Case, Judged, Verdict, judge
from edge_agent.diagnose.snapshot import Snapshot, snapshot
from edge_agent.diagnose.target import Missing, Target
from edge_agent.diagnose.thinker import Style, Text, Thinker
from edge_agent.diagnose.wording import Wording
from edge_agent.release.policy import Basis, Ending
from edge_agent.run.budget import BudgetExceeded
from edge_agent.run.collection import StopReason
from edge_agent.run.context import Run
from edge_agent.run.journal import Entry, Journal, Kind
from edge_agent.run.lifecycle import RunAborted, RunState
from edge_agent.tools.boundary import Boundary
from edge_agent.tools.result import ToolResult
from edge_agent.tools.tool import Caller
from edge_agent.understand.port import ModelPort

Stage: TypeAlias = Literal["COLLECTING", "SAFETY_VALIDATING"]
"""Phases of a run, as its stream tells them."""


MODEL_UNAVAILABLE: Final = "model_unavailable"
JUDGED: Final[Mapping[Verdict, Ending]] = {
    "SUPPORTED": Ending.CONCLUSION,
    "UNSUPPORTED": Ending.SEMANTIC_UNSUPPORTED,
    "UNAVAILABLE": Ending.SEMANTIC_UNAVAILABLE,
}


async def no_stage(_stage: Stage) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True)
class Guards:
    """What stands between a draft and an operator: what is wrong with its citations, and whether facts carry it."""

    failing: Callable[[Draft, Dossier], tuple[str, ...]] = failing
    judge: Callable[[Case, ModelGate, Style], Awaitable[Judged]] = judge


@dataclass(frozen=True, slots=True)
class Site:
    """What is the same for every diagnosis of this cell."""

    boundary: Boundary
    journal: Journal
    model: ModelPort
    table: CauseTable
    wording: Mapping[str, Wording]
    only_device: str | None = None
    style: Style = "labels"
    times: ModelTimes = field(default_factory=ModelTimes)
    limits: ProgressLimits = field(default_factory=ProgressLimits)
    guards: Guards = field(default_factory=Guards)


@dataclass(frozen=True, slots=True)
class DiagnosisEnd:
    """What may become of it: `ending`, `basis` and `missing` are what the release table asks. `cause` and `clauses`
    are there for a conclusion that passed both guards, and only then."""

    ending: Ending
    basis: Basis
    missing: Missing | None
    snapshot: Snapshot
    stop_reason: StopReason | None = None
    cause: Cause | None = None
    clauses: tuple[Clause, ...] = ()
    next_steps: tuple[str, ...] = ()
    reason: str | None = None
    results: tuple[ToolResult, ...] = ()


class Diagnosis:
    """One run's diagnosis. `on_stage` and `on_look` are told as it goes; they may raise what a stream raises."""

    def __init__(
        self,
        site: Site,
        run: Run,
        caller: Caller,
        target: Target,
        lang: str,
        *,
        on_stage: Callable[[Stage], Awaitable[None]] = no_stage,
        on_look: Told = unheard,
    ) -> None:
        self._site, self._run, self._target, self._on_stage = site, run, target, on_stage
        self._wording = site.wording[lang]
        self._dossier, self._progress = Dossier(), Progress(site.limits)
        gate = EvidenceGate(run, caller, site.boundary, self._dossier, self._progress)
        self._search = Search(target, site.table, gate, site.only_device, site.wording["en"], told=on_look)
        self._model = ModelGate(run, site.model, site.journal, site.times)

    async def run(self) -> DiagnosisEnd:
        try:
            end = await self._looked_into()
        except (BudgetExceeded, RunAborted):
            if self._run.state is not RunState.BUDGET_EXHAUSTED:
                raise
            end = self._stopped(Stopped(StopReason.BUDGET_LIMIT_REACHED))
        self._note(Kind.PROGRESS, _summary(end))
        return end

    def ended(self, ending: Ending) -> DiagnosisEnd:
        """An end that was decided outside (deadline, failure, cancel), with what the records allow to be said."""
        left = self._search.view().options
        return DiagnosisEnd(
            ending=ending,
            basis=self._dossier.basis,
            missing=self._target.missing,
            snapshot=snapshot(self._dossier, self._wording, left),
            stop_reason=self._progress.stop_reason,
            results=tuple(self._dossier.results),
        )

    async def _looked_into(self) -> DiagnosisEnd:
        await self._on_stage("COLLECTING")
        if self._site.model.usable() is not None:
            return await self._without_model()
        thinker = Thinker(self._model, self._site.style, self._wording)
        left = await controlled(self._run, lambda: search(self._search, thinker))
        if isinstance(left, Stopped):
            return self._stopped(left)
        draft = parse_draft(left.text, self._site.table) if isinstance(left, Text) else left
        if isinstance(draft, DraftInvalid):
            await self._on_stage("SAFETY_VALIDATING")
            return self._recovered(draft)
        self._note(Kind.DRAFT, draft.as_dict())
        cause = self._site.table.causes.get(draft.cause or "")
        # The draft is held against its records before the stage is told: one commit for all three, no model between.
        wrong = self._checked(draft, "first") if cause is not None else ()
        await self._on_stage("SAFETY_VALIDATING")
        return self.ended(Ending.NO_CONCLUSION) if cause is None else await self._guarded(draft, wrong, cause)

    async def _without_model(self) -> DiagnosisEnd:
        """Facts only, gathered in the table's order; no cause is named without a model's judgement."""
        left = await controlled(self._run, lambda: sweep(self._search))
        stopped = left if isinstance(left, Stopped) else Stopped(StopReason.MODEL_UNAVAILABLE)
        return replace(self._stopped(stopped), reason=MODEL_UNAVAILABLE)

    def _recovered(self, invalid: DraftInvalid) -> DiagnosisEnd:
        """The text is dropped; what it was is written down. There is nothing to guard."""
        self._note(Kind.DRAFT, {"invalid": invalid.kind, "sha256": invalid.sha256})
        return self.ended(Ending.INVALID_DRAFT)

    async def _guarded(self, draft: Draft, wrong: tuple[str, ...], cause: Cause) -> DiagnosisEnd:
        passed = await self._evidenced(draft, wrong)
        if passed is None:
            return self.ended(Ending.EVIDENCE_GUARD_FAILED)
        case = Case(passed, cause, self._search.view(), self._dossier)
        judged = await self._site.guards.judge(case, self._model, self._site.style)
        self._note(Kind.GUARD, {"guard": "semantic", **asdict(judged)})
        end = self.ended(JUDGED[judged.verdict])
        if judged.verdict != "SUPPORTED":
            return end
        return replace(end, cause=cause, clauses=passed.clauses, next_steps=passed.next_steps or cause.next_steps)

    async def _evidenced(self, draft: Draft, wrong: tuple[str, ...]) -> Draft | None:
        """The draft, or its one repair, with every clause standing on its records."""
        if not wrong:
            return draft
        mended = await repaired(draft, wrong, self._dossier, self._site.table, self._model)
        if mended is None or self._checked(mended, "repaired"):
            return None
        return mended

    def _checked(self, draft: Draft, which: str) -> tuple[str, ...]:
        wrong = self._site.guards.failing(draft, self._dossier)
        self._note(Kind.GUARD, {"guard": "evidence", "draft": which, "passed": not wrong, "wrong": list(wrong)})
        return wrong

    def _stopped(self, stopped: Stopped) -> DiagnosisEnd:
        budget = stopped.reason is StopReason.BUDGET_LIMIT_REACHED
        end = self.ended(Ending.STOPPED_BY_BUDGET if budget else Ending.STOPPED)
        return replace(end, stop_reason=stopped.reason, reason=stopped.detail.lower() or None)

    def _note(self, kind: Kind, body: Mapping[str, Any]) -> None:
        """What was concluded, with the run's next commit: before a model is asked, or with what is published."""
        self._run.waiting.put(Entry(kind, body, self._run.ids.run))


def _summary(end: DiagnosisEnd) -> dict[str, Any]:
    return {
        "ending": str(end.ending),
        "basis": str(end.basis),
        "missing": end.missing,
        "stop_reason": None if end.stop_reason is None else str(end.stop_reason),
        "cause": None if end.cause is None else end.cause.id,
        "reason": end.reason,
        **end.snapshot.as_dict(),
    }
