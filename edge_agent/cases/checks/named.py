"""What a refusal names for whoever reads it. Pure."""

from __future__ import annotations

from typing import Final

from edge_agent.cases.assertion import holds
from edge_agent.cases.looking import (
    words,
)
from edge_agent.cases.record import CaseRecord


def _names_role_and_ask(record: CaseRecord) -> tuple[bool, object]:
    told, text = words(record), record.judged.text
    role, ask = told.word("role", record.line.role), told.word("role", "technician")
    things = [told.say(f"{group}.{name}") for group in ("what", "action") for name in told.under(group)]
    tools = [str(e["tool_name"]) for e in record.judged.evidence]
    return role in text and ask in text and any(t in text for t in [*things, *tools]), text


NAMES_ROLE: Final = holds("text", "the speaker's role, the tool or action, and whom to ask", _names_role_and_ask)


def _names_slot(record: CaseRecord) -> tuple[bool, object]:
    told, given, text = words(record), record.judged.content, record.judged.text
    slots = [name for name in told.under("slot") if f"({name})" in text or told.word("slot", name) in text]
    example = any(step.get("example") for step in given.get("next_steps", ()))
    return bool(slots) and example, text


NAMES_SLOT: Final = holds("text", "the slot and an example", _names_slot)
FIRST_STATE: Final = holds(
    "the first run's state",
    "told",
    lambda r: (bool(r.judged.content.get("first_state")), r.judged.content.get("first_state")),
)
