"""What a group said would come, held against what came. Pure but for the one file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from edge_agent.cases.verdict import Verdict
from edge_agent.checked_file import checked, read_toml

NONE: Final = "-"
"""No code at all."""


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    observed: Annotated[str, Field(max_length=80)] = ""
    code: Annotated[str, Field(max_length=80)] = ""
    frames: Annotated[int, Field(ge=-1, le=100)] = -1
    why_no_retry: Annotated[str, Field(max_length=2_000)] = ""

    @property
    def blank(self) -> bool:
        return not self.observed and not self.code and self.frames < 0


Answers = Mapping[str, _Answer]


@dataclass(frozen=True, slots=True)
class Prediction:
    """One case: what was said and what came; `wrong` names the fields that differ, `blank` that nothing was said."""

    id: str
    said: str
    came: str
    wrong: tuple[str, ...]
    blank: bool


def read_answers(file: Path) -> Answers:
    """Raises `BadFile`."""
    return checked(file, dict[str, _Answer], read_toml(file)) if file.is_file() else {}


def unanswered(answers: Answers, ids: Iterable[str]) -> tuple[str, ...]:
    """The cases of which nothing is foretold yet."""
    return tuple(id_ for id_ in ids if answers.get(id_, _Answer()).blank)


def predictions(answers: Answers, verdicts: Iterable[Verdict]) -> tuple[Prediction, ...]:
    return tuple(_judged(verdict, answers.get(verdict.id, _Answer())) for verdict in verdicts)


def _judged(verdict: Verdict, said: _Answer) -> Prediction:
    came = (verdict.observed, "/".join(verdict.codes) or NONE, str(verdict.frames))
    told = (said.observed or "?", said.code or "?", "?" if said.frames < 0 else str(said.frames))
    return Prediction(verdict.id, " ".join(told), " ".join(came), tuple(_wrong(verdict, said)), said.blank)


def _wrong(verdict: Verdict, said: _Answer) -> Iterator[str]:
    if said.observed != verdict.observed:
        yield "observed"
    if said.code not in verdict.codes and not (said.code == NONE and not verdict.codes):
        yield "code"
    if said.frames != verdict.frames:
        yield "frames"
