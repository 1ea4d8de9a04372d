"""Where things stand in a record. Pure; every check looks through these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from edge_agent.cases.cell import Flat
from edge_agent.cases.record import CaseRecord
from edge_agent.messages.codes import Lang
from edge_agent.release.texts import Texts, texts
from edge_agent.run.journal import Kind


def ending(record: CaseRecord) -> str:
    return record.trouble or str(record.judged.failure.get("code", ""))


def error_of(holder: Flat) -> Flat:
    found: Flat = holder.get("error") or {}
    return found


def failed_tool(record: CaseRecord) -> Flat | None:
    """The evidence of the first tool that failed."""
    return next((e for e in record.judged.evidence if e.get("error")), None)


def decision_of(evidence: Flat) -> object:
    return evidence.get("meta", {}).get("retry_decision")


def decisions(record: CaseRecord) -> list[object]:
    return [d for d in (record.judged.content.get("retry_decision"), *map(decision_of, record.judged.evidence)) if d]


def candidates(record: CaseRecord) -> Sequence[Flat]:
    found: Sequence[Flat] = record.judged.content.get("candidates", ())
    return found


def from_copy(given: Flat) -> bool:
    return bool(given.get("degraded")) and given.get("age_s") is not None


def names_whom_to_ask(record: CaseRecord) -> bool:
    given = record.judged.content
    return bool(given.get("ask_whom")) and str(given.get("trace_id")) in record.judged.text


def sends(row: Kind, body: dict[str, Any]) -> bool:
    return row is Kind.COMMAND and body.get("state") in ("JOURNALLED", "SENT")


def tells(body: dict[str, Any], run: str) -> bool:
    event = body.get("event", {})
    return (event.get("run"), event.get("type")) == (run, "content")


def words(record: CaseRecord) -> Texts:
    lang: Lang = "en" if record.lang == "en" else "zh"
    return texts(lang)
