"""The shipped lines: every one says why it is there, and together they cover what can be expected."""

from __future__ import annotations

from edge_agent.cases import labels
from edge_agent.cases.files import read_paths
from edge_agent.cases.line import CaseLine
from edge_agent.cases.switched_off import HERE
from edge_agent.messages.codes import RETRYABLE_ERROR_CODES
from edge_agent.places import Place, packaged

PLACED = read_paths([packaged(Place.CASES)])
CASES = [(p.id, p.line) for p in PLACED if isinstance(p.line, CaseLine)]


def test_every_case_has_an_id_of_its_own_and_a_reason() -> None:
    assert [id_ for id_, line in CASES if line.id is None or not line.why] == []


def test_the_four_lines_of_the_format_come_first() -> None:
    seed = [line.case for _, line in CASES if line.id is not None and line.id.startswith("seed-")]
    assert seed[:4] == ["CONTROL_TOOL_FAIL", "QUERY_TOOL_TIMEOUT", "INTENT_AMBIGUOUS", "LLM_DOWN"]


def test_every_telling_expectation_has_a_case() -> None:
    expected = {line.expected for _, line in CASES}
    assert set(labels.SPECIFIC) - expected == set()


def test_every_code_that_may_be_tried_again_has_a_case_on_both_sides() -> None:
    exhausted = {c for _, line in CASES if line.expected == labels.RETRY_THEN_DEGRADE for c in line.scripted_codes}
    control = {c for _, line in CASES if line.expected == labels.SAFE_REJECT_OR_DEGRADE for c in line.scripted_codes}
    assert exhausted >= RETRYABLE_ERROR_CODES
    assert control >= RETRYABLE_ERROR_CODES


def test_every_mechanism_is_guarded_by_a_line_that_names_it() -> None:
    named = {mechanism for _, line in CASES for mechanism in line.mechanisms}
    assert HERE - named == set()
