"""The tool's interceptor. It sees evidence tools only, and asks in this order:

saturated and told so -> `CollectionStopped` · envelope · duplicate scope · boundary.

A duplicate reserves a tool call and runs nothing. A limit met on the way is an observation, and progress is marked;
the next model call meets the hard gate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from pydantic import ValidationError

from edge_agent.diagnose.dossier import Dossier
from edge_agent.diagnose.envelope import ToolRequest, violation
from edge_agent.diagnose.errors import CollectionStopped
from edge_agent.diagnose.progress import Gain, Progress
from edge_agent.messages.codes import ErrorCode
from edge_agent.run.budget import BudgetExceeded
from edge_agent.run.collection import CollectionState, StopReason
from edge_agent.run.context import Run
from edge_agent.run.retry import NO_RETRY
from edge_agent.tools.boundary import Boundary
from edge_agent.tools.result import ToolResult
from edge_agent.tools.tool import Caller, ToolName

EVIDENCE_TOOLS: Final = (
    ToolName.TASK_STATUS,
    ToolName.COMMAND_HISTORY,
    ToolName.ALARM_HISTORY,
    ToolName.ARM_STATUS,
    ToolName.SORTING_RULES,
    ToolName.KNOWLEDGE_SEARCH,
)


@dataclass(frozen=True, slots=True)
class Observation:
    """What the model is told of a call. `stop_required`: no further evidence; write the draft."""

    tool: str
    text: str
    record: str | None = None
    scope: str = ""
    code: ErrorCode | None = None
    gain: Gain = "NO_GAIN"
    stop_required: bool = False
    truncated: bool = False


@dataclass(slots=True)
class EvidenceGate:
    run: Run
    caller: Caller
    boundary: Boundary
    dossier: Dossier
    progress: Progress

    async def call(self, request: ToolRequest) -> Observation:
        if self.progress.stop_delivered and self.progress.state is CollectionState.SATURATED:
            raise CollectionStopped(self.progress.stop_reason or StopReason.INFORMATION_SATURATED)
        return self._told(await self._through(request))

    def scope_of(self, tool: str, args: Mapping[str, Any]) -> str | None:
        """The scope these arguments look at; None where they are no arguments of that tool."""
        known = self.boundary.registry.get(tool)
        if known is None:
            return None
        try:
            return known.scope(known.args.model_validate(dict(args)))
        except ValidationError:
            return None

    async def _through(self, request: ToolRequest) -> Observation:
        wrong = violation(request, self.progress.last)
        if wrong is not None:
            self.progress.violated()
            return Observation(request.tool, f"PROTOCOL_VIOLATED {wrong}", code=ErrorCode.INPUT_INVALID)
        if request.tool not in EVIDENCE_TOOLS:
            return Observation(request.tool, "no evidence tool of that name", code=ErrorCode.INPUT_INVALID)
        scope = self.scope_of(request.tool, request.args)
        first = None if scope is None else self.progress.looked_at(request.tool, scope)
        if scope is not None and first is not None:
            return self._repeated(request.tool, scope, first)
        result = await self.boundary.call(self.run, self.caller, request.tool, request.args, policy=NO_RETRY)
        return self._taken(result)

    def _repeated(self, tool: str, scope: str, first: str) -> Observation:
        try:
            self.run.reserve_tool_call(tool)
        except BudgetExceeded as exceeded:
            self.progress.out_of_budget()
            return Observation(tool, str(exceeded), scope=scope, code=ErrorCode.BUDGET_EXHAUSTED)
        self.progress.repeated(first)
        text = f"looked at already, see {first}"
        return Observation(tool, text, record=first, scope=scope, code=ErrorCode.DUPLICATE_SCOPE)

    def _taken(self, result: ToolResult) -> Observation:
        self.dossier.put(result)
        if result.code is ErrorCode.BUDGET_EXHAUSTED:
            self.progress.out_of_budget()
        gain = self.progress.observe(result)
        text = result.projection.text if result.error is None else result.error.message
        return Observation(
            tool=result.tool_name,
            text=text,
            record=result.record,
            scope=result.scope,
            code=result.code,
            gain=gain,
            truncated=result.projection.truncated,
        )

    def _told(self, observation: Observation) -> Observation:
        """Saturation is told with the observation that brought it; from then on it counts as delivered."""
        if self.progress.state is not CollectionState.SATURATED:
            return observation
        self.progress.stop_delivered = True
        return replace(observation, stop_required=True)
