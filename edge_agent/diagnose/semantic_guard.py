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
from edge_agent.understand.port import ModelPurpose, Probabilities

Verdict: TypeAlias = Literal["SUPPORTED", "UNSUPPORTED", "UNAVAILABLE"]
ATTEMPTS: Final = 2
OPTIONS: Final = ("SUPPORTED", "UNSUPPORTED")


@dataclass(frozen=True, slots=True)
class Judged:
    verdict: Verdict
    by: Literal["table", "model"]
    why: str = ""


async def judge(draft: Draft, cause: Cause, target: Target, dossier: Dossier, gate: ModelGate) -> Judged:
    refused = by_table(draft, cause, target, dossier)
    return refused if refused is not None else await _by_model(draft, cause, target, dossier, gate)


def by_table(draft: Draft, cause: Cause, target: Target, dossier: Dossier) -> Judged | None:
    """`UNSUPPORTED` where the table says so; None where the model is to be asked."""
    cited = {record for clause in draft.clauses for record in clause.evidence}
    if not cause.evidence(about(target, (s.fact for s in dossier.stated(cited)))):
        return Judged("UNSUPPORTED", "table", "the cited records do not hold the evidence of this cause")
    against = cause.contradicted(about(target, (s.fact for s in dossier.stated())))
    if against is not None:
        return Judged("UNSUPPORTED", "table", f"contradicted by {against.source}.{against.attribute}={against.value}")
    return None


async def _by_model(draft: Draft, cause: Cause, target: Target, dossier: Dossier, gate: ModelGate) -> Judged:
    facts = about(target, (s.fact for s in dossier.stated()))
    context = views.verdict_text(target.question, cause, tuple(c.text for c in draft.clauses), facts)
    for attempt in range(1, ATTEMPTS + 1):
        answer = await gate.choose(f"{context}Verdict:", OPTIONS, ModelPurpose.VERDICT, attempt)
        if isinstance(answer, Probabilities):
            weight = dict(answer.values)
            supported = weight["SUPPORTED"] > weight["UNSUPPORTED"]
            return Judged("SUPPORTED" if supported else "UNSUPPORTED", "model")
    return Judged("UNAVAILABLE", "model")
