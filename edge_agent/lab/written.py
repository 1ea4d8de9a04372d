"""What the written exercises ask besides cases that pass. What is missing is told, one line each, in both languages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from edge_agent.cases.files import Placed, read_file
from edge_agent.cases.verdict import Verdict
from edge_agent.lab.predictions import read_answers
from edge_agent.lab.workbook import Workbook
from edge_agent.policies import CODES, RETRY, Policies
from edge_agent.run.retry import RETRYABLE

PARAMETERS: Final = ("max_attempts", "base_delay_s", "backoff", "jitter_s", "max_elapsed_s")
LEAST_CODES: Final = 2
LEAST_RULES: Final = 2
LEAST_CHARS: Final = 10
"""A reason in fewer characters is none, in either language."""

RunWith = Callable[[Policies, tuple[Placed, ...]], Awaitable[tuple[Verdict, ...]]]


async def missing(book: Workbook, policies: Policies, run: RunWith) -> tuple[str, ...]:
    """Nothing where all that was asked for is there. A policy that was handed out with a blank reason asks for it."""
    if book.exercise.written == "A":
        return tuple(_query_tool(policies.reasons))
    if book.exercise.written == "B":
        return (*_control_tool(book, policies), *[each async for each in _unnoticed(book, policies, run)])
    return tuple(f"{key}: 缺少理由 / no reason is given" for key, text in policies.reasons.items() if not text.strip())


def _query_tool(reasons: Mapping[str, str]) -> Iterator[str]:
    given = {key: text for key, text in reasons.items() if len(text.strip()) >= LEAST_CHARS}
    for parameter in PARAMETERS:
        if not any(key.startswith(RETRY) and key.endswith(f" {parameter}") for key in given):
            yield f"{RETRY}: reasons.{parameter} 缺少理由 / no reason is given"
    codes = [key.removeprefix(f"{CODES} ") for key in given if key.startswith(CODES)]
    for many, wanted in (("可重试 retryable", True), ("不可重试 not retryable", False)):
        if sum((code in RETRYABLE) is wanted for code in codes) < LEAST_CODES:
            yield f"{CODES}: reasons 中{many}的码至少 {LEAST_CODES} 个 / at least {LEAST_CODES} codes with reasons"


def _control_tool(book: Workbook, policies: Policies) -> Iterator[str]:
    told = read_answers(book.answers).get("written")
    if told is None or len(told.why_no_retry.strip()) < LEAST_CHARS:
        yield "answers.toml: written.why_no_retry 缺少理由 / no reason is given"
    if len(policies.rules) < LEAST_RULES:
        yield f"refusals.toml: 至少 {LEAST_RULES} 条规则 / at least {LEAST_RULES} rules"
    if not book.has_own_cases:
        yield f"{book.own_cases.name}: 没有案例 / no cases"


async def _unnoticed(book: Workbook, policies: Policies, run: RunWith) -> AsyncIterator[str]:
    """Rules whose absence no case of the group notices."""
    own = read_file(book.own_cases) if book.has_own_cases else ()
    if not own:
        return
    good = {verdict.id for verdict in await run(policies, own) if verdict.passed}
    for rule in policies.rules:
        without = replace(policies, rules=tuple(each for each in policies.rules if each is not rule))
        if all(verdict.passed for verdict in await run(without, own) if verdict.id in good):
            yield f"refusals.toml: {rule.id} 去掉后没有案例失败 / no case fails when it is taken out"
