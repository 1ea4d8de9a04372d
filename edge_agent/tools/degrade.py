"""A query and what becomes of it: answered live, from the offline copy, empty, refused, or left to a person. Pure.

Order: a refusal (role, input) stays one · found live · the copy, with its age · both empty · ask a person.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, TypeAlias

from edge_agent.messages.codes import ErrorCode
from edge_agent.tools.ports import RuleCopy
from edge_agent.tools.result import ToolResult
from edge_agent.tools.tool import ToolName

REFUSALS: Final = frozenset({ErrorCode.PERMISSION_DENIED, ErrorCode.INPUT_INVALID})
NOT_A_QUERYS: Final = frozenset(
    {ErrorCode.RUN_INACTIVE, ErrorCode.BUDGET_EXHAUSTED, ErrorCode.STORE_FAILED, ErrorCode.INTERNAL}
)
"""The run's own trouble: no copy mends it, the next step of the run leaves."""


@dataclass(frozen=True, slots=True)
class Live:
    result: ToolResult


@dataclass(frozen=True, slots=True)
class FromCopy:
    result: ToolResult
    data: Mapping[str, Any]
    age_s: float


@dataclass(frozen=True, slots=True)
class Empty:
    """Live store and copy could be read, and neither has an entry."""

    result: ToolResult


@dataclass(frozen=True, slots=True)
class AskPerson:
    """All attempts failed, and the copy has no entry."""

    result: ToolResult


@dataclass(frozen=True, slots=True)
class Refused:
    """Role or input: another try with the same words gives the same answer."""

    result: ToolResult


@dataclass(frozen=True, slots=True)
class Broken:
    """Not the query's failure: the run can't go on."""

    result: ToolResult


QueryEnd: TypeAlias = Live | FromCopy | Empty | AskPerson | Refused | Broken


def query_end(result: ToolResult, args: Mapping[str, Any], copy: RuleCopy) -> QueryEnd:
    """`args` are those of the call; only rules have a copy."""
    if result.code in REFUSALS:
        return Refused(result)
    if result.code in NOT_A_QUERYS:
        return Broken(result)
    if result.ok and result.hits:
        return Live(result)
    copied = copy.rule(str(args.get("item_type", ""))) if result.tool_name == ToolName.SORTING_RULES else None
    if copied is not None:
        return FromCopy(result, asdict(copied.rule), copied.age_s)
    return Empty(result) if result.ok else AskPerson(result)
