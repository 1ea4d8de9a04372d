"""What one run may use: checked before, accounted after. Pure.

Limits never change and are never absent; a limit of 0 means none of it. A refused reservation changes no counter.
Tokens are known only after a call, so they are recorded first and compared then: what was used was used.
A stop of the arm asks no budget.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from types import MappingProxyType


class BudgetKind(StrEnum):
    MODEL_CALLS = "MODEL_CALLS"
    TOOL_CALLS = "TOOL_CALLS"
    TOOL_CALLS_PER_TOOL = "TOOL_CALLS_PER_TOOL"
    INPUT_TOKENS = "INPUT_TOKENS"
    OUTPUT_TOKENS = "OUTPUT_TOKENS"
    TOTAL_TOKENS = "TOTAL_TOKENS"
    RUN_BYTES = "RUN_BYTES"


class BudgetExceeded(Exception):
    """One limit was met. `attempted` is the total that the call would have reached, not the excess."""

    def __init__(self, kind: BudgetKind, limit: int, attempted: int) -> None:
        super().__init__(f"{kind}: limit {limit}, attempted {attempted}")
        self.kind, self.limit, self.attempted = kind, limit, attempted


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """Integers >= 0; anything else raises ValueError here, before a run exists."""

    model_calls: int = 24
    """A diagnosis takes one call a step, a repair and two guard calls: 24 is thrice the longest honest one."""
    tool_calls: int = 24
    calls_per_tool: int = 8
    """Against hammering one tool while the total still has room."""
    input_tokens: int = 100_000
    output_tokens: int = 100_000
    total_tokens: int = 200_000
    run_bytes: int = 1_000_000
    """All canonical records and payloads of a run; one record has a cap of its own."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if type(value) is not int or value < 0:
                raise ValueError(f"budget {each.name}: expected a whole number >= 0, got {value!r}")


@dataclass(frozen=True, slots=True)
class TokenUsage:
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class BudgetUsage:
    """A snapshot of what was used."""

    model_calls: int
    tool_calls: int
    tool_calls_by_name: Mapping[str, int]
    input_tokens: int
    output_tokens: int
    total_tokens: int
    run_bytes: int

    def as_dict(self) -> dict[str, int | dict[str, int]]:
        """For the journal and the `done` event."""
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        return {**plain, "tool_calls_by_name": dict(self.tool_calls_by_name)}


def counted_tokens(reported: TokenUsage | None, prompt_tokens: int, max_tokens: int) -> TokenUsage:
    """What a call is charged: its report, or, where it has none, all that it was allowed to use."""
    return reported if reported is not None else TokenUsage(prompt_tokens, max_tokens)


@dataclass(slots=True)
class RunBudget:
    """One run's counters."""

    limits: BudgetLimits
    _model_calls: int = field(default=0, init=False)
    _by_tool: dict[str, int] = field(default_factory=dict, init=False)
    _tokens_in: int = field(default=0, init=False)
    _tokens_out: int = field(default=0, init=False)
    _bytes: int = field(default=0, init=False)

    def reserve_model_call(self) -> None:
        wanted = self._model_calls + 1
        _within(BudgetKind.MODEL_CALLS, self.limits.model_calls, wanted)
        self._model_calls = wanted

    def reserve_tool_call(self, tool: str) -> None:
        """One call in total and one of this tool; both or neither."""
        wanted = self._by_tool.get(tool, 0) + 1
        _within(BudgetKind.TOOL_CALLS, self.limits.tool_calls, sum(self._by_tool.values()) + 1)
        _within(BudgetKind.TOOL_CALLS_PER_TOOL, self.limits.calls_per_tool, wanted)
        self._by_tool[tool] = wanted

    def reserve_run_bytes(self, count: int) -> None:
        wanted = self._bytes + count
        _within(BudgetKind.RUN_BYTES, self.limits.run_bytes, wanted)
        self._bytes = wanted

    def record_tokens(self, used: TokenUsage) -> None:
        """Counts first, then compares: the tokens of a finished call are spent whatever the limit says."""
        self._tokens_in += used.input_tokens
        self._tokens_out += used.output_tokens
        _within(BudgetKind.INPUT_TOKENS, self.limits.input_tokens, self._tokens_in)
        _within(BudgetKind.OUTPUT_TOKENS, self.limits.output_tokens, self._tokens_out)
        _within(BudgetKind.TOTAL_TOKENS, self.limits.total_tokens, self._tokens_in + self._tokens_out)

    def usage(self) -> BudgetUsage:
        return BudgetUsage(
            model_calls=self._model_calls,
            tool_calls=sum(self._by_tool.values()),
            tool_calls_by_name=MappingProxyType(dict(self._by_tool)),
            input_tokens=self._tokens_in,
            output_tokens=self._tokens_out,
            total_tokens=self._tokens_in + self._tokens_out,
            run_bytes=self._bytes,
        )


def _within(kind: BudgetKind, limit: int, attempted: int) -> None:
    if attempted > limit:
        raise BudgetExceeded(kind, limit, attempted)
