"""The few-shot prompt: sentences and one-word labels, classes interleaved, evaluated once and kept.

Every change here changes the prompt's hash, and with it the calibration, the qualification and the saved prefix.
The form is plain text on purpose: it serves base and chat models alike, with a chat template or without.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from edge_agent.adapters.model.labelled import Part, Sentence, shipped
from offline_rules.reading import Intent

LABEL_WORDS: dict[Intent, str] = {
    Intent.QUERY_RULE: "rule",
    Intent.QUERY_STATUS: "status",
    Intent.SUBMIT_FEEDBACK: "note",
    Intent.DIAGNOSE: "why",
    Intent.CONTROL_DEVICE: "move",
    Intent.STOP: "stop",
    Intent.GENERAL: "chat",
}
"""Each must begin with a token of its own in the model's vocabulary, or the model is refused."""

LABELS: tuple[Intent, ...] = tuple(LABEL_WORDS)
ASK = "{text}\n=>"
SHOT = ASK + " {word}\n\n"

_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Prompt:
    prefix: str
    words: tuple[str, ...]

    @property
    def digest(self) -> str:
        return hashlib.sha256("\0".join((self.prefix, ASK, *self.words)).encode()).hexdigest()

    def ask(self, text: str) -> str:
        """One line: an operator's line break can not end the sentence and begin a label."""
        return ASK.format(text=_BLANKS.sub(" ", text).strip())


@cache
def default_prompt() -> Prompt:
    return build(shipped(Part.SHOTS))


def build(shots: Sequence[Sentence]) -> Prompt:
    """Classes take turns, so that no label is the last one seen many times over; languages take turns within them."""
    by_label = {label: _languages_in_turn([s for s in shots if s.intent is label]) for label in LABELS}
    rounds = max((len(own) for own in by_label.values()), default=0)
    turns = [(label, own[i]) for i in range(rounds) for label, own in by_label.items() if i < len(own)]
    prefix = "".join(SHOT.format(text=s.text, word=LABEL_WORDS[label]) for label, s in turns)
    return Prompt(prefix, tuple(LABEL_WORDS.values()))


def _languages_in_turn(own: list[Sentence]) -> list[Sentence]:
    zh = [s for s in own if s.lang == "zh"]
    en = [s for s in own if s.lang == "en"]
    pairs = [s for pair in zip(zh, en, strict=False) for s in pair]
    return pairs + zh[len(en) :] + en[len(zh) :]
