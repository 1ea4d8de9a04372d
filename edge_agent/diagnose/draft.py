"""The draft: a cause or none, clauses with their evidence, next steps. What is none of that is dropped unread. Pure.

{"cause": "no_part" | null, "clauses": [{"text": "...", "evidence": ["r1"]}], "next_steps": ["check_feed"]}
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from edge_agent.diagnose.cause_table import CauseTable
from edge_agent.messages.strict_json import NotStrictJson, check_texts, loads

DRAFT_BYTES: Final = 49_152
MAX_CLAUSES: Final = 8
MAX_EVIDENCE: Final = 16
CLAUSE_CHARS: Final = 400
MAX_ENUM: Final = 64
NO_RECORD: Final = "-"
"""Stands in a schema where there is no record to cite; it is none, and cites nothing."""

InvalidKind: TypeAlias = Literal["EMPTY", "INVALID_JSON", "SCHEMA"]


@dataclass(frozen=True, slots=True)
class Clause:
    text: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """`cause` None is legal and honest."""

    cause: str | None
    clauses: tuple[Clause, ...] = ()
    next_steps: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        clauses = [{"text": c.text, "evidence": list(c.evidence)} for c in self.clauses]
        return {"cause": self.cause, "clauses": clauses, "next_steps": list(self.next_steps)}


@dataclass(frozen=True, slots=True)
class DraftInvalid:
    """The text itself is dropped; its hash and kind are written down."""

    kind: InvalidKind
    sha256: str


class _Clause(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    text: Annotated[str, Field(min_length=1, max_length=CLAUSE_CHARS)]
    evidence: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=128)]], Field(min_length=1, max_length=MAX_EVIDENCE)
    ]


class _Draft(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    cause: Annotated[str, Field(max_length=64)] | None
    clauses: Annotated[list[_Clause], Field(max_length=MAX_CLAUSES)]
    next_steps: Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=3)]


def parse_draft(text: str, table: CauseTable) -> Draft | DraftInvalid:
    """A legal draft over this cause table, or what it is instead."""
    raw = text.encode("utf-8", "replace")
    digest = hashlib.sha256(raw).hexdigest()
    if not text.strip():
        return DraftInvalid("EMPTY", digest)
    try:
        value = loads(raw)
        check_texts(value)
    except NotStrictJson:
        return DraftInvalid("INVALID_JSON", digest)
    draft = _shaped(value) if len(raw) <= DRAFT_BYTES else None
    return draft if draft is not None and _known(draft, table) else DraftInvalid("SCHEMA", digest)


def draft_schema(table: CauseTable, causes: Sequence[str], records: Sequence[str]) -> Mapping[str, object]:
    """For constrained decoding: only causes, records and steps that there are."""
    step = {"enum": list(table.steps)[:MAX_ENUM]} if table.steps else {"type": "string", "maxLength": 0}
    clause = {
        "type": "object",
        "properties": {
            "text": {"type": "string", "minLength": 1, "maxLength": CLAUSE_CHARS},
            "evidence": {
                "type": "array",
                "items": {"enum": list(records)[:MAX_ENUM] or [NO_RECORD]},
                "minItems": 1,
                "maxItems": 8,
            },
        },
        "required": ["text", "evidence"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            "cause": {"enum": [*list(causes)[: MAX_ENUM - 1], None]},
            "clauses": {"type": "array", "items": clause, "maxItems": MAX_CLAUSES if records else 0},
            "next_steps": {"type": "array", "items": step, "maxItems": 3},
        },
        "required": ["cause", "clauses", "next_steps"],
        "additionalProperties": False,
    }


def _shaped(value: object) -> Draft | None:
    try:
        found = _Draft.model_validate(value)
    except ValidationError:
        return None
    clauses = tuple(Clause(c.text, tuple(c.evidence)) for c in found.clauses)
    return Draft(found.cause, clauses, tuple(found.next_steps))


def _known(draft: Draft, table: CauseTable) -> bool:
    return (draft.cause is None or draft.cause in table.causes) and set(draft.next_steps) <= set(table.steps)
