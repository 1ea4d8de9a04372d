"""Tool: how a task of the cell stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any, Final

from pydantic import Field

from edge_agent.run.retry import RetryPolicy
from edge_agent.tools.ports import TaskStore
from edge_agent.tools.store_answer import told
from edge_agent.tools.tool import TIMEOUT_S, Call, Fact, Found, Tool, ToolAnswer, ToolArgs, ToolName

STATED: Final = ("state", "item_type", "bin", "device", "code", "command_id")


class TaskArgs(ToolArgs):
    task_id: Annotated[str, Field(pattern=r"^[a-z]{1,4}[0-9]{1,9}$")]


def task_status(store: TaskStore, policy: RetryPolicy, timeout_s: float = TIMEOUT_S) -> Tool:
    async def ask(args: TaskArgs, _call: Call) -> ToolAnswer:
        task = await store.task(args.task_id)
        return Found({"task_id": args.task_id}, 0) if task is None else Found(asdict(task), 1)

    return Tool(ToolName.TASK_STATUS, TaskArgs, told(ask), _scope, _facts, retry=policy, timeout_s=timeout_s)


def _scope(args: TaskArgs) -> str:
    return f"task_id={args.task_id}"


def _facts(data: Mapping[str, Any], args: TaskArgs) -> tuple[Fact, ...]:
    return tuple(Fact(ToolName.TASK_STATUS, args.task_id, name, str(data[name])) for name in STATED if data.get(name))
