"""One repair of a draft whose citations fail: one model call, no tool. It may drop or re-cite, nothing else."""

from __future__ import annotations

from typing import Final

from edge_agent.diagnose import view as views
from edge_agent.diagnose.cause_table import CauseTable
from edge_agent.diagnose.dossier import Dossier
from edge_agent.diagnose.draft import Draft, DraftInvalid, draft_schema, parse_draft
from edge_agent.diagnose.model_gate import ModelGate
from edge_agent.understand.port import ModelFailure, ModelPurpose

OUT_BYTES: Final = 48_000


async def repaired(
    draft: Draft, wrong: tuple[str, ...], dossier: Dossier, table: CauseTable, gate: ModelGate
) -> Draft | None:
    """The mended draft, still to be guarded; None where the model gave none, or changed what it may not."""
    records = {r.record: r.projection.text for r in dossier.ready if r.record is not None}
    context = views.repair_text(draft, wrong, records)
    schema = draft_schema(table, [draft.cause] if draft.cause else [], tuple(records))
    answer = await gate.write(f"{context}\nDraft:", schema, ModelPurpose.REPAIR)
    if isinstance(answer, ModelFailure) or len(answer.text.encode("utf-8", "replace")) > OUT_BYTES:
        return None
    mended = parse_draft(answer.text, table)
    return None if isinstance(mended, DraftInvalid) or not _only_dropped_or_recited(draft, mended) else mended


def _only_dropped_or_recited(before: Draft, after: Draft) -> bool:
    texts = {clause.text for clause in before.clauses}
    same_words = all(clause.text in texts for clause in after.clauses)
    return after.cause == before.cause and same_words and set(after.next_steps) <= set(before.next_steps)
