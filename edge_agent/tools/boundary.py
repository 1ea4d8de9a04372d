"""The single door to every tool. Whatever happens behind it becomes a `ToolResult`; nothing is raised into the loop.

arguments -> permission -> budget -> the tool under its policy -> canonical record (bytes reserved first) -> read back
-> bounded projection. Each attempt is reserved, accounted and journalled. A record that can't be written or read
back ends the run `FAILED`: its next `check_active` leaves whatever loop it is in.

Only a cancelled task passes through, because that is nobody's result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from pydantic import ValidationError

from edge_agent.messages.codes import ErrorCode, RetryDecision
from edge_agent.run.budget import BudgetExceeded
from edge_agent.run.context import Run
from edge_agent.run.journal import JournalFault
from edge_agent.run.lifecycle import RunAborted, RunState
from edge_agent.run.retry import RetryPolicy
from edge_agent.safety.permission import Denied, permit
from edge_agent.tools.attempts import Effort, Heard, World, nobody, try_tool
from edge_agent.tools.canon import Asked, keep, record_body
from edge_agent.tools.projection import RECORD_BYTES, json_text, project
from edge_agent.tools.registry import Registry
from edge_agent.tools.result import ToolResult
from edge_agent.tools.tool import Caller, Failed, Found, Tool, ToolAnswer, ToolArgs

STORE_FAILED: Final = "store_failed"
NAMES_SHOWN: Final = 5


class Boundary:
    def __init__(self, registry: Registry, world: World) -> None:
        self._registry, self._world = registry, world

    @property
    def registry(self) -> Registry:
        return self._registry

    async def call(
        self,
        run: Run,
        caller: Caller,
        name: str,
        args: Mapping[str, Any],
        *,
        policy: RetryPolicy | None = None,
        heard: Heard = nobody,
    ) -> ToolResult:
        """`policy` in place of the tool's own (a diagnosis tries once). `heard` is told of each coming retry."""
        tool = self._registry.get(name)
        effort = Effort(run, caller, name, policy or (tool.retry if tool else RetryPolicy()), heard, self._world)
        try:
            return await self._through(effort, tool, args)
        except BudgetExceeded as exceeded:
            failed = Failed(ErrorCode.BUDGET_EXHAUSTED, f"{exceeded.kind}: {exceeded.attempted} of {exceeded.limit}")
            return await self._noted(effort, failed, RetryDecision.BUDGET)
        except RunAborted as aborted:
            return await self._noted(effort, Failed(ErrorCode.RUN_INACTIVE, f"the run has ended: {aborted.state}"))
        except JournalFault as fault:
            return self._store_failed(effort, fault)
        except Exception as ours:  # noqa: BLE001 - the door: a mistake of ours is a result too, never a crash of the loop
            return await self._noted(effort, Failed(ErrorCode.INTERNAL, type(ours).__name__), detail=repr(ours))

    async def _through(self, effort: Effort, tool: Tool | None, args: Mapping[str, Any]) -> ToolResult:
        effort.run.check_active()
        checked = _checked(tool, args) if tool else Failed(ErrorCode.INPUT_INVALID, f"no tool {effort.name[:64]!r}")
        if tool is None or isinstance(checked, Failed):
            assert isinstance(checked, Failed), "without a tool there are no arguments"
            return await self._noted(effort, checked)
        denied = permit(tool.operation, effort.caller.role, simulated=self._world.simulated)
        if isinstance(denied, Denied):
            return await self._noted(effort, _forbidden(denied, tool))
        asked = Asked(checked.model_dump(mode="json", exclude_none=True), effort.caller.user)
        effort.run.reserve_run_bytes(len(json_text(asked.args).encode()))
        answer = await try_tool(effort, tool, checked)
        return await self._kept(effort, tool, checked, asked, answer)

    async def _kept(self, effort: Effort, tool: Tool, args: ToolArgs, asked: Asked, answer: ToolAnswer) -> ToolResult:
        effort.run.check_active()
        answer, size = _sized(answer)
        facts = tool.facts(answer.data, args) if isinstance(answer, Found) else ()
        result = replace(effort.result(answer), scope=tool.scope(args), record=effort.record_id, facts=facts)
        body = record_body(result, asked)
        effort.run.reserve_run_bytes(max(size, len(json_text(body).encode())))
        stored = await keep(self._world.journal, effort.run, body, effort.last_failure())
        return await self._projected(effort, replace(result, data=stored["data"]))

    async def _projected(self, effort: Effort, result: ToolResult) -> ToolResult:
        if not result.ok:
            return result
        try:
            projection = project(result.data)
        except (TypeError, ValueError, RecursionError) as unfit:
            failed = Failed(ErrorCode.PROJECTION_FAILED, "the record can't be shown")
            return await self._noted(effort, failed, detail=repr(unfit))
        effort.run.reserve_run_bytes(len(projection.text.encode()))
        return replace(result, projection=projection)

    async def _noted(
        self,
        effort: Effort,
        failed: Failed,
        decision: RetryDecision = RetryDecision.NON_RETRYABLE,
        detail: str = "",
    ) -> ToolResult:
        """An end without a record: its row is written, and a fault of that is the journal's."""
        effort.detail = detail
        try:
            await effort.run.waiting.commit(self._world.journal, effort.refuse(failed.code, decision))
        except JournalFault as fault:
            return self._store_failed(effort, fault)
        return effort.result(failed)

    def _store_failed(self, effort: Effort, fault: JournalFault) -> ToolResult:
        effort.run.end(RunState.FAILED, STORE_FAILED, str(fault))
        effort.refused = RetryDecision.NON_RETRYABLE
        return effort.result(Failed(ErrorCode.STORE_FAILED, "the record was not kept: nothing is claimed of it"))


def _checked(tool: Tool, args: Mapping[str, Any]) -> ToolArgs | Failed:
    try:
        return tool.args.model_validate(dict(args))
    except ValidationError as wrong:
        names = sorted({".".join(str(part) for part in each["loc"])[:64] for each in wrong.errors()})
        return Failed(ErrorCode.INPUT_INVALID, ", ".join(names[:NAMES_SHOWN]))


def _forbidden(denied: Denied, tool: Tool) -> Failed:
    who = f"role {denied.role.word} may not use {tool.name}; it needs {denied.needed.word}: ask a technician for it"
    return Failed(ErrorCode.PERMISSION_DENIED, who)


def _sized(answer: ToolAnswer) -> tuple[ToolAnswer, int]:
    """The answer and its size in bytes; in its place a failure where it is too large or no JSON."""
    if isinstance(answer, Failed):
        return answer, 0
    try:
        size = len(json_text(answer.data).encode("utf-8", "replace"))
    except (TypeError, ValueError, RecursionError) as unfit:
        return Failed(ErrorCode.TOOL_EXECUTION_ERROR, f"no JSON object: {type(unfit).__name__}"), 0
    if size > RECORD_BYTES:
        return Failed(ErrorCode.RESULT_TOO_LARGE, f"{size} bytes, at most {RECORD_BYTES}; not stored"), 0
    return answer, size
