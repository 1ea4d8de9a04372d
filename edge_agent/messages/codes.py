"""The closed word lists that cross a wire, the journal and the documentation. Pure; imports nothing of the agent.

A word is added here, or it does not exist. Words that another room owns (run and cell states, stop reasons) are
not here; `edge_agent.messages.states` names them for the schemas.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal, TypeAlias

Lang: TypeAlias = Literal["zh", "en"]
Role: TypeAlias = Literal["viewer", "student", "operator", "technician"]


class ErrorCode(StrEnum):
    """What went wrong, for a program. The text beside it is for a person."""

    TIMEOUT = "TIMEOUT"
    SERVICE_UNAVAILABLE = "SERVICE_UNAVAILABLE"
    RATE_LIMIT = "RATE_LIMIT"
    CONNECTION_ERROR = "CONNECTION_ERROR"
    INPUT_INVALID = "INPUT_INVALID"
    PERMISSION_DENIED = "PERMISSION_DENIED"
    NOT_FOUND = "NOT_FOUND"
    INTERLOCK_OPEN = "INTERLOCK_OPEN"
    LOCKED_OUT = "LOCKED_OUT"
    RECEIPT_MISSING = "RECEIPT_MISSING"
    RECEIPT_LATE = "RECEIPT_LATE"
    RECEIPT_MISMATCH = "RECEIPT_MISMATCH"
    RECEIPT_REJECTED = "RECEIPT_REJECTED"
    DEVICE_FAULT = "DEVICE_FAULT"
    OUTCOME_UNKNOWN = "OUTCOME_UNKNOWN"
    DUPLICATE_SCOPE = "DUPLICATE_SCOPE"
    STALE_REQUEST = "STALE_REQUEST"
    DUPLICATE_REQUEST = "DUPLICATE_REQUEST"
    RESULT_TOO_LARGE = "RESULT_TOO_LARGE"
    PROJECTION_FAILED = "PROJECTION_FAILED"
    STORE_FAILED = "STORE_FAILED"
    BUDGET_EXHAUSTED = "BUDGET_EXHAUSTED"
    RUN_INACTIVE = "RUN_INACTIVE"
    MODEL_UNAVAILABLE = "MODEL_UNAVAILABLE"
    MODEL_TIMEOUT = "MODEL_TIMEOUT"
    MODEL_OUTPUT_ILLEGAL = "MODEL_OUTPUT_ILLEGAL"
    TOOL_EXECUTION_ERROR = "TOOL_EXECUTION_ERROR"
    """A tool raised: the tool is to blame."""
    INTERNAL = "INTERNAL"
    """We raised: the agent is to blame."""


RETRYABLE_ERROR_CODES: Final[frozenset[ErrorCode]] = frozenset(
    {ErrorCode.TIMEOUT, ErrorCode.SERVICE_UNAVAILABLE, ErrorCode.RATE_LIMIT, ErrorCode.CONNECTION_ERROR}
)
"""The only codes any policy may try again; a policy may name fewer, never others."""


class RetryDecision(StrEnum):
    """Why a failed attempt is, or is not, tried again. A success carries none."""

    RETRY = "retry"
    NON_RETRYABLE = "no_retry_non_retryable"
    REACH_MAX_ATTEMPTS = "no_retry_reach_max_attempts"
    CONTROL = "no_retry_control"
    BUDGET = "no_retry_budget"
    DEADLINE = "no_retry_deadline"


class InvocationStatus(StrEnum):
    """Did the call work? `PROJECTING` is the state in between and is never published."""

    PROJECTING = "PROJECTING"
    READY = "READY"
    ERROR = "ERROR"


class EvidenceStatus(StrEnum):
    """What the call shows. `NO_EVIDENCE` proves that its own scope is empty and nothing else."""

    EVIDENCE_FOUND = "EVIDENCE_FOUND"
    NO_EVIDENCE = "NO_EVIDENCE"
    ERROR = "ERROR"


class ReleaseOutcome(StrEnum):
    """What the operator may see."""

    SUCCESS = "SUCCESS"
    FALLBACK = "FALLBACK"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class FallbackType(StrEnum):
    MISSING_REQUIRED_CONTEXT = "MISSING_REQUIRED_CONTEXT"
    INSUFFICIENT_EVIDENCE = "INSUFFICIENT_EVIDENCE"
    EVIDENCE_VALIDATION_FAILED = "EVIDENCE_VALIDATION_FAILED"
    SEMANTIC_UNSUPPORTED = "SEMANTIC_UNSUPPORTED"
    SEMANTIC_UNAVAILABLE = "SEMANTIC_UNAVAILABLE"
    SAFE_REJECTION = "SAFE_REJECTION"
    CLARIFICATION = "CLARIFICATION"
    DEGRADED_ANSWER = "DEGRADED_ANSWER"
    CONFIRMATION_REQUIRED = "CONFIRMATION_REQUIRED"
    COMMAND_NOT_VERIFIED = "COMMAND_NOT_VERIFIED"


class FailureCode(StrEnum):
    """Why nothing could be released."""

    RUN_CANCELLED = "RUN_CANCELLED"
    RUN_TIMED_OUT = "RUN_TIMED_OUT"
    BUDGET_EXHAUSTED = "BUDGET_EXHAUSTED"
    RUN_PERSISTENCE_FAILED = "RUN_PERSISTENCE_FAILED"
    ROUTING_UNAVAILABLE = "ROUTING_UNAVAILABLE"
    INTERNAL_FAILURE = "INTERNAL_FAILURE"


class ContentKind(StrEnum):
    ANSWER = "answer"
    RECORD = "record"
    DIAGNOSIS = "diagnosis"
    EXPLANATION = "explanation"
    CLARIFICATION = "clarification"
    CONFIRMATION = "confirmation"
    REJECTION = "rejection"
    MOTION = "motion"
    STOP = "stop"
    SESSION = "session"
    HISTORY = "history"
    TIMELINE = "timeline"
    DONE_ACK = "done_ack"


class Phase(StrEnum):
    """What a run is doing now (`status` events). Waiting for a person is no phase: a prompt ends its run."""

    UNDERSTANDING = "UNDERSTANDING"
    QUERYING = "QUERYING"
    RETRYING = "RETRYING"
    DEGRADING = "DEGRADING"
    RECORDING = "RECORDING"
    COLLECTING = "COLLECTING"
    DRAFTING = "DRAFTING"
    SAFETY_VALIDATING = "SAFETY_VALIDATING"
    CHECKING_CELL = "CHECKING_CELL"
    DISPATCHING = "DISPATCHING"
    AWAITING_RECEIPT = "AWAITING_RECEIPT"
    EXECUTING = "EXECUTING"
    VERIFYING = "VERIFYING"
    STOPPING = "STOPPING"
