"""What is shown of a run that came to something: one flat sheet, whatever its kind. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from edge_agent.hmi.talk import Exchange
from edge_agent.hmi.texts import Words
from edge_agent.messages.content import Answer, Content, Diagnosis, Motion, RejectionContent, Stop
from edge_agent.messages.content_base import NextStep, ToolEvidence
from edge_agent.messages.prompt import Confirmation
from edge_agent.messages.wire import Scalar

Pairs: TypeAlias = tuple[tuple[str, str], ...]
Proofs: TypeAlias = tuple[tuple[str, Pairs], ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    title: str
    text: str
    outcome: str = ""
    tags: tuple[str, ...] = ()
    lists: tuple[tuple[str, tuple[str, ...]], ...] = ()
    steps: tuple[NextStep, ...] = ()
    evidence: Proofs = ()


def sheet(exchange: Exchange, words: Words) -> Sheet:
    """For an exchange that has a content or a failure, or of which nothing more will be heard."""
    if exchange.failure is not None:
        return Sheet(words.say("kind.failure"), exchange.failure.text, tags=(exchange.failure.code.value,))
    content = exchange.content
    if content is None:
        return Sheet(words.say("kind.failure"), words.say(f"unheard.{exchange.unheard}"))
    return Sheet(
        title=words.word("kind", content.kind.value),
        text=_text(content),
        outcome=_outcome(exchange, words),
        tags=_tags(content, words),
        lists=_lists(content, words),
        steps=getattr(content, "next_steps", ()),
        evidence=tuple((_named(each, words), _proof(each)) for each in content.evidence) + _receipt(content, words),
    )


def _text(content: Content) -> str:
    """A confirmation is told in full by its card while it is open; afterwards its first line says what it was."""
    return content.text.splitlines()[0] if isinstance(content, Confirmation) else content.text


def _outcome(exchange: Exchange, words: Words) -> str:
    done = exchange.done
    if done is None:
        return ""
    if done.fallback_type is not None:
        return words.word("fallback", done.fallback_type.value)
    return words.word("outcome", done.outcome.value)


def _tags(content: Content, words: Words) -> tuple[str, ...]:
    match content:
        case Answer(degraded=True):
            return (words.say("talk.degraded"),)
        case Motion() | Stop() if content.command_state is not None:
            return (words.word("command_state", content.command_state),)
        case RejectionContent():
            return (content.error.code.value,)
        case _:
            return ()


def _lists(content: Content, words: Words) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What the text does not already say in full."""
    match content:
        case RejectionContent(advice=advice) if advice:
            return ((words.say("talk.advice"), advice),)
        case Diagnosis():
            return ()
        case _:
            return ()


def _named(each: ToolEvidence, words: Words) -> str:
    named = words.word("what", each.tool_name)
    return f"{named} · {words.say('talk.attempt', attempt=each.attempt, most=each.max_attempts)}"


def _proof(each: ToolEvidence) -> Pairs:
    failed = ", ".join(a.error_code.value for a in each.meta.attempts)
    told: dict[str, Scalar] = {
        "status": f"{each.invocation_status.value} / {each.evidence_status.value}",
        **({"error": each.error.code.value} if each.error is not None else {}),
        **({"earlier": failed} if failed else {}),
        **each.facts,
        "ms": round(each.duration_ms, 1),
        "trace": each.trace_id,
    }
    return _pairs(told)


def _receipt(content: Content, words: Words) -> tuple[tuple[str, Pairs], ...]:
    if not isinstance(content, Motion | Stop):
        return ()
    parts = (
        ("talk.intended", content.intended),
        ("talk.read_back", content.end_state),
        ("kind.motion", content.receipt),
    )
    counted = words.say("talk.frames", count=content.frames_on_wire)
    return (*((words.say(key), _pairs(values)) for key, values in parts if values), (counted, ()))


def _pairs(values: Mapping[str, Scalar]) -> Pairs:
    return tuple((name, str(value)) for name, value in values.items() if value is not None)
