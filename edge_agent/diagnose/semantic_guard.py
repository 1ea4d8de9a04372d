"""Do these facts support that conclusion? The cause table first, then the model's judgement. Approves or refuses.

The evidence of the cause must stand in the very records that the clauses cite, and nothing in the run may contradict
it. Only then is the model asked: `UNSUPPORTED` is an answer and is not asked again; two attempts without an answer are
`UNAVAILABLE`. `BudgetExceeded` and `RunAborted` leave: they are not "unavailable".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from edge_agent.diagnose import view as views
from edge_agent.diagnose.cause_table import Cause
from edge_agent.diagnose.dossier import Dossier
from edge_agent.diagnose.draft import Draft
from edge_agent.diagnose.likely import about
from edge_agent.diagnose.model_gate import ModelGate
from edge_agent.diagnose.target import Target
from edge_agent.diagnose.thinker import Style
from edge_agent.diagnose.view import View
from edge_agent.diagnose.weigh import gains, outweighs, rivals
from edge_agent.understand.port import ModelFailure, ModelPurpose, Probabilities

Verdict: TypeAlias = Literal["SUPPORTED", "UNSUPPORTED", "UNAVAILABLE"]
ATTEMPTS: Final = 2
OPTIONS: Final = ("SUPPORTED", "UNSUPPORTED")


@dataclass(frozen=True, slots=True)
class Judged:
    verdict: Verdict
    by: Literal["table", "model"]
    why: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """What is judged: a draft whose citations stand, its cause, and what was seen."""

    draft: Draft
    cause: Cause
    view: View
    dossier: Dossier

    @property
    def target(self) -> Target:
        return self.view.what.target


async def judge(case: Case, gate: ModelGate, style: Style) -> Judged:
    refused = by_table(case.draft, case.cause, case.target, case.dossier)
    if refused is not None:
        return refused
    ask = _weighed if style == "labels" else _asked
    for attempt in range(1, ATTEMPTS + 1):
        supported = await ask(case, gate, attempt)
        if supported is not None:
            return Judged("SUPPORTED" if supported else "UNSUPPORTED", "model")
    return Judged("UNAVAILABLE", "model")


def by_table(draft: Draft, cause: Cause, target: Target, dossier: Dossier) -> Judged | None:
    """`UNSUPPORTED` where the table says so; None where the model is to be asked."""
    cited = {record for clause in draft.clauses for record in clause.evidence}
    if not cause.evidence(about(target, (s.fact for s in dossier.stated(cited)))):
        return Judged("UNSUPPORTED", "table", "the cited records do not hold the evidence of this cause")
    against = cause.contradicted(about(target, (s.fact for s in dossier.stated())))
    if against is not None:
        return Judged("UNSUPPORTED", "table", f"contradicted by {against.source}.{against.attribute}={against.value}")
    return None


async def _asked(case: Case, gate: ModelGate, attempt: int) -> bool | None:
    """A model that judges: its verdict over facts and clauses; None where it gave none."""
    facts = about(case.target, case.view.what.facts)
    context = views.verdict_text(case.target.question, case.cause, tuple(c.text for c in case.draft.clauses), facts)
    answer = await gate.choose(f"{context}Verdict:", OPTIONS, ModelPurpose.VERDICT, attempt)
    if not isinstance(answer, Probabilities):
        return None
    weight = dict(answer.values)
    return weight["SUPPORTED"] > weight["UNSUPPORTED"]


async def _weighed(case: Case, gate: ModelGate, attempt: int) -> bool | None:
    """A model that only ranks: do the facts speak for this cause more than for causes without evidence?"""
    causes = (case.cause, *rivals(case.view.table, case.view.likely))
    lines = views.evidence_lines(case.view)
    weights = await gains(gate, case.target.question, lines, causes, ModelPurpose.VERDICT, attempt)
    return None if isinstance(weights, ModelFailure) else outweighs(case.cause.id, weights)
