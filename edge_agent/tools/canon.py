"""The canonical record of one call: the full truth as a journal row, read back before anything is claimed of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from edge_agent.messages.codes import EvidenceStatus, InvocationStatus
from edge_agent.run.context import Run
from edge_agent.run.journal import Duplicate, Entry, Journal, JournalFault, Kind
from edge_agent.tools.result import FailedAttempt, ToolResult


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked of the tool, as it goes into the record."""

    args: dict[str, Any]
    user: str


def record_body(result: ToolResult, asked: Asked) -> dict[str, Any]:
    """Everything but the projection, which is computed from this."""
    return {
        **result.as_dict(),
        "record": result.record,
        "args": asked.args,
        "user": asked.user,
        "scope": result.scope,
        "facts": [[f.source, f.subject, f.attribute, f.value] for f in result.facts],
    }


def attempt_entry(run: str, tool: str, failed: FailedAttempt, detail: str) -> Entry:
    return Entry(Kind.ATTEMPT, {"tool": tool, **failed.as_dict(), "detail": detail}, run)


def statuses(hits: int | None, *, failed: bool) -> tuple[InvocationStatus, EvidenceStatus]:
    """The two statuses of a finished call."""
    if failed:
        return InvocationStatus.ERROR, EvidenceStatus.ERROR
    return InvocationStatus.READY, EvidenceStatus.EVIDENCE_FOUND if hits else EvidenceStatus.NO_EVIDENCE


async def keep(journal: Journal, run: Run, body: dict[str, Any], before: tuple[Entry, ...]) -> dict[str, Any]:
    """Writes the record (and the rows `before` it) in one commit and gives back what stands on the disk.

    Raises JournalFault where it could not be written, stands there already, or is read back as something else.
    """
    record = Entry(Kind.RECORD, body, run.ids.run, key=f"{run.ids.trace}/{body['record']}")
    written = await run.waiting.commit(journal, *before, record)
    if isinstance(written, Duplicate):
        raise JournalFault(f"record {body['record']} stands in the journal already")
    row = await journal.read_back(written[-1])
    if row.body != body:
        raise JournalFault(f"record {body['record']} was read back as something else")
    return row.body
