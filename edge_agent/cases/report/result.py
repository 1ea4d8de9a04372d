"""A run of case lines as it is kept: written once as JSON, read back to compare. Pure but for the file itself."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from edge_agent.cases.line import BadLine
from edge_agent.cases.score import Score, by_category, confusion, total
from edge_agent.cases.verdict import Verdict

MAX_RESULT_BYTES: Final = 64 * 1024 * 1024


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ScoreRow(_Model):
    name: str
    lines: int
    as_expected: int
    coverage: float
    misfired: int
    took_ms: float


class Confused(_Model):
    expected: str
    observed: str
    count: int


class Result(_Model):
    """`took_s` is what a person waited; `total.took_ms` the sum over lines that ran side by side."""

    version: Literal[1] = 1
    began_at: str
    took_s: float
    without: tuple[str, ...] = ()
    total: ScoreRow
    categories: tuple[ScoreRow, ...]
    confusion: tuple[Confused, ...]
    cases: tuple[Verdict, ...] = Field(default=())


def result_of(verdicts: Sequence[Verdict], *, began_at: datetime, took_s: float, without: Sequence[str]) -> Result:
    return Result(
        began_at=began_at.isoformat(timespec="seconds"),
        took_s=round(took_s, 2),
        without=tuple(without),
        total=_row(total(verdicts)),
        categories=tuple(map(_row, by_category(verdicts))),
        confusion=tuple(Confused(expected=e, observed=o, count=n) for (e, o), n in confusion(verdicts).items()),
        cases=tuple(verdicts),
    )


def save(result: Result, file: Path) -> None:
    file.write_text(result.model_dump_json(indent=1), encoding="utf-8")


def load(file: Path) -> Result:
    """Raises `BadLine` for a file that is no result of this version."""
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise BadLine(str(file), 0, "baseline", f"cannot be read: {error.strerror}") from error
    if len(raw) > MAX_RESULT_BYTES:
        raise BadLine(str(file), 0, "baseline", f"larger than {MAX_RESULT_BYTES} bytes")
    try:
        return Result.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "JSON"
        raise BadLine(str(file), 0, where, str(first["msg"])) from error


def _row(score: Score) -> ScoreRow:
    return ScoreRow(
        name=score.name,
        lines=score.lines,
        as_expected=score.as_expected,
        coverage=round(score.coverage, 4),
        misfired=score.misfired,
        took_ms=round(score.took_ms, 1),
    )
