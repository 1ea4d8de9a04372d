"""Questions, and answers without a model. Pure."""

from __future__ import annotations

from typing import Final

from edge_agent.cases.assertion import equal, holds
from edge_agent.cases.looking import (
    candidates,
    words,
)
from edge_agent.cases.record import CaseRecord
from edge_agent.run.journal import Kind

CLARIFY_FIGURES: Final = ("top_score", "second_score", "margin")


CANDIDATES: Final = holds(
    "candidates",
    "1 to 3 by falling score, each with an example",
    lambda r: (
        1 <= len(candidates(r)) <= 3
        and all(c.get("example") for c in candidates(r))
        and [c["score"] for c in candidates(r)] == sorted((c["score"] for c in candidates(r)), reverse=True),
        [(c.get("intent"), c.get("score")) for c in candidates(r)],
    ),
)
CLARIFY_REASON: Final = holds(
    "reason",
    "a reason with top, second and margin",
    lambda r: (
        bool(r.judged.content.get("reason"))
        and all(r.judged.content.get(figure) is not None for figure in CLARIFY_FIGURES),
        [r.judged.content.get(name) for name in ("reason", *CLARIFY_FIGURES)],
    ),
)
PARSE_TRACE: Final = holds(
    "parse_trace_id",
    "an id",
    lambda r: (bool(r.judged.content.get("parse_trace_id")), r.judged.content.get("parse_trace_id")),
)
ONE_MISSING: Final = holds(
    "missing",
    "one slot, and no candidate",
    lambda r: (
        isinstance(r.judged.content.get("missing"), str) and not candidates(r),
        (r.judged.content.get("missing"), len(candidates(r))),
    ),
)


BY_RULES: Final = equal("source", "rules", lambda r: r.judged.content.get("source"))
KEYWORD: Final = holds(
    "reason",
    "keyword_…",
    lambda r: (str(r.judged.content.get("reason", "")).startswith("keyword_"), r.judged.content.get("reason")),
)
SAYS_MODEL_DOWN: Final = holds(
    "text says the model is down",
    "it does",
    lambda r: (words(r).say("model_down.answered") in r.judged.text, r.judged.text),
)
MODEL_THERE: Final = holds(
    "a model was usable",
    "yes; without one this is OFFLINE_ROUTE",
    lambda r: (words(r).say("model_down.answered") not in r.judged.text, r.judged.text),
)


def _stored_once(record: CaseRecord) -> tuple[bool, object]:
    once = sum(1 for _ in record.of_kind(Kind.FEEDBACK))
    return (once, record.feedback_rows_after_again) == (1, 1), (once, record.feedback_rows_after_again)


ONE_ROW: Final = holds("rows stored", "one, also when sent twice", _stored_once)
