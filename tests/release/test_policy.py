"""The release tables, row by row as they were agreed; a changed cell is seen here."""

from __future__ import annotations

import itertools

import pytest

from edge_agent.messages.codes import FailureCode, FallbackType, ReleaseOutcome
from edge_agent.release.policy import (
    Basis,
    Ending,
    Happened,
    Release,
    diagnosis_release,
    may_be_carried_on,
    release,
    stored_status,
)
from edge_agent.run.lifecycle import RunState

HAPPENED = """
ANSWERED_LIVE          SUCCESS SUCCESS  -
ANSWERED_FROM_COPY     SUCCESS FALLBACK DEGRADED_ANSWER
NOTHING_FOUND          SUCCESS FALLBACK INSUFFICIENT_EVIDENCE
QUERY_FAILED           SUCCESS FALLBACK DEGRADED_ANSWER
RECORDED               SUCCESS SUCCESS  -
RECORD_FAILED          SUCCESS FALLBACK SAFE_REJECTION
EXPLAINED              SUCCESS SUCCESS  -
CONTROL_WITHOUT_MODEL  SUCCESS FALLBACK SAFE_REJECTION
CLARIFICATION          SUCCESS FALLBACK CLARIFICATION
CONFIRMATION           SUCCESS FALLBACK CONFIRMATION_REQUIRED
REFUSED                SUCCESS FALLBACK SAFE_REJECTION
COMMAND_VERIFIED       SUCCESS SUCCESS  -
COMMAND_NOT_VERIFIED   FAILED  FALLBACK COMMAND_NOT_VERIFIED
STOP_PROVED            SUCCESS SUCCESS  -
STOP_NOT_PROVED        FAILED  FALLBACK COMMAND_NOT_VERIFIED
SERVED                 SUCCESS SUCCESS  -
"""

# ending, basis, context missing -> run state, outcome, fallback or failure
DIAGNOSIS = """
CONCLUSION             FACTS   no  SUCCESS SUCCESS -
EVIDENCE_GUARD_FAILED  FACTS   no  SUCCESS FALLBACK EVIDENCE_VALIDATION_FAILED
SEMANTIC_UNSUPPORTED   FACTS   no  SUCCESS FALLBACK SEMANTIC_UNSUPPORTED
SEMANTIC_UNAVAILABLE   FACTS   no  SUCCESS FALLBACK SEMANTIC_UNAVAILABLE
NO_CONCLUSION          FACTS   no  SUCCESS FALLBACK INSUFFICIENT_EVIDENCE
NO_CONCLUSION          FACTS   yes SUCCESS FALLBACK INSUFFICIENT_EVIDENCE
STOPPED                FACTS   no  SUCCESS FALLBACK INSUFFICIENT_EVIDENCE
STOPPED_BY_BUDGET      FACTS   no  BUDGET_EXHAUSTED FALLBACK INSUFFICIENT_EVIDENCE
STOPPED_BY_BUDGET      EMPTY_SCOPES no BUDGET_EXHAUSTED FALLBACK INSUFFICIENT_EVIDENCE
INVALID_DRAFT          FACTS   no  SUCCESS FALLBACK INSUFFICIENT_EVIDENCE
NO_CONCLUSION          EMPTY_SCOPES yes SUCCESS FALLBACK MISSING_REQUIRED_CONTEXT
STOPPED                EMPTY_SCOPES yes SUCCESS FALLBACK MISSING_REQUIRED_CONTEXT
STOPPED                NOTHING yes SUCCESS FALLBACK MISSING_REQUIRED_CONTEXT
STOPPED_BY_BUDGET      NOTHING yes BUDGET_EXHAUSTED FALLBACK MISSING_REQUIRED_CONTEXT
INVALID_DRAFT          EMPTY_SCOPES yes SUCCESS FALLBACK MISSING_REQUIRED_CONTEXT
NO_CONCLUSION          NOTHING no  FAILED FAILED INTERNAL_FAILURE
STOPPED                NOTHING no  FAILED FAILED INTERNAL_FAILURE
STOPPED_BY_BUDGET      NOTHING no  BUDGET_EXHAUSTED FAILED BUDGET_EXHAUSTED
INVALID_DRAFT          NOTHING no  FAILED FAILED INTERNAL_FAILURE
CONCLUSION             NOTHING no  FAILED FAILED INTERNAL_FAILURE
DEADLINE               FACTS   no  TIMED_OUT FALLBACK INSUFFICIENT_EVIDENCE
DEADLINE               EMPTY_SCOPES yes TIMED_OUT FALLBACK INSUFFICIENT_EVIDENCE
DEADLINE               NOTHING no  TIMED_OUT FAILED RUN_TIMED_OUT
DEADLINE               NOTHING yes TIMED_OUT FAILED RUN_TIMED_OUT
EXECUTION_FAILED       FACTS   no  FAILED FAILED INTERNAL_FAILURE
EXECUTION_FAILED       NOTHING yes FAILED FAILED INTERNAL_FAILURE
STORE_FAILED           FACTS   no  FAILED FAILED RUN_PERSISTENCE_FAILED
ROUTING_UNAVAILABLE    NOTHING no  FAILED FAILED ROUTING_UNAVAILABLE
OPERATOR_CANCELLED     FACTS   no  CANCELLED CANCELLED RUN_CANCELLED
CLIENT_GONE            FACTS   no  CANCELLED CANCELLED RUN_CANCELLED
"""


