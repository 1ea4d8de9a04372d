"""An exercise as it lies in `exercises/`: a story, a question, four steps, its cases, and the policy it begins with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from edge_agent.cases.files import Placed, read_file
from edge_agent.checked_file import checked, read_toml
from edge_agent.messages.codes import Lang

FOLDER: Final = Path(__file__).with_name("exercises")
STOCK_POLICY: Final = Path(__file__).with_name("data") / "policy"
DESCRIPTION, CASES, POLICY = "exercise.toml", "cases.jsonl", "policy"

Written: TypeAlias = Literal["", "A", "B"]
Words = Annotated[str, Field(min_length=1, max_length=1_000)]
Steps = Annotated[tuple[Words, ...], Field(min_length=4, max_length=4)]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{2,40}$")]
    order: Annotated[int, Field(ge=1, le=1_000)]
    written: Written = ""
    title_zh: Words
    title_en: Words
    story_zh: Words
    story_en: Words
    question_zh: Words
    question_en: Words
    steps_zh: Steps
    steps_en: Steps


@dataclass(frozen=True, slots=True)
class Told:
    """The words of an exercise in one language."""

    title: str
    story: str
    question: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Exercise:
    id: str
    order: int
    written: Written
    zh: Told
    en: Told
    folder: Path

    def told(self, lang: Lang) -> Told:
        return self.zh if lang == "zh" else self.en

    @property
    def lines(self) -> tuple[Placed, ...]:
        return read_file(self.folder / CASES)

    @property
    def given_policy(self) -> tuple[Path, ...]:
        """Files that the exercise puts in place of the product's own, relative to its policy folder."""
        at = self.folder / POLICY
        return tuple(sorted(each.relative_to(at) for each in at.rglob("*") if each.is_file()))


class NoSuchExercise(Exception):
    """The text names those there are, or the nearest."""


def exercises(folder: Path = FOLDER) -> tuple[Exercise, ...]:
    """In the order of a course. Raises `BadFile`."""
    found = (_exercise(each) for each in sorted(folder.iterdir()) if (each / DESCRIPTION).is_file())
    return tuple(sorted(found, key=lambda each: each.order))


def exercise(name: str, among: Sequence[Exercise]) -> Exercise:
    """By its id or its number. Raises `NoSuchExercise`."""
    found = next((each for each in among if name in (each.id, str(each.order))), None)
    if found is None:
        ids = [each.id for each in among]
        near = get_close_matches(name, ids, n=1)
        raise NoSuchExercise(f"{name}: no such exercise; {f'did you mean {near[0]}?' if near else ', '.join(ids)}")
    return found


def _exercise(folder: Path) -> Exercise:
    file = folder / DESCRIPTION
    read = checked(file, _File, read_toml(file))
    return Exercise(
        id=read.id,
        order=read.order,
        written=read.written,
        zh=Told(read.title_zh, read.story_zh, read.question_zh, _named(read.steps_zh, read.id)),
        en=Told(read.title_en, read.story_en, read.question_en, _named(read.steps_en, read.id)),
        folder=folder,
    )


def _named(steps: tuple[str, ...], id_: str) -> tuple[str, ...]:
    return tuple(step.replace("{id}", id_) for step in steps)
