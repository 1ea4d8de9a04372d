"""Tool: an operator's feedback about a task, kept once under its request's id however often it is sent."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from edge_agent.run.journal import Duplicate, Entry, Journal, Kind
from edge_agent.safety.permission import Operation
from edge_agent.tools.tool import (
    RECORD_POLICY,
    TIMEOUT_S,
    Call,
    Found,
    Tool,
    ToolAnswer,
    ToolArgs,
    ToolName,
)


class FeedbackArgs(ToolArgs):
    """`request_id` makes it idempotent: a second call with the same id gives the first row, `repeated`."""

    request_id: Annotated[str, Field(min_length=1, max_length=128)]
    task_id: Annotated[str, Field(pattern=r"^[a-z]{1,4}[0-9]{1,9}$")]
    text: Annotated[str, Field(max_length=500)] = ""


def feedback(journal: Journal, timeout_s: float = TIMEOUT_S) -> Tool:
    """A journal that can't be written is no matter of this tool: it ends the run."""

    async def store(args: FeedbackArgs, call: Call) -> ToolAnswer:
        body = {"task_id": args.task_id, "text": args.text, "user": call.user}
        written = await journal.append(Entry(Kind.FEEDBACK, body, call.run, key=args.request_id))
        if isinstance(written, Duplicate):
            first = written.row
            return Found({**first.body, "record_id": f"f{first.seq}", "repeated": True}, 1)
        return Found({**body, "record_id": f"f{written[0]}", "repeated": False}, 1)

    return Tool(
        ToolName.FEEDBACK,
        FeedbackArgs,
        store,
        _scope,
        operation=Operation.RECORD,
        retry=RECORD_POLICY,
        timeout_s=timeout_s,
    )


def _scope(args: FeedbackArgs) -> str:
    return f"task_id={args.task_id}"
