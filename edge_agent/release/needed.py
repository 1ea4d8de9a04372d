"""Everything that can be said has its words: asked once a language when an agent is made. Pure."""

from __future__ import annotations

from edge_agent.messages.codes import ErrorCode, FailureCode, FallbackType
from edge_agent.messages.rejection import RejectionName
from edge_agent.release import explanations
from edge_agent.release.refusals import BY_CODE, REFUSALS
from edge_agent.release.texts import Texts, require
from edge_agent.run.collection import StopReason
from edge_agent.safety.cell import CellState
from edge_agent.safety.command import CommandState
from edge_agent.safety.permission import Role
from offline_rules.reading import Intent

DIAGNOSIS_FALLBACKS = (
    FallbackType.INSUFFICIENT_EVIDENCE,
    FallbackType.MISSING_REQUIRED_CONTEXT,
    FallbackType.EVIDENCE_VALIDATION_FAILED,
    FallbackType.SEMANTIC_UNSUPPORTED,
    FallbackType.SEMANTIC_UNAVAILABLE,
)


def check_needed(given: Texts) -> None:
    """Raises `WordingError` where anything that can be said has no words."""
    require(given, _needed())
    require(given, _needed_bare(), bare=True)


def _needed() -> list[str]:
    """Every word that a closed list of the program may ask for."""
    rows = [*REFUSALS.values(), *BY_CODE.values()]
    steps = {step for row in rows for step in row.steps} | {s for names in explanations.STEPS.values() for s in names}
    return [
        *(f"intent.{intent}" for intent in Intent),
        *(f"intent_example.{intent}" for intent in Intent),
        *(f"role.{role.word}" for role in Role),
        *(f"cell_state.{state}" for state in CellState),
        *(f"command_state.{state}" for state in CommandState),
        *(f"step.{name}.text" for name in sorted(steps)),
    ]


def _needed_bare() -> list[str]:
    """Texts that must be sayable whatever is known: nobody is left without an answer for want of a fact."""
    rows = [*REFUSALS.values(), *BY_CODE.values()]
    return [
        *(f"rejection.{reason}" for reason in REFUSALS),
        *(f"rejection.{name.value}" for name in RejectionName),
        *(f"error.{code.value}" for code in ErrorCode),
        *(f"not_done.{name}" for name in sorted({row.not_done for row in rows})),
        *(f"explanation.{reason}" for reason in explanations.STEPS),
        *(f"failure.{code.value}" for code in FailureCode),
        "record.feedback",
        "record.feedback_again",
        *(f"stop_reason.{reason.value}" for reason in StopReason),
        *(f"diagnosis_fallback.{kind}" for kind in DIAGNOSIS_FALLBACKS if kind != "MISSING_REQUIRED_CONTEXT"),
    ]
