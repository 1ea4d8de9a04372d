"""What tools and models answer in a case cell, put in at their own edges; the pauses there are not waited for."""

from __future__ import annotations

import asyncio
from collections import Counter, deque

from edge_agent.cases.cell import Script
from edge_agent.cases.scripted_dispatch import ScriptedDispatch
from edge_agent.cases.spoken import ScriptedResult
from edge_agent.diagnose.scripted_style import style_of_script
from edge_agent.diagnose.thinker import Style
from edge_agent.lab_faults import LabFaults
from edge_agent.messages.codes import ErrorCode
from edge_agent.tools.intercept import Scripted
from edge_agent.tools.tool import Failed, Found, ToolName
from edge_agent.understand.scores import IntentScore
from edge_agent.understand.scripted import ScriptedModel


class ScriptedEdges:
    """The script of the turn that is being talked. The n-th call of a tool gets the n-th result, the last repeats."""

    def __init__(self) -> None:
        self._own: tuple[ScriptedResult, ...] = ()
        self._named: dict[str, tuple[ScriptedResult, ...]] = {}
        self._calls: Counter[str] = Counter()
        self._slow_tool_s: float | None = None
        self.style: Style = "labels"

    def follow(self, script: Script, driver: ScriptedDispatch, model: ScriptedModel) -> None:
        self._own, self._named = script.own_results, dict(script.named_results or {})
        self._calls.clear()
        driver.refusals = [r for r in (*self._own, *self._named.get(ToolName.ARM_CONTROL, ())) if not r.ok]
        items: list[dict[str, object]] = [{str(key): value for key, value in i.items()} for i in script.model_items]
        self.style = style_of_script(items) if items else "labels"
        model.script = deque(items)
        scores = script.scores
        model.scores = None if scores is None else tuple(IntentScore(name, score) for name, score in scores)

    def intercept(self, tool: str, attempt: int, faults: LabFaults) -> Scripted | None:
        """A line's own results go before a fault that was put in; the arm's own are at the driver's edge."""
        struck = faults.intercept(tool, attempt)
        results = self._named.get(tool) or (self._own if tool != ToolName.ARM_CONTROL else ())
        if results:
            self._calls[tool] += 1
            return _scripted(results[min(self._calls[tool], len(results)) - 1])
        self._slow_tool_s = struck.delay_s if struck is not None else None
        return struck

    async def pause(self, seconds: float) -> None:
        """Between two tries a pause is written down alone; a slow tool is waited for."""
        if seconds == self._slow_tool_s:
            await asyncio.sleep(seconds)


def _scripted(result: ScriptedResult) -> Scripted:
    if result.error is not None:
        return Scripted(Failed(ErrorCode(result.error.code), result.error.message))
    data = result.data or {}
    return Scripted(Found(data, result.hits if result.hits is not None else int(bool(data))))
