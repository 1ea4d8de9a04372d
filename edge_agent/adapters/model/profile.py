"""What was measured about one model file: its calibration and its qualification, stored under what they depend on.

A calibration belongs to a model file and a prompt; a qualification to these and to the calibration's own figures. The
default model's are shipped; others are made by `calibrate` and `qualify` and lie in the state folder.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from edge_agent.adapters.model.errors import ProfileBroken
from edge_agent.understand.thresholds import Risk, Threshold, Thresholds
from offline_rules.reading import Lang

FORMAT: Literal[2] = 2
"""The shape of what is stored; what has another one is passed over."""
MAX_TOKENS = 1_024
MAX_FILE_BYTES = 2_000_000


class _Stored(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[2] = FORMAT
    model_sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    prompt_sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class FittedThreshold(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    lang: Lang
    risk: Risk
    min_top_score: float = Field(ge=0, le=1)
    min_margin: float = Field(ge=0, le=1)


class Calibration(_Stored):
    tokens: list[int] = Field(min_length=1, max_length=MAX_TOKENS)
    weights: list[list[float]] = Field(min_length=1, max_length=MAX_TOKENS)
    bias: list[float] = Field(min_length=1, max_length=32)
    thresholds: list[FittedThreshold] = Field(max_length=32)
    leaning_weight: float = Field(ge=0, lt=1)
    """How much the words' own leaning counts beside the map."""
    fitted_on: int = Field(ge=0)

    def as_map(self) -> dict[str, object]:
        return {"tokens": self.tokens, "weights": self.weights, "bias": self.bias}

    def as_thresholds(self) -> Thresholds:
        return Thresholds(
            fitted=tuple((t.lang, t.risk, Threshold(t.min_top_score, t.min_margin)) for t in self.thresholds),
            leaning_weight=self.leaning_weight,
        )

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()


class Figures(BaseModel):
    """Of one language over the held-out sentences. Rates are shares of 0 to 1."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    lang: Lang
    n: int = Field(ge=0)
    accuracy: float = Field(ge=0, le=1)
    coverage: float = Field(ge=0, le=1)
    """Above threshold."""
    ask_rate: float = Field(ge=0, le=1)
    wrong_act_rate: float = Field(ge=0, le=1)
    """Above threshold for control though labelled otherwise."""


class Qualification(_Stored):
    calibration_sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    passed: bool
    reasons: list[str] = Field(max_length=16)
    """Which bars it fell short of; empty when it passed."""
    figures: list[Figures]


S = TypeVar("S", Calibration, Qualification)

_NAMES: dict[type[BaseModel], str] = {Calibration: "calibration", Qualification: "qualification"}


def key(model_sha256: str, prompt_sha256: str) -> str:
    return hashlib.sha256(f"{model_sha256}\0{prompt_sha256}".encode()).hexdigest()[:32]


def load(kind: type[S], folder: Path, model_sha256: str, prompt_sha256: str) -> S | None:
    """The site's own measurement first, else the shipped one, else None. Raises `ProfileBroken`."""
    return next(iter(_stored(kind, folder, model_sha256, prompt_sha256)), None)


def load_qualification(calibration: Calibration, folder: Path) -> Qualification | None:
    """The one that was measured with this very calibration: an old one of the site's own does not hide the shipped."""
    found = _stored(Qualification, folder, calibration.model_sha256, calibration.prompt_sha256)
    return next((q for q in found if q.calibration_sha256 == calibration.digest), None)


def _stored(kind: type[S], folder: Path, model_sha256: str, prompt_sha256: str) -> Iterator[S]:
    name = f"{_NAMES[kind]}-{key(model_sha256, prompt_sha256)}.json"
    own = folder / name
    if own.exists() and not _of_another_format(text := own.read_text(encoding="utf-8")):
        yield _parse(kind, text, str(own))
    shipped = files("edge_agent.adapters.model").joinpath("data", name)
    if shipped.is_file():
        yield _parse(kind, shipped.read_text(encoding="utf-8"), name)


def store(stored: Calibration | Qualification, folder: Path) -> Path:
    """Whole or not at all: temporary name, fsync, rename."""
    name = f"{_NAMES[type(stored)]}-{key(stored.model_sha256, stored.prompt_sha256)}.json"
    folder.mkdir(parents=True, exist_ok=True)
    target, temporary = folder / name, folder / f"{name}.partial"
    with temporary.open("w", encoding="utf-8") as out:
        out.write(stored.model_dump_json() + "\n")
        out.flush()
        os.fsync(out.fileno())
    temporary.replace(target)
    return target


def _of_another_format(text: str) -> bool:
    """Measured by another version of this program: no fault, only of no use here."""
    try:
        head = json.loads(text[:MAX_FILE_BYTES])
    except ValueError:
        return False
    return isinstance(head, dict) and isinstance(head.get("format"), int) and head["format"] != FORMAT


def _parse(kind: type[S], text: str, where: str) -> S:
    try:
        return kind.model_validate_json(text[:MAX_FILE_BYTES])
    except ValidationError as error:
        raise ProfileBroken(
            f"{where} is no {_NAMES[kind]} ({error.error_count()} errors). The model is not used for control until"
            " `edge-agent calibrate` and `edge-agent qualify` have run again; rules carry on."
        ) from error
