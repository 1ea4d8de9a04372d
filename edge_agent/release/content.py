"""`Words`: the one object that turns plain, verified inputs into the contents an operator is sent. Pure.

`Words.load(lang)` once a language at start; `words.to(audience)` for each reader; then one method a content kind, each
with the keywords of the function it is bound to. Every method takes `Traces` first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from edge_agent.messages.codes import ErrorCode, FailureCode, FallbackType, Lang
from edge_agent.messages.event import Failure
from edge_agent.messages.rejection import RejectionName
from edge_agent.release import answers, explanations, movements, prompts, rejections, reports, views
from edge_agent.release.audience import Audience
from edge_agent.release.page import Page
from edge_agent.release.refusals import BY_CODE, REFUSALS
from edge_agent.release.texts import Facts, require, texts
from edge_agent.run.collection import StopReason
from edge_agent.safety.cell import CellState
from edge_agent.safety.command import CommandState
from edge_agent.safety.permission import Role
from offline_rules.reading import Intent

P = ParamSpec("P")
T = TypeVar("T")


def _bound(build: Callable[Concatenate[Page, P], T]) -> Callable[Concatenate[Words, P], T]:
    """A builder as a method: its own signature, with the page of this object."""

    @wraps(build)
    def method(self: Words, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return build(self.page, *args, **kwargs)

    return method


@dataclass(frozen=True, slots=True)
class Words:
    page: Page

    @classmethod
    def load(cls, lang: Lang, audience: Audience | None = None) -> Words:
        """Checked texts of a language. Raises `WordingError` where anything that can be said has no words."""
        loaded = texts(lang)
        require(loaded, _needed())
        require(loaded, _needed_bare(), bare=True)
        return cls(Page(loaded, audience or Audience()))

    def to(self, audience: Audience) -> Words:
        return replace(self, page=replace(self.page, audience=audience))

    @property
    def lang(self) -> Lang:
        return self.page.texts.lang

    def say(self, key: str, facts: Facts | None = None) -> str:
        """A single text (`advice.heading`, `action.home`) with its facts in the reader's words."""
        return self.page.say(key, self.page.facts(facts or {}))

    def failure(self, code: FailureCode, trace_id: str) -> Failure:
        """What is said when nothing can be released; never an exception's text."""
        return Failure(code=code, text=self.say(f"failure.{code.value}"), trace_id=trace_id)

    answer = _bound(answers.answer)
    no_entry = _bound(answers.no_entry)
    ask_a_person = _bound(answers.ask_a_person)
    record = _bound(answers.record)
    explanation = _bound(answers.explanation)
    done_ack = _bound(answers.done_ack)
    rejection = _bound(rejections.rejection)
    clarification = _bound(prompts.clarification)
    confirmation = _bound(prompts.confirmation)
    motion = _bound(movements.motion)
    stop = _bound(movements.stop)
    diagnosis = _bound(reports.diagnosis)
    session = _bound(views.session)
    history = _bound(views.history)
    timeline = _bound(views.timeline)


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


DIAGNOSIS_FALLBACKS = (
    FallbackType.INSUFFICIENT_EVIDENCE,
    FallbackType.MISSING_REQUIRED_CONTEXT,
    FallbackType.EVIDENCE_VALIDATION_FAILED,
    FallbackType.SEMANTIC_UNSUPPORTED,
    FallbackType.SEMANTIC_UNAVAILABLE,
)
