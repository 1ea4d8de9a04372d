"""What may be published for what happened: two tables, and nothing else decides it. Pure; fails closed.

A run that ended by its own deadline, budget or cancel keeps that `RunState`; a fallback is only ever built of
verified facts. No verified fact, no friendly-looking success.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from edge_agent.messages.codes import FailureCode, FallbackType, ReleaseOutcome
from edge_agent.run.lifecycle import RunState

StoredStatus: TypeAlias = Literal["SUCCESS", "FAILED", "CANCELLED"]


@dataclass(frozen=True, slots=True)
class Release:
    """The four views of one request that the release decides. `failure` is set exactly where nothing is shown
    but a failure; `silent` where nothing at all may be sent."""

    run_state: RunState
    outcome: ReleaseOutcome
    fallback: FallbackType | None = None
    failure: FailureCode | None = None
    silent: bool = False


class Happened(StrEnum):
    """Everything a run that is no diagnosis can come to."""

    ANSWERED_LIVE = "ANSWERED_LIVE"
    ANSWERED_FROM_COPY = "ANSWERED_FROM_COPY"
    NOTHING_FOUND = "NOTHING_FOUND"
    """Live store and offline copy were both readable and both empty."""
    QUERY_FAILED = "QUERY_FAILED"
    """All attempts failed and the offline copy has no entry: ask a person."""
    RECORDED = "RECORDED"
    RECORD_FAILED = "RECORD_FAILED"
    EXPLAINED = "EXPLAINED"
    CONTROL_WITHOUT_MODEL = "CONTROL_WITHOUT_MODEL"
    CLARIFICATION = "CLARIFICATION"
    CONFIRMATION = "CONFIRMATION"
    REFUSED = "REFUSED"
    """Role, input, interlock, cell state, stale, nonce, declined, arm unavailable before sending, REJECTED."""
    COMMAND_VERIFIED = "COMMAND_VERIFIED"
    COMMAND_NOT_VERIFIED = "COMMAND_NOT_VERIFIED"
    STOP_PROVED = "STOP_PROVED"
    STOP_NOT_PROVED = "STOP_NOT_PROVED"
    SERVED = "SERVED"
    """resync, history, explain, cancel, acknowledgement, release of a stop, lab."""


class Ending(StrEnum):
    """How a diagnosis, or any run that broke off, came to its release."""

    CONCLUSION = "CONCLUSION"
    EVIDENCE_GUARD_FAILED = "EVIDENCE_GUARD_FAILED"
    SEMANTIC_UNSUPPORTED = "SEMANTIC_UNSUPPORTED"
    SEMANTIC_UNAVAILABLE = "SEMANTIC_UNAVAILABLE"
    NO_CONCLUSION = "NO_CONCLUSION"
    STOPPED = "STOPPED"
    """Saturated, protocol violated, model unavailable."""
    STOPPED_BY_BUDGET = "STOPPED_BY_BUDGET"
    INVALID_DRAFT = "INVALID_DRAFT"
    DEADLINE = "DEADLINE"
    EXECUTION_FAILED = "EXECUTION_FAILED"
    STORE_FAILED = "STORE_FAILED"
    ROUTING_UNAVAILABLE = "ROUTING_UNAVAILABLE"
    OPERATOR_CANCELLED = "OPERATOR_CANCELLED"
    CLIENT_GONE = "CLIENT_GONE"


class Basis(StrEnum):
    """What stands on verified ground. An empty scope is a fact too, but a thin one."""

    FACTS = "FACTS"
    EMPTY_SCOPES = "EMPTY_SCOPES"
    NOTHING = "NOTHING"


_RUN = RunState
_OUT = ReleaseOutcome
_FB = FallbackType
_FC = FailureCode

_SUCCESS: Final = Release(_RUN.SUCCESS, _OUT.SUCCESS)


def _fallback(kind: FallbackType, run: RunState = RunState.SUCCESS) -> Release:
    return Release(run, ReleaseOutcome.FALLBACK, fallback=kind)


def _failed(code: FailureCode, run: RunState = RunState.FAILED) -> Release:
    return Release(run, ReleaseOutcome.FAILED, failure=code)


HAPPENED: Final[Mapping[Happened, Release]] = {
    Happened.ANSWERED_LIVE: _SUCCESS,
    Happened.ANSWERED_FROM_COPY: _fallback(_FB.DEGRADED_ANSWER),
    Happened.NOTHING_FOUND: _fallback(_FB.INSUFFICIENT_EVIDENCE),
    Happened.QUERY_FAILED: _fallback(_FB.DEGRADED_ANSWER),
    Happened.RECORDED: _SUCCESS,
    Happened.RECORD_FAILED: _fallback(_FB.SAFE_REJECTION),
    Happened.EXPLAINED: _SUCCESS,
    Happened.CONTROL_WITHOUT_MODEL: _fallback(_FB.SAFE_REJECTION),
    Happened.CLARIFICATION: _fallback(_FB.CLARIFICATION),
    Happened.CONFIRMATION: _fallback(_FB.CONFIRMATION_REQUIRED),
    Happened.REFUSED: _fallback(_FB.SAFE_REJECTION),
    Happened.COMMAND_VERIFIED: _SUCCESS,
    Happened.COMMAND_NOT_VERIFIED: _fallback(_FB.COMMAND_NOT_VERIFIED, _RUN.FAILED),
    Happened.STOP_PROVED: _SUCCESS,
    Happened.STOP_NOT_PROVED: _fallback(_FB.COMMAND_NOT_VERIFIED, _RUN.FAILED),
    Happened.SERVED: _SUCCESS,
}

WITH_FACTS: Final[Mapping[Ending, Release]] = {
    Ending.CONCLUSION: _SUCCESS,
    Ending.EVIDENCE_GUARD_FAILED: _fallback(_FB.EVIDENCE_VALIDATION_FAILED),
    Ending.SEMANTIC_UNSUPPORTED: _fallback(_FB.SEMANTIC_UNSUPPORTED),
    Ending.SEMANTIC_UNAVAILABLE: _fallback(_FB.SEMANTIC_UNAVAILABLE),
    Ending.NO_CONCLUSION: _fallback(_FB.INSUFFICIENT_EVIDENCE),
    Ending.STOPPED: _fallback(_FB.INSUFFICIENT_EVIDENCE),
    Ending.STOPPED_BY_BUDGET: _fallback(_FB.INSUFFICIENT_EVIDENCE, _RUN.BUDGET_EXHAUSTED),
    Ending.INVALID_DRAFT: _fallback(_FB.INSUFFICIENT_EVIDENCE),
    Ending.DEADLINE: _fallback(_FB.INSUFFICIENT_EVIDENCE, _RUN.TIMED_OUT),
    Ending.EXECUTION_FAILED: _failed(_FC.INTERNAL_FAILURE),
    Ending.STORE_FAILED: _failed(_FC.RUN_PERSISTENCE_FAILED),
    Ending.ROUTING_UNAVAILABLE: _failed(_FC.ROUTING_UNAVAILABLE),
    Ending.OPERATOR_CANCELLED: Release(_RUN.CANCELLED, _OUT.CANCELLED, failure=_FC.RUN_CANCELLED),
    Ending.CLIENT_GONE: Release(_RUN.CANCELLED, _OUT.CANCELLED, failure=_FC.RUN_CANCELLED, silent=True),
}

WITHOUT_FACTS: Final[Mapping[Ending, Release]] = {
    **WITH_FACTS,
    # A conclusion or a guard's verdict without one verified fact can only be a mistake of ours.
    Ending.CONCLUSION: _failed(_FC.INTERNAL_FAILURE),
    Ending.EVIDENCE_GUARD_FAILED: _failed(_FC.INTERNAL_FAILURE),
    Ending.SEMANTIC_UNSUPPORTED: _failed(_FC.INTERNAL_FAILURE),
    Ending.SEMANTIC_UNAVAILABLE: _failed(_FC.INTERNAL_FAILURE),
    Ending.NO_CONCLUSION: _failed(_FC.INTERNAL_FAILURE),
    Ending.STOPPED: _failed(_FC.INTERNAL_FAILURE),
    Ending.STOPPED_BY_BUDGET: _failed(_FC.BUDGET_EXHAUSTED, _RUN.BUDGET_EXHAUSTED),
    Ending.INVALID_DRAFT: _failed(_FC.INTERNAL_FAILURE),
    Ending.DEADLINE: _failed(_FC.RUN_TIMED_OUT, _RUN.TIMED_OUT),
}

CONTEXT_MISSING: Final[Mapping[Ending, Release]] = {
    Ending.NO_CONCLUSION: _fallback(_FB.MISSING_REQUIRED_CONTEXT),
    Ending.STOPPED: _fallback(_FB.MISSING_REQUIRED_CONTEXT),
    Ending.STOPPED_BY_BUDGET: _fallback(_FB.MISSING_REQUIRED_CONTEXT, _RUN.BUDGET_EXHAUSTED),
    Ending.INVALID_DRAFT: _fallback(_FB.MISSING_REQUIRED_CONTEXT),
}
"""No fact but empty scopes, because a target or a window was not given: it names what to add."""

_STORED: Final[Mapping[ReleaseOutcome, StoredStatus]] = {
    ReleaseOutcome.SUCCESS: "SUCCESS",
    ReleaseOutcome.FALLBACK: "SUCCESS",
    ReleaseOutcome.FAILED: "FAILED",
    ReleaseOutcome.CANCELLED: "CANCELLED",
}


def release(happened: Happened) -> Release:
    return HAPPENED[happened]


def diagnosis_release(ending: Ending, basis: Basis, *, context_missing: bool = False) -> Release:
    """`context_missing`: the question gave no target or no window. Also for every run that broke off."""
    if context_missing and basis is not Basis.FACTS and ending in CONTEXT_MISSING:
        return CONTEXT_MISSING[ending]
    return (WITHOUT_FACTS if basis is Basis.NOTHING else WITH_FACTS)[ending]


def stored_status(outcome: ReleaseOutcome) -> StoredStatus:
    """Was the request handled as it should be? A fallback is."""
    return _STORED[outcome]


def may_be_carried_on(outcome: ReleaseOutcome) -> bool:
    """Only a SUCCESS goes into the next turn's context; a fallback never does."""
    return outcome is ReleaseOutcome.SUCCESS
