"""Each kind of failure points to the file that would change it, and leaves a line behind."""

from __future__ import annotations

import json
from typing import Any

import pytest

from edge_agent.cases.line import parse_line
from edge_agent.cases.suggest import NOT_A_POLICY, proposal, proposals, regression
from edge_agent.cases.verdict import Verdict


def failed(expected: str, observed: str, **more: Any) -> Verdict:
    given = {"id": "x", "file": "f", "line": 1, "kind": "pipeline", "case": "C", "text": "t", "passed": False}
    return Verdict.model_validate({**given, "expected": expected, "observed": observed, **more})


@pytest.mark.parametrize(
    ("verdict", "file"),
    [
        (failed("SAFE_REJECT_OR_DEGRADE", "ASK_CONFIRMATION"), "refusals.toml"),
        (failed("EXPLAIN", "OTHER", misfired=1), "refusals.toml"),
        (failed("RETRY_THEN_ANSWER", "RETRY_THEN_DEGRADE", codes=("TIMEOUT",)), "retry.toml"),
        (failed("RETRY_THEN_ANSWER", "FALLBACK_DEGRADED_ANSWER", codes=("RATE_LIMIT",)), "codes.toml"),
        (failed("CLARIFY_WITH_CANDIDATES", "ANSWER"), "thresholds.toml"),
        (failed("ANSWER", "CLARIFY_WITH_CANDIDATES"), "thresholds.toml"),
        (failed("ANSWER", "EXPLAIN"), "phrases"),
        (failed("ANSWER", "EXPLAIN", kind="sentence"), "phrases"),
        (failed("RELEASE_SUCCESS", "OTHER", codes=("SEMANTIC_UNSUPPORTED",)), "causes.toml"),
        (failed("STOP_NOW", "OTHER"), NOT_A_POLICY.file),
    ],
)
def test_what_a_failure_points_to(verdict: Verdict, file: str) -> None:
    assert proposal(verdict).file == file


def test_only_failing_lines_get_a_proposal() -> None:
    good = failed("ANSWER", "ANSWER").model_copy(update={"passed": True})
    assert [v.expected for v, _ in proposals([good, failed("STOP_NOW", "OTHER")])] == ["STOP_NOW"]


@pytest.mark.parametrize("line", [None, {"text": "t", "case": "C", "expected": "ANSWER", "faults": ["query.empty"]}])
def test_the_regression_line_is_one(line: dict[str, Any] | None) -> None:
    told = regression(failed("ANSWER", "EXPLAIN"), line)
    parsed = parse_line("x", 1, told)
    assert parsed.id == "x-again"
    assert json.loads(told)["expected"] == "ANSWER"
