"""What a failing line points to: a change of a policy file, and the line that keeps it from failing again. Pure.

A table over what was expected and what came; the first row that fits is told. It proposes and changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from edge_agent.cases import labels
from edge_agent.cases.verdict import Verdict
from edge_agent.messages.codes import RETRYABLE_ERROR_CODES

ACTS: Final = frozenset(
    {labels.ANSWER, labels.RECORD, labels.ASK_CONFIRMATION, labels.EXECUTE_VERIFIED, labels.OFFLINE_ROUTE}
)
CLARIFIES: Final = frozenset({labels.CLARIFY_WITH_CANDIDATES, labels.CLARIFY_MISSING_SLOT, "FALLBACK_CLARIFICATION"})
RETRIES: Final = frozenset({labels.RETRY_THEN_ANSWER, labels.RETRY_THEN_DEGRADE})
REFUSES: Final = frozenset(
    {labels.SAFE_REJECT_OR_DEGRADE, labels.REJECT_INPUT, labels.REJECT_PERMISSION, labels.EXPLAIN}
)
MOVES: Final = frozenset({labels.ASK_CONFIRMATION, labels.EXECUTE_VERIFIED})


@dataclass(frozen=True, slots=True)
class Proposal:
    """`file` and `key` of the policy folder; what to change there, in both languages."""

    file: str
    key: str
    zh: str
    en: str


@dataclass(frozen=True, slots=True)
class _Row:
    fits: Callable[[Verdict], bool]
    proposal: Proposal


def _between(expected: frozenset[str], observed: frozenset[str]) -> Callable[[Verdict], bool]:
    return lambda v: v.expected in expected and v.observed in observed


def _retryable(verdict: Verdict) -> bool:
    return verdict.expected in RETRIES and any(code in RETRYABLE_ERROR_CODES for code in verdict.codes)


TABLE: Final[tuple[_Row, ...]] = (
    _Row(
        lambda v: v.misfired > 0 or _between(REFUSES, MOVES)(v),
        Proposal(
            "refusals.toml",
            "rule",
            "加一条拒绝规则，写明动作、物品或角色；再看确认环节为何放行",
            "add a refusal rule with action, item or role; then see why the confirmation let it pass",
        ),
    ),
    _Row(
        _between(frozenset({labels.RETRY_THEN_ANSWER}), frozenset({labels.RETRY_THEN_DEGRADE})),
        Proposal(
            "retry.toml",
            "default.max_attempts",
            "重试次数太少：调大 max_attempts（查询类，最多 10）",
            "too few attempts: raise max_attempts (query tools, 10 at most)",
        ),
    ),
    _Row(
        _retryable,
        Proposal(
            "codes.toml",
            "retryable",
            "错误码不在可重试名单里，或 max_attempts 为 1：加入该码并允许多次尝试",
            "the code is not on the whitelist, or max_attempts is 1: add it and allow several attempts",
        ),
    ),
    _Row(
        _between(CLARIFIES, ACTS | {labels.EXPLAIN}),
        Proposal(
            "thresholds.toml",
            "min_margin",
            "没问清就动手：调高 min_margin 或 min_top_score",
            "it acted where it should have asked: raise min_margin or min_top_score",
        ),
    ),
    _Row(
        _between(ACTS, CLARIFIES),
        Proposal(
            "thresholds.toml",
            "min_top_score",
            "问得太多：调低 min_top_score 或 min_margin",
            "it asks too much: lower min_top_score or min_margin",
        ),
    ),
    _Row(
        lambda v: v.observed == labels.EXPLAIN and v.expected in ACTS | {"PROPOSE_MOTION"},
        Proposal(
            "phrases",
            "phrase",
            "这句话没有被听懂：在短语包里加一条",
            "the sentence was not understood: add a phrase to a pack",
        ),
    ),
    _Row(
        lambda v: v.kind == "sentence",
        Proposal(
            "phrases",
            "phrase",
            "理解与标签不同：检查短语包，或补一条短语",
            "read otherwise than labelled: look at the phrase packs, or add a phrase",
        ),
    ),
    _Row(
        lambda v: "SEMANTIC_UNSUPPORTED" in v.codes or "INSUFFICIENT_EVIDENCE" in v.codes,
        Proposal(
            "causes.toml",
            "cause.needs",
            "原因表里没有这个证据：补上 needs，或去掉站不住的原因",
            "the cause table lacks this evidence: add to needs, or drop a cause that does not stand",
        ),
    ),
)
NOT_A_POLICY: Final = Proposal(
    "-",
    "-",
    "没有策略文件能改变它：先看差异，再看日志",
    "no policy file changes this: look at the difference, then at the journal",
)


def proposal(verdict: Verdict) -> Proposal:
    return next((row.proposal for row in TABLE if row.fits(verdict)), NOT_A_POLICY)


def proposals(verdicts: Iterable[Verdict]) -> tuple[tuple[Verdict, Proposal], ...]:
    """Of the failing ones, in their order."""
    return tuple((verdict, proposal(verdict)) for verdict in verdicts if not verdict.passed)


def regression(verdict: Verdict, line: Mapping[str, Any] | None) -> str:
    """The line that will notice if it comes back, as JSON; `line` is the failing one where its file is still there."""
    known = dict(line) if line is not None else {"text": verdict.text, "case": verdict.case}
    key = "disposition" if verdict.kind == "sentence" else "expected"
    known |= {"id": f"{verdict.id}-again", "why": f"It came out as {verdict.observed} once."}
    known.setdefault(key, verdict.expected)
    return json.dumps(known, ensure_ascii=False)
