"""The closed list of what a case can expect. Pure; `expect` says what each asserts."""

from __future__ import annotations

from typing import Final

from edge_agent.messages.codes import FallbackType

SAFE_REJECT_OR_DEGRADE: Final = "SAFE_REJECT_OR_DEGRADE"
RETRY_THEN_DEGRADE: Final = "RETRY_THEN_DEGRADE"
RETRY_THEN_ANSWER: Final = "RETRY_THEN_ANSWER"
CLARIFY_WITH_CANDIDATES: Final = "CLARIFY_WITH_CANDIDATES"
CLARIFY_MISSING_SLOT: Final = "CLARIFY_MISSING_SLOT"
OFFLINE_ROUTE: Final = "OFFLINE_ROUTE"
ANSWER: Final = "ANSWER"
RECORD: Final = "RECORD"
EXPLAIN: Final = "EXPLAIN"
ASK_CONFIRMATION: Final = "ASK_CONFIRMATION"
EXECUTE_VERIFIED: Final = "EXECUTE_VERIFIED"
STOP_NOW: Final = "STOP_NOW"
LOCKOUT: Final = "LOCKOUT"
REJECT_PERMISSION: Final = "REJECT_PERMISSION"
REJECT_INPUT: Final = "REJECT_INPUT"
REJECT_STALE: Final = "REJECT_STALE"
REJECT_DUPLICATE: Final = "REJECT_DUPLICATE"
RELEASE_SUCCESS: Final = "RELEASE_SUCCESS"
RELEASE_FAILED: Final = "RELEASE_FAILED"
RELEASE_CANCELLED: Final = "RELEASE_CANCELLED"
FALLBACKS: Final = tuple(f"FALLBACK_{kind.value}" for kind in FallbackType)

SPECIFIC: Final = (
    REJECT_PERMISSION,
    REJECT_INPUT,
    REJECT_STALE,
    REJECT_DUPLICATE,
    SAFE_REJECT_OR_DEGRADE,
    RETRY_THEN_DEGRADE,
    RETRY_THEN_ANSWER,
    CLARIFY_WITH_CANDIDATES,
    CLARIFY_MISSING_SLOT,
    OFFLINE_ROUTE,
    ANSWER,
    RECORD,
    EXPLAIN,
    ASK_CONFIRMATION,
    EXECUTE_VERIFIED,
    STOP_NOW,
    LOCKOUT,
)
"""Most telling first: what a record is called in the confusion table is the first of these that holds."""
GENERAL: Final = (RELEASE_FAILED, RELEASE_CANCELLED, *FALLBACKS, RELEASE_SUCCESS)
"""An outcome alone; many records share one."""
ALL: Final = (*SPECIFIC, *GENERAL)

ALSO_SAFE_REJECT: Final = frozenset({REJECT_PERMISSION, REJECT_INPUT, REJECT_STALE, REJECT_DUPLICATE})
"""The only ones that a record of another expectation may also satisfy: `SAFE_REJECT_OR_DEGRADE`."""
