"""Limits hold before the call, tokens after it, and every refusal names kind, limit and the total attempted."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from edge_agent.run.budget import (
    BudgetExceeded,
    BudgetKind,
    BudgetLimits,
    RunBudget,
    TokenUsage,
    counted_tokens,
)

Spend = Callable[[RunBudget], None]


def model_calls(budget: RunBudget) -> None:
    for _ in range(25):
        budget.reserve_model_call()


def tool_calls(budget: RunBudget) -> None:
    for n in range(25):
        budget.reserve_tool_call(f"tool{n % 4}")


def one_tool(budget: RunBudget) -> None:
    for _ in range(9):
        budget.reserve_tool_call("knowledge")


def tokens(*calls: tuple[int, int]) -> Spend:
    def spend(budget: RunBudget) -> None:
        for used in calls:
            budget.record_tokens(TokenUsage(*used))

    return spend


def run_bytes(budget: RunBudget) -> None:
    budget.reserve_run_bytes(600_000)
    budget.reserve_run_bytes(400_001)


VECTORS: list[tuple[Spend, tuple[BudgetKind, int, int]]] = [
    (model_calls, (BudgetKind.MODEL_CALLS, 24, 25)),
    (tool_calls, (BudgetKind.TOOL_CALLS, 24, 25)),
    (one_tool, (BudgetKind.TOOL_CALLS_PER_TOOL, 8, 9)),
    (tokens((100_000, 0), (3, 0)), (BudgetKind.INPUT_TOKENS, 100_000, 100_003)),
    (tokens((0, 99_999), (0, 2)), (BudgetKind.OUTPUT_TOKENS, 100_000, 100_001)),
]


def refusal(spend: Spend, budget: RunBudget) -> tuple[BudgetKind, int, int]:
    with pytest.raises(BudgetExceeded) as caught:
        spend(budget)
    return caught.value.kind, caught.value.limit, caught.value.attempted


@pytest.mark.parametrize(("spend", "expected"), VECTORS, ids=[v[1][0] for v in VECTORS])
def test_default_limits(spend: Spend, expected: tuple[BudgetKind, int, int]) -> None:
    assert refusal(spend, RunBudget(BudgetLimits())) == expected


def test_total_tokens_where_neither_side_is_over_its_own() -> None:
    limits = BudgetLimits(input_tokens=150_000, output_tokens=150_000)
    spend = tokens((100_000, 100_000), (300, 200))
    assert refusal(spend, RunBudget(limits)) == (BudgetKind.TOTAL_TOKENS, 200_000, 200_500)


def test_run_bytes() -> None:
    assert refusal(run_bytes, RunBudget(BudgetLimits())) == (BudgetKind.RUN_BYTES, 1_000_000, 1_000_001)


def test_a_refused_reservation_changes_no_counter() -> None:
    budget = RunBudget(BudgetLimits(model_calls=0, tool_calls=1, calls_per_tool=1, run_bytes=5))
    budget.reserve_tool_call("a")
    budget.reserve_run_bytes(5)
    before = budget.usage()
    attempts: tuple[Spend, ...] = (
        lambda b: b.reserve_model_call(),
        lambda b: b.reserve_tool_call("a"),
        lambda b: b.reserve_tool_call("b"),
        lambda b: b.reserve_run_bytes(1),
    )
    for attempt in attempts:
        refusal(attempt, budget)
    assert budget.usage() == before


def test_the_per_tool_limit_is_met_while_the_total_is_not() -> None:
    budget = RunBudget(BudgetLimits(tool_calls=9, calls_per_tool=1))
    budget.reserve_tool_call("a")
    assert refusal(lambda b: b.reserve_tool_call("a"), budget) == (BudgetKind.TOOL_CALLS_PER_TOOL, 1, 2)
    budget.reserve_tool_call("b")
    assert budget.usage().tool_calls_by_name == {"a": 1, "b": 1}


def test_spent_tokens_are_counted_even_where_they_are_too_many() -> None:
    budget = RunBudget(BudgetLimits(input_tokens=10))
    refusal(tokens((11, 4)), budget)
    usage = budget.usage()
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (11, 4, 15)


@pytest.mark.parametrize("wrong", [-1, 1.0, True, None, "24"])
def test_a_limit_is_a_whole_number(wrong: object) -> None:
    with pytest.raises(ValueError, match="model_calls"):
        BudgetLimits(model_calls=wrong)  # type: ignore[arg-type]


def test_unknown_usage_is_charged_in_full() -> None:
    assert counted_tokens(None, 120, 64) == TokenUsage(120, 64)
    assert counted_tokens(TokenUsage(100, 3), 120, 64) == TokenUsage(100, 3)


def test_usage_as_plain_data() -> None:
    budget = RunBudget(BudgetLimits())
    budget.reserve_tool_call("a")
    assert budget.usage().as_dict() == {
        "model_calls": 0,
        "tool_calls": 1,
        "tool_calls_by_name": {"a": 1},
        "input_tokens": 0,
        "output_tokens": 0,
        "total_tokens": 0,
        "run_bytes": 0,
    }
