"""Trying a tool under its policy: one loop, driven by the pure `next_step`, with the sleep and the chance given."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, TypeAlias

from edge_agent.messages.codes import ErrorCode, RetryDecision
from edge_agent.messages.wire import utc_text
from edge_agent.run.context import Run
from edge_agent.run.ids import attempt_trace
from edge_agent.run.journal import Entry, Journal, JournalFault
from edge_agent.run.retry import Failure, NextStep, RetryPolicy, next_step
from edge_agent.tools.canon import attempt_entry, statuses
from edge_agent.tools.intercept import Intercept, nothing_scripted
from edge_agent.tools.result import FailedAttempt, ToolError, ToolResult
from edge_agent.tools.tool import CONTROL_TOOLS, Call, Caller, Failed, Found, Tool, ToolAnswer, ToolArgs

DETAIL_CHARS: Final = 500

Heard: TypeAlias = Callable[[FailedAttempt], Awaitable[None]]
"""Told of each failed attempt that will be tried again, before the pause."""


async def nobody(_attempt: FailedAttempt) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True)
class World:
    """What tools need of the world. `clock` is monotonic, in seconds; `wall` gives aware UTC times."""

    journal: Journal
    clock: Callable[[], float]
    wall: Callable[[], datetime]
    sleep: Callable[[float], Awaitable[None]]
    uniform: Callable[[float, float], float]
    simulated: bool = False
    intercept: Intercept = nothing_scripted


@dataclass(slots=True)
class Effort:
    """One call on its way: what was tried, and how it failed so far."""

    run: Run
    caller: Caller
    name: str
    policy: RetryPolicy
    heard: Heard
    world: World
    attempt: int = 0
    number: int = 0
    """The call's place among the run's tool calls; names its record."""
    failed: list[FailedAttempt] = field(default_factory=list)
    refused: RetryDecision | None = None
    detail: str = ""
    begun_s: float = field(init=False)
    started: datetime = field(init=False)

    def __post_init__(self) -> None:
        self.begun_s, self.started = self.world.clock(), self.world.wall()

    @property
    def trace_id(self) -> str:
        return attempt_trace(self.run.ids.trace, max(1, self.attempt))

    @property
    def record_id(self) -> str:
        """Short, so that a model and a person can cite it; the journal's key has the run before it."""
        return f"r{self.number}"

    @property
    def elapsed_s(self) -> float:
        return self.world.clock() - self.begun_s

    def reserve(self) -> None:
        """One attempt: raises `RunAborted` or `BudgetExceeded` before anything is done."""
        self.run.check_active()
        self.run.reserve_tool_call(self.name)
        self.attempt += 1
        self.number = self.run.usage().tool_calls

    def judge(self, failed: Failed) -> NextStep:
        control = self.name in CONTROL_TOOLS
        failure = Failure(str(failed.code), self.attempt, self.elapsed_s, self.run.left_s(), control)
        step = next_step(self.policy, failure, self.world.uniform)
        decision = RetryDecision(step.decision)
        self.failed.append(FailedAttempt(self.attempt, self.trace_id, failed.code, decision, step.sleep_s))
        return step

    def last_failure(self) -> tuple[Entry, ...]:
        """The row of the last attempt, when that failed; a retried one has its row already."""
        if not self.failed or self.failed[-1].attempt < self.attempt:
            return ()
        return (self.entry(self.failed[-1]),)

    def refuse(self, code: ErrorCode, decision: RetryDecision) -> Entry:
        """Ends the call without a further attempt; its row."""
        self.refused = decision
        return self.entry(FailedAttempt(self.attempt, self.trace_id, code, decision, 0.0))

    def entry(self, failed: FailedAttempt) -> Entry:
        return attempt_entry(self.run.ids.run, self.name, failed, self.detail[:DETAIL_CHARS])

    def result(self, answer: ToolAnswer) -> ToolResult:
        error = ToolError(answer.code, answer.message) if isinstance(answer, Failed) else None
        hits = answer.hits if isinstance(answer, Found) else None
        invocation, evidence = statuses(hits, failed=error is not None)
        return ToolResult(
            tool_name=self.name,
            invocation=invocation,
            evidence=evidence,
            trace_id=self.trace_id,
            parse_trace_id=self.run.ids.parse_trace,
            attempt=self.attempt,
            max_attempts=self.policy.max_attempts,
            started_at=utc_text(self.started),
            duration_ms=round(self.elapsed_s * 1000, 3),
            data=answer.data if isinstance(answer, Found) else {},
            hits=hits,
            error=error,
            decision=self._decision() if error is not None else None,
            attempts=tuple(self.failed),
        )

    def _decision(self) -> RetryDecision:
        """Of the end: a refusal outranks the last attempt, whose own decision may have been to try again."""
        return self.refused or (self.failed[-1].decision if self.failed else RetryDecision.NON_RETRYABLE)


async def try_tool(effort: Effort, tool: Tool, args: ToolArgs) -> ToolAnswer:
    """The tool's answer, or its last failure. Bounded by the policy's attempts."""
    while True:
        effort.reserve()
        effort.detail = ""
        answer = await _once(effort, tool, args)
        if isinstance(answer, Found):
            return answer
        step = effort.judge(answer)
        if step.decision != "retry":
            return answer
        await effort.run.waiting.commit(effort.world.journal, *effort.last_failure())
        await effort.heard(effort.failed[-1])
        await effort.world.sleep(step.sleep_s)


async def _once(effort: Effort, tool: Tool, args: ToolArgs) -> ToolAnswer:
    call = Call(effort.run.ids.run, effort.caller.user, round(effort.world.wall().timestamp() * 1000))
    limit_s = min(tool.timeout_s, effort.run.left_s())
    try:
        async with asyncio.timeout(limit_s):
            scripted = effort.world.intercept(tool.name, effort.attempt)
            if scripted is not None and scripted.delay_s:
                await effort.world.sleep(scripted.delay_s)
            if scripted is not None and scripted.answer is not None:
                return scripted.answer
            return await tool.run(args, call)
    except TimeoutError:
        return Failed(ErrorCode.TIMEOUT, f"no answer within {limit_s:g} s")
    except JournalFault:
        raise
    except Exception as raised:  # noqa: BLE001 - part of the door: whatever a tool raises is that tool's failure
        effort.detail = repr(raised)
        return Failed(ErrorCode.TOOL_EXECUTION_ERROR, f"{tool.name} raised {type(raised).__name__}")
