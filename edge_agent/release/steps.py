"""The ways on that a refusal or an explanation offers: cut to what the reader may do and the cell has. Pure.

A step is a text `step.NAME.text` with, where a sentence does it, `step.NAME.example`. It is left out where its
reader may not do it, or where a fact it names is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from edge_agent.messages.content_base import NextStep
from edge_agent.release.audience import Audience
from edge_agent.release.texts import Facts, Texts
from edge_agent.safety.permission import Operation

MAX_STEPS: Final = 3

NEEDS_OPERATION: Final[Mapping[str, Operation]] = {
    "explicit_form": Operation.MOVE,
    "offline_explicit": Operation.MOVE,
    "say_again": Operation.MOVE,
    "say_command": Operation.MOVE,
    "pick_first": Operation.MOVE,
    "place_first": Operation.MOVE,
    "release_stop": Operation.RELEASE_STOP,
    "feedback": Operation.RECORD,
    "refresh_alarms": Operation.ACK_ALARM,
    "list_faults": Operation.INJECT_FAULT,
}
NOT_FOR_THOSE_WHO_MAY: Final[Mapping[str, Operation]] = {"operator_does": Operation.MOVE}
"""A way on through somebody else is no way for those who can do it themselves."""


def next_steps(texts: Texts, audience: Audience, names: Iterable[str], facts: Facts) -> tuple[NextStep, ...]:
    """The first three of `names` that work for this reader, numbered. `facts` as `facts.spoken` gives them."""
    open_to_them = (name for name in names if _fits(audience, name))
    said = list(_said(texts, open_to_them, facts))[:MAX_STEPS]
    return tuple(NextStep(n=n, text=text, example=example) for n, (text, example) in enumerate(said, start=1))


def step_lines(texts: Texts, steps: Iterable[NextStep]) -> list[str]:
    """The steps as numbered lines of a text."""
    return [_line(texts, step) for step in steps]


def _line(texts: Texts, step: NextStep) -> str:
    if step.example is None:
        return texts.say("layout.numbered", {"n": step.n, "text": step.text})
    return texts.say("layout.numbered_example", {"n": step.n, "text": step.text, "example": step.example})


def _fits(audience: Audience, name: str) -> bool:
    needed, others = NEEDS_OPERATION.get(name), NOT_FOR_THOSE_WHO_MAY.get(name)
    return (needed is None or audience.may(needed)) and (others is None or not audience.may(others))


def _said(texts: Texts, names: Iterable[str], facts: Facts) -> Iterator[tuple[str, str | None]]:
    for name in names:
        text = texts.try_say(f"step.{name}.text", facts)
        example_key = f"step.{name}.example"
        example = texts.try_say(example_key, facts) if texts.has(example_key) else None
        if text is not None:
            yield text, example