def rows(table: str) -> list[list[str]]:
    return [line.split() for line in table.strip().splitlines()]


def expected(state: str, outcome: str, detail: str) -> tuple[RunState, ReleaseOutcome, str | None]:
    return RunState(state), ReleaseOutcome(outcome), None if detail == "-" else detail


def seen(given: Release) -> tuple[RunState, ReleaseOutcome, str | None]:
    detail = given.fallback or given.failure
    return given.run_state, given.outcome, None if detail is None else str(detail)


@pytest.mark.parametrize("row", rows(HAPPENED), ids=lambda row: row[0])
def test_what_is_no_diagnosis(row: list[str]) -> None:
    name, *rest = row
    assert seen(release(Happened(name))) == expected(rest[0], rest[1], rest[2])


def test_the_table_names_everything_that_can_happen() -> None:
    assert {row[0] for row in rows(HAPPENED)} == set(Happened)
    assert {row[0] for row in rows(DIAGNOSIS)} == set(Ending)


@pytest.mark.parametrize("row", rows(DIAGNOSIS), ids=lambda row: "-".join(row[:3]))
def test_how_a_run_that_looked_into_something_ends(row: list[str]) -> None:
    ending, basis, missing, *rest = row
    given = diagnosis_release(Ending(ending), Basis(basis), context_missing=missing == "yes")
    assert seen(given) == expected(rest[0], rest[1], rest[2])


def every_release() -> list[tuple[Ending, Basis, bool, Release]]:
    pairs = itertools.product(Ending, Basis, (False, True))
    return [(e, b, m, diagnosis_release(e, b, context_missing=m)) for e, b, m in pairs]


def test_without_a_verified_fact_nothing_looks_like_a_success() -> None:
    for ending, basis, missing, given in every_release():
        if basis is Basis.NOTHING and given.outcome in (ReleaseOutcome.SUCCESS, ReleaseOutcome.FALLBACK):
            assert (given.fallback, missing) == (FallbackType.MISSING_REQUIRED_CONTEXT, True), ending


def test_a_failure_has_a_code_and_nothing_else_has() -> None:
    for _, _, _, given in every_release():
        shown = given.outcome in (ReleaseOutcome.SUCCESS, ReleaseOutcome.FALLBACK)
        assert (given.failure is None) == shown
        assert (given.fallback is not None) == (given.outcome is ReleaseOutcome.FALLBACK)


def test_only_a_gone_client_is_answered_with_silence() -> None:
    assert {ending for ending, _, _, given in every_release() if given.silent} == {Ending.CLIENT_GONE}


@pytest.mark.parametrize(
    ("outcome", "status", "carried"),
    [
        (ReleaseOutcome.SUCCESS, "SUCCESS", True),
        (ReleaseOutcome.FALLBACK, "SUCCESS", False),
        (ReleaseOutcome.FAILED, "FAILED", False),
        (ReleaseOutcome.CANCELLED, "CANCELLED", False),
    ],
)
def test_what_is_stored_and_what_goes_into_the_next_turn(outcome: ReleaseOutcome, status: str, carried: bool) -> None:
    assert (stored_status(outcome), may_be_carried_on(outcome)) == (status, carried)


def test_every_failure_code_but_none_other_can_be_reached() -> None:
    assert {given.failure for *_, given in every_release()} - {None} == set(FailureCode)
