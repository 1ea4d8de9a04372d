"""What a tool is: a name, its arguments, one function, and its policy. What it gives back is a value.

A tool reads or records; it never moves an arm. `Found.data` is the full truth as a JSON object; hits, scope and
facts are computed from it by the tool's own pure functions, never taken from a model's word.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, TypeAlias

from pydantic import BaseModel, ConfigDict

from edge_agent.messages.codes import ErrorCode
from edge_agent.run.ids import RunId
from edge_agent.run.retry import RetryPolicy
from edge_agent.safety.permission import Operation, Role

TIMEOUT_S: Final = 2.0
"""A local store answers in milliseconds; whoever waits for an answer waits no longer than this for one try."""
RECORD_POLICY: Final = RetryPolicy(max_attempts=2)
"""Records are idempotent by their request's id, so one more try harms nobody."""


class ToolName(StrEnum):
    SORTING_RULES = "sorting_rules"
    ARM_STATUS = "arm_status"
    TASK_STATUS = "task_status"
    ALARM_HISTORY = "alarm_history"
    COMMAND_HISTORY = "command_history"
    KNOWLEDGE_SEARCH = "knowledge_search"
    FEEDBACK = "feedback"
    ARM_CONTROL = "arm_control"


CONTROL_TOOLS: Final = frozenset({ToolName.ARM_CONTROL})
"""Tools that move something: one attempt, whatever fails."""


class ToolArgs(BaseModel):
    """Arguments come from words or from a model: strict and bounded before anything is done with them."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, str_max_length=2_000)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, as the transport proved it."""

    user: str
    role: Role


@dataclass(frozen=True, slots=True)
class Call:
    """One call as the tool sees it. `now_ms` is wall-clock time in ms since 1970 (UTC)."""

    run: RunId
    user: str
    now_ms: int


@dataclass(frozen=True, slots=True, order=True)
class Fact:
    """One thing that a record states: in `source`, `subject` has `attribute` = `value`."""

    source: str
    subject: str
    attribute: str
    value: str


@dataclass(frozen=True, slots=True)
class Found:
    """The tool worked. `hits` 0: this scope is empty, and that is all it proves."""

    data: Mapping[str, Any]
    hits: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The tool could not do it. `message` names no secret: it stands in the evidence."""

    code: ErrorCode
    message: str


ToolAnswer: TypeAlias = Found | Failed


def no_facts(_data: Mapping[str, Any], _args: Any) -> tuple[Fact, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Tool:
    """`run(args, call)` does the work. `scope(args)` says in stable words what was looked at; two calls with one
    scope look at the same thing. `facts(data, args)` says what the data states."""

    name: ToolName
    args: type[ToolArgs]
    run: Callable[[Any, Call], Awaitable[ToolAnswer]]
    scope: Callable[[Any], str]
    facts: Callable[[Mapping[str, Any], Any], tuple[Fact, ...]] = no_facts
    operation: Operation = Operation.ASK
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    timeout_s: float = TIMEOUT_S
