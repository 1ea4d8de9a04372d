"""`calibrate` and `qualify` for the command line: one model file, started, measured, stored, closed.

Raises `ModelRefused` with a sentence where a file cannot be used; nothing is stored then.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from edge_agent.adapters.model.assemble import default_model
from edge_agent.adapters.model.calibrate import (
    CalibrationReport,
    Progress,
    QualificationReport,
    calibrate,
    keep,
    qualify,
)
from edge_agent.adapters.model.client import ModelState, WorkerModel, WorkerSettings
from edge_agent.adapters.model.errors import ModelRefused
from edge_agent.adapters.model.labelled import Part, Sentence, from_file, shipped
from edge_agent.adapters.model.profile import Figures
from edge_agent.adapters.model.prompt import default_prompt

START_S = 180.0
"""A first start evaluates the whole prompt: a wordy vocabulary on a busy machine needed 45 s."""
NEVER = sys.maxsize
"""A process that is replaced loses what it has collected."""


def run_calibrate(
    models: Path,
    progress: Progress,
    *,
    model: Path | None = None,
    sentences: Path | None = None,
    tuning: Path | None = None,
) -> CalibrationReport:
    """Fits the map of a model file (None: the default) on labelled sentences and its thresholds on others (None: the
    shipped ones)."""
    return asyncio.run(_calibrate(models, progress, model, _given(sentences, Part.FIT), _given(tuning, Part.TUNING)))


def run_qualify(
    models: Path, progress: Progress, *, model: Path | None = None, held_out: Path | None = None
) -> tuple[CalibrationReport | None, QualificationReport]:
    """Measures a model file on sentences nothing was fitted on; calibrates it first where it has no calibration yet."""
    return asyncio.run(_qualify(models, progress, model, held_out))


def table(figures: list[Figures]) -> Iterator[tuple[str, str, str, str, str, str]]:
    """Rows to print: language, sentences, accuracy, coverage, ask rate, wrong-act rate."""
    for f in figures:
        yield (
            f.lang,
            str(f.n),
            f"{f.accuracy:.1%}",
            f"{f.coverage:.1%}",
            f"{f.ask_rate:.1%}",
            f"{f.wrong_act_rate:.1%}",
        )


def _given(path: Path | None, part: Part) -> tuple[Sentence, ...]:
    return shipped(part) if path is None else from_file(path)


async def _calibrate(
    models: Path, progress: Progress, model: Path | None, fit: Sequence[Sentence], tuning: Sequence[Sentence]
) -> CalibrationReport:
    async with _started(models, model) as worker:
        report = await calibrate(worker, default_prompt(), fit, tuning, progress=progress)
    keep(report, models)
    return report


async def _qualify(
    models: Path, progress: Progress, model: Path | None, held_out: Path | None
) -> tuple[CalibrationReport | None, QualificationReport]:
    judged_by = _given(held_out, Part.HELD_OUT)
    fresh: CalibrationReport | None = None
    async with _started(models, model) as worker:
        if worker.calibration is None:
            fit, tuning = shipped(Part.FIT), shipped(Part.TUNING)
            fresh = await calibrate(worker, default_prompt(), fit, tuning, progress=progress)
        report = await qualify(worker, default_prompt(), judged_by, progress=progress)
    if fresh is not None:
        keep(fresh, models)
    keep(report, models)
    return fresh, report


@asynccontextmanager
async def _started(models: Path, model: Path | None) -> AsyncIterator[WorkerModel]:
    models.mkdir(parents=True, exist_ok=True)  # noqa: ASYNC240 (a command of its own: nothing else runs here)
    file = model if model is not None else await asyncio.to_thread(default_model, models)
    worker = WorkerModel(WorkerSettings(model=file, state_dir=models, recycle_after=NEVER))
    await worker.start(wait_s=START_S)
    try:
        if worker.state is not ModelState.READY:
            raise ModelRefused(
                worker.problem or f"{file.name} was not ready within {START_S:.0f} s. Nothing was stored."
            )
        yield worker
    finally:
        await worker.close()
