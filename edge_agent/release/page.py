"""What every content is built with: the texts, the reader, the traces and evidence it stands on. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from edge_agent.messages.content_base import NextStep, ToolEvidence
from edge_agent.messages.wire import Scalar
from edge_agent.release import steps
from edge_agent.release.audience import Audience
from edge_agent.release.facts import spoken
from edge_agent.release.texts import Fact, Facts, Texts

MAX_TEXT_CHARS: Final = 4000
MAX_LINE_CHARS: Final = 512
MAX_EVIDENCE: Final = 16


@dataclass(frozen=True, slots=True)
class Traces:
    """The ids a content carries, and the tool calls it rests on (the newest sixteen are shown)."""

    trace_id: str
    parse_trace_id: str
    evidence: tuple[ToolEvidence, ...] = ()

    @property
    def shown(self) -> tuple[ToolEvidence, ...]:
        return self.evidence[-MAX_EVIDENCE:]


@dataclass(frozen=True, slots=True)
class Page:
    """One language and one reader. `say` fills a text with the facts in the reader's words."""

    texts: Texts
    audience: Audience

    def facts(self, given: Mapping[str, Fact | None]) -> Facts:
        """Facts that are known (`None` is not), in the reader's words, with those every text may use."""
        return spoken(self.texts, self.audience, {k: v for k, v in given.items() if v is not None})

    def say(self, key: str, facts: Facts | None = None) -> str:
        return self.texts.say(key, facts)

    def steps(self, names: Iterable[str], facts: Facts) -> tuple[NextStep, ...]:
        return steps.next_steps(self.texts, self.audience, names, facts)

    def with_steps(self, sentences: Iterable[str], ways_on: tuple[NextStep, ...]) -> str:
        """Sentences on one line, then the steps, one a line."""
        first = self.texts.say("layout.sentence_join").join(s for s in sentences if s)
        if not ways_on:
            return fit(first)
        return lines(first, self.texts.say("layout.you_can"), *steps.step_lines(self.texts, ways_on))

    def bullets(self, heading: str, items: Iterable[str]) -> list[str]:
        """A headed list, or nothing where there are no items."""
        told = [self.say("layout.bullet", {"text": item}) for item in items]
        return [self.say(heading), *told] if told else []

    def pairs(self, values: Mapping[str, Scalar]) -> str:
        """`name value` pairs that a technician compares, in the order given."""
        told = [f"{self.texts.word('slot', name)} {value}" for name, value in values.items() if value is not None]
        return self.texts.say("layout.command_join").join(told)


def lines(*parts: str) -> str:
    return fit("\n".join(part for part in parts if part))


def fit(text: str, limit: int = MAX_TEXT_CHARS) -> str:
    """`text`, cut where it would break the message's bound."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def line(text: str) -> str:
    return fit(text, MAX_LINE_CHARS)
