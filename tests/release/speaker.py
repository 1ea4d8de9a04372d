"""`Words`: every content's builder as a method of one page, so that a test speaks in one breath."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar, get_args

from edge_agent.messages.codes import FailureCode, Lang, Role
from edge_agent.messages.event import Failure
from edge_agent.release import answers, movements, prompts, rejections, reports, views
from edge_agent.release.audience import Audience
from edge_agent.release.page import Page, Traces
from edge_agent.release.texts import Facts, texts

LANGS: tuple[Lang, ...] = get_args(Lang)
ROLES: tuple[Role | None, ...] = (None, *get_args(Role))
TRACES = Traces("run-1", "parse-1")
PROMPT = "prompt-0001"

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
        return cls(Page(texts(lang), audience or Audience()))

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


def words(lang: Lang, role: Role | None = "operator", *, simulated: bool = True) -> Words:
    return Words.load(lang).to(Audience(role=role, simulated=simulated))
