"""Labelled sentences: the shots a model is shown, those map and leaning are fitted on, those the thresholds are fitted
on, and those nobody fitted anything on.

One JSON object a line: `{"text", "intent", "lang"}`; UNKNOWN stands for what is ours and unclear, GENERAL for what is
not ours. The four files share no sentence; a test holds that.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from offline_rules.reading import Intent, Lang

MAX_LINE_CHARACTERS = 2_000


class Part(StrEnum):
    SHOTS = "shots"
    FIT = "fit"
    TUNING = "tuning"
    HELD_OUT = "held_out"


class Sentence(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str = Field(min_length=1, max_length=500)
    intent: Intent
    lang: Lang


def shipped(part: Part) -> tuple[Sentence, ...]:
    text = files("edge_agent.adapters.model").joinpath("data", f"{part}.jsonl").read_text(encoding="utf-8")
    return tuple(_sentences(text))


def from_file(path: Path) -> tuple[Sentence, ...]:
    """A site's own labelled sentences. A line that is none raises pydantic's `ValidationError`, which names the key."""
    return tuple(_sentences(path.read_text(encoding="utf-8")))


def _sentences(text: str) -> Iterator[Sentence]:
    return (Sentence.model_validate_json(line[:MAX_LINE_CHARACTERS]) for line in text.splitlines() if line.strip())
